package editcall

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/tuitest"
)

func TestEditForm(t *testing.T) {
	for _, tt := range []struct {
		name, tool, input string
		file, text        string
		back              string // what the editor leaves
		want              string // the new input; "" for the same as before
		err               string
	}{
		{"command", "Bash", `{"timeout":1e3, "command":"a < b"}`, "command.sh", "a < b\n", "a < c\n", `{"timeout":1e3,"command":"a < c"}`, ""},
		{"command without its break", "Bash", `{"command":"a"}`, "command.sh", "a\n", "b", `{"command":"b"}`, ""},
		{"command with a break", "Bash", `{"command":"a\n"}`, "command.sh", "a\n", "b\n", `{"command":"b\n"}`, ""},
		{"only the break", "Bash", `{"command":"a"}`, "command.sh", "a\n", "a", "", ""},
		{"nothing changed", "Bash", `{ "command" : "\u0061" }`, "command.sh", "a\n", "a\n", "", ""},
		{"a mark of the editor", "Bash", `{"command":"a"}`, "command.sh", "a\n", "\ufeffb\n", `{"command":"b"}`, ""},
		{"empty", "Bash", `{"command":"a"}`, "command.sh", "a\n", "", `{"command":""}`, ""},
		{"no UTF-8", "Bash", `{"command":"a"}`, "command.sh", "a\n", "\xff\n", "", "UTF-8"},
		{"a NUL", "Bash", `{"command":"a"}`, "command.sh", "a\n", "a\x00b\n", "", "NUL"},
		{"file", "Write", `{"file_path":"/x/main.tf","content":"one\ntwo\n"}`, "content.tf", "one\ntwo\n", "one\n", `{"file_path":"/x/main.tf","content":"one\n"}`, ""},
		{"file of an odd name", "Write", `{"file_path":"/x/a.b/../c.$(id)","content":"x"}`, "content.txt", "x\n", "y\n", `{"file_path":"/x/a.b/../c.$(id)","content":"y"}`, ""},
		{"no text", "Bash", `{"command":["a"]}`, "input.json", "{\n  \"command\": [\n    \"a\"\n  ]\n}\n", `{"command":["b"]}`, `{"command":["b"]}`, ""},
		{"JSON", "mcp__x__y", `{"n":9007199254740993,"s":"a\u202e"}`, "input.json", "{\n  \"n\": 9007199254740993,\n  \"s\": \"a\\u202e\"\n}\n", "{\"n\":9007199254740994,\n\"s\":\"b\"}", `{"n":9007199254740994,"s":"b"}`, ""},
		{"JSON, only blanks", "mcp__x__y", `{"n":1}`, "input.json", "{\n  \"n\": 1\n}\n", " {\"n\"\n: 1} ", "", ""},
		{"JSON, twice", "mcp__x__y", `{"n":1}`, "input.json", "{\n  \"n\": 1\n}\n", "{\n\"n\":1,\n\"n\":2}", "", "line 3: "},
		{"JSON, emptied", "mcp__x__y", `{"n":1}`, "input.json", "{\n  \"n\": 1\n}\n", "\n", "", "it is empty"},
		{"JSON, a list", "mcp__x__y", `{"n":1}`, "input.json", "{\n  \"n\": 1\n}\n", "[]", "", "line 1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := newEditForm(tuitest.NewCall("r", "s", tt.tool, time.Now(), tt.input))
			if err != nil {
				t.Fatal(err)
			}
			if f.file != tt.file || f.text() != tt.text {
				t.Errorf("the editor gets %s with %q, want %s with %q", f.file, f.text(), tt.file, tt.text)
			}
			got, same, err := f.read(tt.back)
			switch {
			case tt.err != "":
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %q", err, tt.err)
				}
			case err != nil || same != (tt.want == "") || tt.want != "" && string(got) != tt.want:
				t.Errorf("got %s, same %v, %v; want %s", got, same, err, tt.want)
			}
		})
	}
	if _, err := newEditForm(broker.Request{ToolName: "Bash", ToolInput: json.RawMessage(`{"a":1,"a":2}`)}); err == nil {
		t.Error("an ambiguous input was given to an editor")
	}
}

func TestDifference(t *testing.T) {
	got := callview.Difference([]byte(`{"command":"npm test","timeout":1,"gone":"x"}`), []byte(`{"command":"npm test -- --ci","timeout":1,"new":["y"]}`))
	want := "--- command\n+++ command\n@@ -1 +1 @@\n-npm test\n+npm test -- --ci\n" +
		"--- gone\n+++ gone\n@@ -1 +0,0 @@\n-x\n--- new\n+++ new\n@@ -0,0 +1 @@\n+[\"y\"]\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
