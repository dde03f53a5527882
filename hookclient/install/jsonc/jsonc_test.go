package jsonc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": 1}`:                   `{"a": 1}`,
		"{// x\n\"a\": 1,\n}":        "{    \n\"a\": 1 \n}",
		`{"a": "//", /* , */ }`:      `{"a": "//"          }`,
		`["a\"//", 1 , ]`:            `["a\"//", 1   ]`,
		`{} // open`:                 `{}        `,
		`/* open`:                    `/* open`, // what cannot be read is not made readable
		`{"a": "unfinished // ,`:     `{"a": "unfinished // ,`,
		`[1,,]`:                      `[1,,]`,
		"// only\r\n{\"b\": [1, 2]}": "       \r\n{\"b\": [1, 2]}",
	} {
		if got := string(Plain([]byte(in))); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// Whatever stands in a file, a place in what is left is a place in the file. What is read
// as JSON with comments is JSON without them.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		`{"a": "//", /* , */ }`, "{\"a\": [1, // x\n2,],}", "// c", `{"a":1} // end`, "\xef\xbb\xbf{}", `{/*`, strings.Repeat("[", 300), `["\`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, got := range [][]byte{Plain(src), CutSlashes(src)} {
			if len(got) != len(src) || strings.Count(string(got), "\n") != strings.Count(string(src), "\n") {
				t.Errorf("%q became %q", src, got)
			}
		}
		d, err := Parse(src, Comments, "An agent")
		if err != nil || len(bytes.TrimSpace(src)) == 0 {
			return
		}
		if !bytes.Equal(d.Src, src) {
			t.Errorf("%q was read as %q", src, d.Src)
		}
		if text := Plain(bytes.TrimPrefix(src, []byte(ByteOrderMark))); !json.Valid(text) {
			t.Errorf("%q was read, and is not JSON: %q", src, text)
		}
	})
}

// What is put in and taken out again leaves the text as it was, with its comments.
func TestAppendAndRemove(t *testing.T) {
	for before, want := range map[string]string{
		"{\n  \"a\": 1 // one\n}\n// end":          "{\n  \"a\": 1, // one\n  \"b\": [\n    2\n  ]\n}\n// end",
		"{\n  \"a\": 1, // one\n}":                 "{\n  \"a\": 1, // one\n  \"b\": [\n    2\n  ],\n}",
		"{\n  \"a\": 1 /* one */,\n  // two\n}":    "{\n  \"a\": 1 /* one */,\n  \"b\": [\n    2\n  ],\n  // two\n}",
		"{\"a\":1}//":                              "{\"a\":1,\"b\":[2]}//",
		"\xef\xbb\xbf{\r\n\t\"a\" : 1\r\n}":        "\xef\xbb\xbf{\r\n\t\"a\" : 1,\r\n\t\"b\" : [\r\n\t\t2\r\n\t]\r\n}",
		"{\"a\": 1, \"c\": [ ] /* c */, /* d */ }": "{\"a\": 1, \"c\": [ ] /* c */, \"b\": [2], /* d */ }",
	} {
		d, err := Parse([]byte(before), Comments, "An agent")
		if err != nil {
			t.Fatal(err)
		}
		if err = d.AppendMember(d.Root, "b", Array{2}); err != nil || string(d.Src) != want {
			t.Errorf("%q: %v\ngot  %q\nwant %q", before, err, d.Src, want)
		}
		if err = d.Remove(d.Root, func(i int) bool { return d.Root.Keys[i].Name == "b" }); err != nil || string(d.Src) != before {
			t.Errorf("removed: %v\ngot  %q\nwant %q", err, d.Src, before)
		}
	}
}

// A few megabytes must not take a few gigabytes.
func TestHostileSize(t *testing.T) {
	s := []byte("[" + strings.Repeat("1,", 3<<20) + "1]")
	if _, err := Parse(s, Comments, "An agent"); err == nil || !strings.Contains(err.Error(), "more than 1048576 values") {
		t.Error(err)
	}
	if got := Plain(s); !bytes.Equal(got, s) {
		t.Error("it was changed")
	}
}

func TestHostileDepth(t *testing.T) {
	for _, s := range []string{strings.Repeat("[", 8<<20), strings.Repeat(`{"a":`, 1<<20), strings.Repeat("[ /* ] */ ", 1<<20), strings.Repeat(`["]",`, 1<<20)} {
		for _, syntax := range []Syntax{Strict, Comments, Slashes} {
			if _, err := Parse([]byte(s), syntax, "An agent"); err == nil || !strings.Contains(err.Error(), "nested more than 200 levels") {
				t.Errorf("%.20q: %v", s, err)
			}
		}
		if got := Plain([]byte(s)); string(got) != s {
			t.Errorf("%.20q was changed", s)
		}
	}
}
