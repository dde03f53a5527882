package show

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPrintJSON(t *testing.T) {
	for _, tc := range []struct {
		items []json.RawMessage
		want  string
	}{
		{nil, "[]\n"},
		{[]json.RawMessage{[]byte(`{"id":1}`)}, "[{\"id\":1}]\n"},
		{[]json.RawMessage{[]byte(`{ "id" : "<&>" }`), []byte(`{}`)}, "[{\"id\":\"<&>\"},\n {}]\n"},
	} {
		var b bytes.Buffer
		if err := JSON(&b, tc.items); err != nil || b.String() != tc.want {
			t.Errorf("got %q, %v; want %q", b.String(), err, tc.want)
		}
	}
}

func TestEscapeUnprintable(t *testing.T) {
	for in, want := range map[string]string{
		`"plain ünïcode 漢字"`:        `"plain ünïcode 漢字"`,
		"\"a\u202eb\"":              `"a\u202eb"`,
		"\"a\u009b2J\x7f\"":         `"a\u009b2J\u007f"`,
		"\"tag \U000e0041\"":        `"tag \udb40\udc41"`,
		"\"broken \xff\x9b utf-8\"": `"broken \ufffd\ufffd utf-8"`,
		"\"\u00a0\u200b\ufeff\"":    `"\u00a0\u200b\ufeff"`,
	} {
		if got := string(Escape([]byte(in))); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
}

// FuzzJSONLine: what is printed means the same as what came, and acts on no terminal.
func FuzzJSONLine(f *testing.F) {
	for _, seed := range []string{`{"a":"\u001b[2J"}`, "[\"\u202e\U000e0041\"]", `"é\/"`, `{"a":1e5,"b":[true,null]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if !json.Valid(doc) || !utf8.Valid(doc) {
			t.Skip()
		}
		line, err := JSONLine(json.RawMessage(doc))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(line); {
			r, size := utf8.DecodeRune(line[i:])
			if !unicode.IsPrint(r) {
				t.Fatalf("%q holds %U", line, r)
			}
			i += size
		}
		var before, after any
		if err := json.Unmarshal(doc, &before); err != nil {
			t.Skip()
		}
		if err := json.Unmarshal(line, &after); err != nil {
			t.Fatalf("%q is no JSON: %v", line, err)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%q became %q:\n%s", doc, line, diff)
		}
	})
}
