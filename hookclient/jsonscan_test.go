package hookclient

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

var jsonSamples = []string{
	"", " ", "{}", " {} \n", "[]", "null", "nul", "truefalse", "0", "-0", "01", "-", "1.", "1.5e+10", "1e", ".5", "+1", "1 2",
	`""`, `"`, `"\u00e9\n\/"`, `"\u12"`, `"\x"`, "\"\x01\"", "\"\xff\"", `{"a":1}`, `{"a":1,}`, `{"a"}`, `{a:1}`, `{"a":1 "b":2}`,
	`[1,2,[3,{"x":null}]]`, `[1,]`, `[`, `]`, `{"a":{"b":["\ud83d\ude00",true,false]}}`, `{"a":1}{"a":2}`, "{\"a\":1}\x00",
	`{"a":"x","a":"y"}`, `{"A":"x","a":"y"}`, `{"\u0061":"z"}`, `"\ud83d"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`,
}

// What the scanner calls JSON is what encoding/json calls JSON, in valid UTF-8.
func FuzzJSON(f *testing.F) {
	for _, s := range jsonSamples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := isJSONValue(b)
		if want := json.Valid(b) && utf8.Valid(b); got != want && (got || depth(b) < maxDepth) {
			t.Fatalf("%q is JSON: %v, want %v", b, got, want)
		}
		var object map[string]json.RawMessage
		if !got || json.Unmarshal(b, &object) != nil || object == nil {
			if m := member(b, "a"); m != nil {
				t.Fatalf("%q has the member %q", b, m)
			}
			return
		}
		m := member(b, "a")
		if m == nil {
			return // absent, or there twice; the table below tells these apart
		}
		if !bytes.Equal(m, object["a"]) {
			t.Fatalf("%q has the member %q, want %q", b, m, object["a"])
		}
		var want string
		if json.Unmarshal(m, &want) == nil && m[0] == '"' && textMember(b, "a") != want {
			t.Fatalf("%q says %q, want %q", b, textMember(b, "a"), want)
		}
	})
}

func depth(b []byte) int { return bytes.Count(b, []byte("[")) + bytes.Count(b, []byte("{")) + 1 }

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\x00\x1f\n", "é世\U0001f600", "\xff", "<&>\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := quote(nil, s)
		var want string
		if err := json.Unmarshal(raw, &want); err != nil || want != strings.ToValidUTF8(s, "") && utf8.ValidString(s) {
			t.Fatalf("%q is written %s: %v", s, raw, err)
		}
		if got, ok := unquote(raw); !ok || got != want {
			t.Fatalf("%s is read as %q, want %q", raw, got, want)
		}
	})
}

func TestMember(t *testing.T) {
	for _, c := range []struct{ object, name, want string }{
		{`{"a":1,"b":{"a":2}}`, "a", "1"},
		{`{"a":1,"b":{"a":2}}`, "b", `{"a":2}`},
		{` { "b" : [ 1 , 2 ] , "a" : null } `, "a", "null"},
		{`{"a":1,"a":2}`, "a", ""},
		{`{"a":1,"\u0061":2}`, "a", ""},
		{`{"A":1}`, "a", ""},
		{`{}`, "a", ""},
		{`["a"]`, "a", ""},
		{`{"a":1`, "a", ""},
		{`{"a":1} x`, "a", ""},
	} {
		if got := string(member([]byte(c.object), c.name)); got != c.want {
			t.Errorf("member %s of %s is %q, want %q", c.name, c.object, got, c.want)
		}
	}
}

func TestDeepNestingIsNotJSON(t *testing.T) {
	deep := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if !isJSONValue(deep(maxDepth-1)) || isJSONValue(deep(maxDepth+1)) || isJSONValue(deep(5_000_000)) {
		t.Error("the limit of nesting is not where it should be")
	}
}
