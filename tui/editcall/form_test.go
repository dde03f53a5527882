package editcall

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

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
		{"Makefile", "Write", `{"file_path":"/x/Makefile","content":"a:\n"}`, "content.mk", "a:\n", "b:\n", `{"file_path":"/x/Makefile","content":"b:\n"}`, ""},
		{"empty file", "Write", `{"file_path":"/x/a.py","content":""}`, "content.py", "", "x = 1\n", `{"file_path":"/x/a.py","content":"x = 1\n"}`, ""},
		{"edit", "Edit", `{"file_path":"/x/a.go","old_string":"a \u003c b","new_string":"a \u003e\tb","replace_all":false}`, "new.go", "a >\tb\n", "a >=\tb\n", `{"file_path":"/x/a.go","old_string":"a \u003c b","new_string":"a >=\tb","replace_all":false}`, ""},
		{"edit, looked at", "Edit", `{"file_path":"/x/a.go","old_string":"a","new_string":"b\u003e"}`, "new.go", "b>\n", "b>\n", "", ""},
		{"edit of whole lines", "Edit", `{"file_path":"/x/a.go","old_string":"a\n","new_string":"b\n"}`, "new.go", "b\n", "c\n", `{"file_path":"/x/a.go","old_string":"a\n","new_string":"c\n"}`, ""},
		{"edit, last break taken away", "Edit", `{"file_path":"/x/a.go","old_string":"a\n","new_string":"b\n"}`, "new.go", "b\n", "b", `{"file_path":"/x/a.go","old_string":"a\n","new_string":"b"}`, ""},
		{"edit, a break put there", "Edit", `{"file_path":"/x/a.go","old_string":"a","new_string":"b"}`, "new.go", "b\n", "b\n\n", `{"file_path":"/x/a.go","old_string":"a","new_string":"b\n"}`, ""},
		{"edit that takes words out", "Edit", `{"file_path":"/x/a.go","old_string":"a","new_string":""}`, "new.go", "\n", "b\n", `{"file_path":"/x/a.go","old_string":"a","new_string":"b"}`, ""},
		{"edit that takes words out, looked at", "Edit", `{"file_path":"/x/a.go","old_string":"a","new_string":""}`, "new.go", "\n", "\n", "", ""},
		{"edit that takes lines out", "Edit", `{"file_path":"/x/a.go","old_string":"a\n","new_string":""}`, "new.go", "", "b\n", `{"file_path":"/x/a.go","old_string":"a\n","new_string":"b\n"}`, ""},
		{"edit, breaks of Windows", "Edit", `{"file_path":"a.bat","old_string":"a","new_string":"b\r\nc"}`, "new.bat", "b\r\nc\r\n", "b\r\nd\r\n", `{"file_path":"a.bat","old_string":"a","new_string":"b\r\nd"}`, ""},
		{"edit, breaks of Windows, looked at", "Edit", `{"file_path":"a.bat","old_string":"a","new_string":"b\r\nc"}`, "new.bat", "b\r\nc\r\n", "b\r\nc\n", "", ""},
		{"edit, mixed breaks", "Edit", `{"file_path":"a.bat","old_string":"a","new_string":"b\r\nc\nd\r"}`, "new.bat", "b\r\nc\nd\r\n", "b\r\nc\nd\r\n", "", ""},
		{"edit without a path", "Edit", `{"old_string":"a","new_string":"b"}`, "new.txt", "b\n", "c\n", `{"old_string":"a","new_string":"c"}`, ""},
		{"cell", "NotebookEdit", `{"notebook_path":"/x/a.ipynb","cell_id":"c1","new_source":"a = 1","edit_mode":"replace"}`, "cell.py", "a = 1\n", "a = 2\n", `{"notebook_path":"/x/a.ipynb","cell_id":"c1","new_source":"a = 2","edit_mode":"replace"}`, ""},
		{"cell of words", "NotebookEdit", `{"notebook_path":"/x/a.ipynb","cell_type":"markdown","new_source":"# a"}`, "cell.md", "# a\n", "# b\n", `{"notebook_path":"/x/a.ipynb","cell_type":"markdown","new_source":"# b"}`, ""},
		{"cell that is taken out", "NotebookEdit", `{"notebook_path":"a","new_source":"","edit_mode":"delete"}`, "input.json", "{\n  \"notebook_path\": \"a\",\n  \"new_source\": \"\",\n  \"edit_mode\": \"delete\"\n}\n", `{"notebook_path":"b","new_source":"","edit_mode":"delete"}`, `{"notebook_path":"b","new_source":"","edit_mode":"delete"}`, ""},
		{"several edits", "MultiEdit", `{"edits":[]}`, "input.json", "{\n  \"edits\": []\n}\n", `{"edits":[1]}`, `{"edits":[1]}`, ""},
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

// In the words of another agent the same parameter is edited.
func TestEditFormOfAnotherAgent(t *testing.T) {
	f, err := newEditForm(broker.Request{Agent: "opencode", ToolName: "edit", ToolInput: json.RawMessage(`{"filePath":"/a/b.rs","oldString":"x","newString":"y"}`)})
	if err != nil || f.file != "new.rs" || f.text() != "y\n" {
		t.Fatalf("the editor gets %s with %q, %v", f.file, f.text(), err)
	}
	if got, _, err := f.read("z\n"); err != nil || string(got) != `{"filePath":"/a/b.rs","oldString":"x","newString":"z"}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// A text that the editor is given and leaves as it is, or leaves without the break that it was given,
// is the text that was asked, byte for byte.
func TestUntouchedTextIsTheSame(t *testing.T) {
	for _, tool := range []string{"Bash", "Write", "Edit", "NotebookEdit"} {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringOf(rapid.SampledFrom([]rune("ab \t\r\n\ufeffé"))).Draw(t, "text")
			old := rapid.SampledFrom([]string{"x", "x\n"}).Draw(t, "old")
			input, err := json.Marshal(map[string]string{bareParams[tool][0]: text, "old_string": old})
			if err != nil {
				t.Fatal(err)
			}
			f, err := newEditForm(broker.Request{ToolName: tool, ToolInput: input})
			if err != nil {
				t.Fatal(err)
			}
			for _, left := range []string{f.text(), strings.TrimSuffix(f.text(), f.added)} {
				if got, same, err := f.read(left); err != nil || !same {
					t.Fatalf("%q came back as %s, same %v, %v", left, got, same, err)
				}
			}
		})
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
