package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/brokertest/cputime"
)

const typical = `{"session_id":"6f1b0c5e-3a77-4c55-9d0e-1f3f6a2f9b11","transcript_path":"/home/ana/.claude/projects/-home-ana-src-shop/6f1b0c5e-3a77-4c55-9d0e-1f3f6a2f9b11.jsonl","cwd":"/home/ana/src/shop","prompt_id":"0c6a8f0e-9d2b-4b4e-8a7e-2c6f0a4f7d10","permission_mode":"auto","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"set -e\nfor f in internal/*/; do\n  echo \"== $f\"\n  (cd \"$f\" && go test -count=1 -race ./... 2>&1 | tail -n 40)\ndone\nnpm run migrate -- --env staging --steps 3 --dry-run | tee /tmp/migrate.log && grep -c applied /tmp/migrate.log || echo 'nothing was applied'\nprintf '%s\\n' \"fertig: übernommen\"","description":"Apply pending migrations to staging and say how many there were","timeout":300000},"tool_use_id":"toolu_01Hq7mB2kLx9"}
`

func TestCheckTakes(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `"x"`, `0`, `-0`, `-12.50e+3`, `1E5`, `true`, `false`, `null`, " \t\r\n{} \n",
		`{"a":{"a":{"a":[]}}}`,
		`[{"a":1},{"a":2}]`,
		`{"a":"\ud83d\ude00 😀 \u00e9 \/ \b\f\n\r\t\"\\"}`,
		`{"":1,"é":2,"ß":3,"ss":4,"i":5,"ı":6}`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64),
		typical,
	} {
		if err := Check([]byte(text), 64); err != nil {
			t.Errorf("Check(%.60q) = %v, want it taken", text, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		want       SyntaxError // Reason: a part of it
	}{
		{"nothing", "", SyntaxError{0, "", "is empty"}},
		{"only blanks", " \n", SyntaxError{2, "", "is empty"}},
		{"byte order mark", "\xef\xbb\xbf{}", SyntaxError{0, "", "byte order mark"}},
		{"cut in an object", `{"a":1`, SyntaxError{6, "", "cut off"}},
		{"cut in a key", `{"a":{"b`, SyntaxError{8, "a", "cut off"}},
		{"cut after a key", `{"a"`, SyntaxError{4, "", "cut off"}},
		{"cut in a string", `{"a":"b`, SyntaxError{7, "a", "cut off"}},
		{"cut in an escape", `{"a":"\u12`, SyntaxError{10, "a", "cut off"}},
		{"cut after a backslash", `"\`, SyntaxError{2, "", "cut off"}},
		{"cut in a word", `[tru`, SyntaxError{4, "[0]", "cut off"}},
		{"cut in a number", `-`, SyntaxError{1, "", "cut off"}},
		{"second document", `{} {}`, SyntaxError{3, "", "follows the end"}},
		{"second document on a line", "{}\n{}", SyntaxError{3, "", "follows the end"}},
		{"closing bracket too many", `{}}`, SyntaxError{2, "", "follows the end"}},
		{"key twice", `{"tool_input":{"command":"ls","x":0,"command":"rm"}}`, SyntaxError{36, "tool_input.command", "this key twice"}},
		{"key twice by escape", `{"a":1,"\u0061":2}`, SyntaxError{7, "a", "this key twice"}},
		{"key twice by case", `{"command":1,"Command":2}`, SyntaxError{13, "Command", "upper and lower case"}},
		{"key twice by Kelvin sign", `{"k":1,"\u212a":2}`, SyntaxError{7, `["\u212a"]`, "this key twice"}},
		{"key twice by long s", `{"tools":1,"toolſ":2}`, SyntaxError{11, `["tool\u017f"]`, "this key twice"}},
		{"empty key twice", `{"":1,"":2}`, SyntaxError{6, `[""]`, "this key twice"}},
		{"key twice in an array", `[0,[{"a":1,"a":1}]]`, SyntaxError{11, "[1][0].a", "this key twice"}},
		{"bad UTF-8", "{\"a\":{\"b\":\"x\xff\"}}", SyntaxError{12, "a.b", "not valid UTF-8"}},
		{"overlong UTF-8", "\"\xc0\xaf\"", SyntaxError{1, "", "not valid UTF-8"}},
		{"raw surrogate", "\"\xed\xa0\x80\"", SyntaxError{1, "", "not valid UTF-8"}},
		{"bad UTF-8 in a key", "{\"\xff\":1}", SyntaxError{2, "", "not valid UTF-8"}},
		{"high half alone", `{"a":["\ud83dx"]}`, SyntaxError{7, "a[0]", "half of a surrogate pair"}},
		{"low half alone", `"\ude00"`, SyntaxError{1, "", "half of a surrogate pair"}},
		{"two high halves", `"\ud83d\ud83d"`, SyntaxError{1, "", "half of a surrogate pair"}},
		{"half in a key", `{"\ud83d":1}`, SyntaxError{2, "", "half of a surrogate pair"}},
		{"NUL", `{"a":"ls\u0000; rm"}`, SyntaxError{8, "a", "NUL"}},
		{"NUL in a key", `{"a\u0000":1}`, SyntaxError{3, "", "NUL"}},
		{"raw NUL", "\"a\x00\"", SyntaxError{2, "", "control character 0x00"}},
		{"raw newline in a string", "\"a\n\"", SyntaxError{2, "", "control character 0x0a"}},
		{"unknown escape", `"\x41"`, SyntaxError{1, "", "unknown escape"}},
		{"escape without digits", `"\u12g4"`, SyntaxError{1, "", "without four hex digits"}},
		{"single quotes", `{'a':1}`, SyntaxError{1, "", `key in double quotes, found "'"`}},
		{"comma at the end", `{"a":1,}`, SyntaxError{7, "", "key in double quotes"}},
		{"comma at the end of an array", `[1,]`, SyntaxError{3, "[1]", "expected a value"}},
		{"comma missing", `[1 2]`, SyntaxError{3, "", "expected ',' or ']'"}},
		{"colon missing", `{"a" 1}`, SyntaxError{5, "", "expected ':'"}},
		{"comment", `{/*x*/}`, SyntaxError{1, "", "key in double quotes"}},
		{"leading zero", `[01]`, SyntaxError{2, "[0]", "begins with 0"}},
		{"digit missing", `[1.]`, SyntaxError{3, "[0]", "lacks a digit"}},
		{"plus sign", `+1`, SyntaxError{0, "", "expected a value"}},
		{"NaN", `NaN`, SyntaxError{0, "", "expected a value"}},
		{"wrong word", `nule`, SyntaxError{0, "", "expected a value"}},
		{"non-ASCII where a value belongs", "[é]", SyntaxError{1, "[0]", `found "\xc3"`}},
		{"one level too deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), SyntaxError{64, strings.Repeat("[0]", 64), "deeper than 64"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var se *SyntaxError
			if err := Check([]byte(tt.text), 64); !errors.As(err, &se) {
				t.Fatalf("Check = %v, want a *SyntaxError", err)
			}
			if se.Offset != tt.want.Offset || se.Path != tt.want.Path || !strings.Contains(se.Reason, tt.want.Reason) {
				t.Errorf("got  %+v\nwant %+v", *se, tt.want)
			}
			if fields, err := Fields([]byte(tt.text)); err == nil || fields != nil {
				t.Errorf("Fields = %v, %v; want no fields and an error", fields, err)
			}
		})
	}
}

func TestErrorTextIsShortAndPrintable(t *testing.T) {
	key := "\u202e\x1b]0;" + strings.Repeat("k", 500)
	quoted, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat(`{`+string(quoted)+`:`, 60) + `"\ud800"` + strings.Repeat("}", 60)
	msg := Check([]byte(text), 64).Error()
	if len(msg) > 700 {
		t.Errorf("the error has %d bytes, want at most 700", len(msg))
	}
	for _, r := range msg {
		if r < 0x20 || r > 0x7e {
			t.Fatalf("the error holds %q: %q", r, msg)
		}
	}
}

func TestLooseData(t *testing.T) {
	rules := Rules{Loose: []string{"tool_response"}}
	odd := `{"x":1,"X":2,"x":3,"y":"\ud83d\u0000","\udfff":[{"a":0,"A":0}]}`
	if err := rules.Check([]byte(`{"tool_response":` + odd + `,"tool_input":{}}`)); err != nil {
		t.Errorf("odd data below the loose field: %v", err)
	}
	for _, text := range []string{
		`{"tool_input":` + odd + `}`,
		`{"tool_input":{"tool_response":` + odd + `}}`, // only at the top
		`{"Tool_response":` + odd + `}`,                // another name
		`{"tool_response":1,"tool_response":2}`,
		`{"tool_response":1,"tool_Response":2}`,
		`[{"tool_response":` + odd + `}]`,
		"{\"tool_response\":\"\xff\"}",
		`{"tool_response":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`,
	} {
		if rules.Check([]byte(text)) == nil {
			t.Errorf("taken: %s", text)
		}
	}
}

func TestFieldsKeepOrderAndBytes(t *testing.T) {
	got, err := Fields([]byte(" {\"b\" : { \"x\" : 1.0 } ,\n\"a\":\"\\u0041\", \"\\u0063\":[1, 2]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{
		{"b", json.RawMessage(`{ "x" : 1.0 }`)},
		{"a", json.RawMessage(`"\u0041"`)},
		{"c", json.RawMessage(`[1, 2]`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	for text, kind := range map[string]string{
		`[1]`: "an array", `"x"`: "a string", `7`: "a number", `null`: "null", `true`: "a boolean", `<html>`: "not JSON",
	} {
		if _, err := Fields([]byte(text)); err == nil || !strings.Contains(err.Error(), kind) {
			t.Errorf("Fields(%s) = %v, want an error that says %q", text, err, kind)
		}
	}
}

func TestKeysOfLargeObjects(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `"key-%d":%d,`, i, i)
	}
	if err := Check([]byte("{"+b.String()+`"last":0}`), 64); err != nil {
		t.Errorf("5,001 different keys: %v", err)
	}
	for _, again := range []string{"key-3", "KEY-3", "key-4999", "Key-23", "key-24", "\u212aey-25"} {
		err := Check([]byte("{"+b.String()+`"`+again+`":0}`), 64)
		if err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("with %q again: %v, want it refused", again, err)
		}
	}
}

// A body that is nothing but brackets must cost neither stack nor time.
func TestDeepNestingIsRefusedAtOnce(t *testing.T) {
	const size = 5 << 20
	for name, text := range map[string][]byte{
		"arrays":  bytes.Repeat([]byte("["), size),
		"objects": bytes.Repeat([]byte(`{"":`), size/4),
	} {
		var limited, unlimited error
		took := cputime.Of(func() { limited, unlimited = Check(text, 64), Check(text, 1<<40) })
		if limited == nil || !strings.Contains(limited.Error(), "deeper than 64") {
			t.Errorf("%s: %v, want refused for its depth", name, limited)
		}
		if unlimited == nil {
			t.Errorf("%s: taken without a limit of the caller's", name)
		}
		if took > 10*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// Many keys must not cost the square of their number.
func TestManyKeysAreChecked(t *testing.T) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range 100_000 {
		fmt.Fprintf(&b, `"%d":0,`, i)
	}
	b.WriteString(`"x":0}`)
	var err error
	took := cputime.Of(func() { err = Check(b.Bytes(), 64) })
	if err != nil {
		t.Error(err)
	}
	if took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

type decideBody struct {
	Decision string          `json:"decision"`
	Reason   string          `json:"reason,omitempty"`
	Input    json.RawMessage `json:"updated_input"`
	Timeout  int             `json:"timeout"`
	At       time.Time       `json:"at"`
	Nested   *struct {
		Name string `json:"name"`
	} `json:"nested"`
	List []struct {
		X int `json:"x"`
	} `json:"list"`
	Named map[string]struct {
		Y bool `json:"y"`
	} `json:"named"`
	Hidden string `json:"-"`
	inside string //nolint:unused // shows that unexported fields are no fields of the body
	Shared
}

type Shared struct {
	SessionID string `json:"session_id"`
}

func TestDecode(t *testing.T) {
	var got decideBody
	err := Decode([]byte(`{"decision":"deny","updated_input":{"Any":1,"thing":[]},"timeout":5,"at":"2026-01-02T03:04:05Z",`+
		`"nested":{"name":"n"},"list":[{"x":1}],"named":{"k":{"y":true}},"session_id":"s"}`), &got)
	if err != nil {
		t.Fatal(err)
	}
	if got.Decision != "deny" || string(got.Input) != `{"Any":1,"thing":[]}` || got.Timeout != 5 || got.At.Year() != 2026 ||
		got.Nested.Name != "n" || got.List[0].X != 1 || !got.Named["k"].Y || got.SessionID != "s" {
		t.Errorf("decoded %+v", got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct{ name, body, path, reason string }{
		{"unknown field", `{"verdict":"deny"}`, "verdict", "not a known field"},
		{"known field in another case", `{"Decision":"deny"}`, "Decision", "not a known field"},
		{"name of the Go field", `{"SessionID":"s"}`, "SessionID", "not a known field"},
		{"hidden field", `{"Hidden":"s"}`, "Hidden", "not a known field"},
		{"dash", `{"-":"s"}`, "-", "not a known field"},
		{"unexported field", `{"inside":"s"}`, "inside", "not a known field"},
		{"embedded struct by name", `{"Shared":{}}`, "Shared", "not a known field"},
		{"unknown field inside", `{"nested":{"Name":"s"}}`, "nested.Name", "not a known field"},
		{"unknown field in a list", `{"list":[{"x":1},{"X":2}]}`, "list[1].X", "not a known field"},
		{"unknown field in a map", `{"named":{"k":{"Y":true}}}`, "named.k.Y", "not a known field"},
		{"wrong type", `{"timeout":"5"}`, "timeout", "string where a whole number"},
		{"fraction", `{"timeout":5.5}`, "timeout", "number where a whole number"},
		{"wrong type inside", `{"nested":{"name":[]}}`, "nested.name", "array where a string"},
		{"wrong type in an embedded struct", `{"session_id":5}`, "session_id", "number where a string"},
		{"too large", `{"timeout":1e99}`, "timeout", "whole number in range"},
		{"not a time", `{"at":"yesterday"}`, "", "does not fit"},
		{"not an object", `["decision"]`, "", "must be a JSON object, not an array"},
		{"null", `null`, "", "must be a JSON object, not null"},
		{"twice", `{"decision":"deny","decision":"allow"}`, "decision", "twice"},
		{"empty", ``, "", "is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v decideBody
			var se *SyntaxError
			if err := Decode([]byte(tt.body), &v); !errors.As(err, &se) {
				t.Fatalf("Decode = %v, want a *SyntaxError", err)
			}
			if se.Path != tt.path || !strings.Contains(se.Reason, tt.reason) {
				t.Errorf("got path %q reason %q, want %q and %q", se.Path, se.Reason, tt.path, tt.reason)
			}
		})
	}
	var n int
	if Decode([]byte(`{}`), &n) == nil || Decode([]byte(`{}`), nil) == nil || Decode([]byte(`{}`), decideBody{}) == nil {
		t.Error("Decode took something that is no pointer to a struct")
	}
}

// FuzzCheck holds that what passes is JSON to everyone, and the same JSON to a parser
// that keeps the first of equal keys, to one that keeps the last, and to one that
// does not look at case.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		typical, `{"a":1,"A":2}`, `{"a":{"a":[1,{"b":null}]},"b":"\ud83d\ude00"}`, `{"\u0061":1,"a":2}`, `[1e5,-0.1]`,
		`{"k":1,"K":2}`, `"\ud800"`, `"\u0000"`, `{} {}`, "\xef\xbb\xbf{}", `{"a":"b`, strings.Repeat("[", 70), `{"ſ":1,"s":2}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := Check(data, 16)
		loose := Rules{MaxDepth: 16, Loose: []string{"a"}}.Check(data)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Offset < 0 || se.Offset > len(data) || se.Reason == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		if loose != nil {
			t.Fatalf("strict took what loose refused: %v", loose)
		}
		if !json.Valid(data) {
			t.Fatalf("not JSON: %q", data)
		}
		var last any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if err := dec.Decode(&last); err != nil {
			t.Fatalf("encoding/json: %v", err)
		}
		if first := firstWins(t, data, func(a, b string) bool { return a == b }); !reflect.DeepEqual(first, last) {
			t.Fatalf("first %v, last %v", first, last)
		}
		if folded := firstWins(t, data, strings.EqualFold); size(folded) != size(last) {
			t.Fatalf("without case %v, with %v", folded, last)
		}
		checkFields(t, data, last)
	})
}

// checkFields holds that Fields and encoding/json see the same members.
func checkFields(t *testing.T, data []byte, want any) {
	t.Helper()
	fields, err := Fields(data)
	members, ok := want.(map[string]any)
	if ok != (err == nil) || len(fields) != len(members) {
		t.Fatalf("Fields = %v, %v for %v", fields, err, want)
	}
	for _, f := range fields {
		dec := json.NewDecoder(bytes.NewReader(f.Value))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil || !reflect.DeepEqual(v, members[f.Key]) {
			t.Fatalf("field %q is %s (%v), want %v", f.Key, f.Value, err, members[f.Key])
		}
	}
}

// firstWins parses data and keeps the first of the keys that are the same.
func firstWins(t *testing.T, data []byte, same func(a, b string) bool) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	token := func() json.Token {
		tok, err := dec.Token()
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return tok
	}
	var value func(json.Token) any
	value = func(tok json.Token) any {
		switch tok {
		case json.Delim('{'):
			object := map[string]any{}
			for dec.More() {
				key := token().(string)
				v := value(token())
				known := slices.ContainsFunc(slices.Collect(maps.Keys(object)), func(k string) bool { return same(k, key) })
				if !known {
					object[key] = v
				}
			}
			token()
			return object
		case json.Delim('['):
			list := []any{}
			for dec.More() {
				list = append(list, value(token()))
			}
			token()
			return list
		}
		return tok
	}
	return value(token())
}

// size counts the members of all objects in v.
func size(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += 1 + size(e)
		}
	case []any:
		for _, e := range v {
			n += size(e)
		}
	}
	return n
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"decision":"deny","nested":{"name":"n"},"list":[{"x":1}],"named":{"k":{"y":true}}}`))
	f.Add([]byte(`{"at":"2026-01-02T03:04:05Z","timeout":-1,"updated_input":{"a":[null]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v decideBody
		if Decode(data, &v) != nil {
			return
		}
		var w decideBody
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&w); err != nil {
			t.Fatalf("encoding/json refuses what Decode took: %v", err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	b.SetBytes(int64(len(typical)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Check([]byte(typical), 64); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFields(b *testing.B) {
	data := []byte(typical)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Fields(data); err != nil {
			b.Fatal(err)
		}
	}
}
