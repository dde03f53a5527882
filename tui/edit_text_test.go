package tui

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
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

// What an editor does with its file, and how the console finds it afterwards.
func TestEditRun(t *testing.T) {
	for _, tt := range []struct {
		name, editor, got string
		err               string
	}{
		{"changes it", `sed -i s/a/b/`, "b\n", ""},
		{"writes anew", `f() { printf 'c\n' >"$1.new" && mv "$1.new" "$1"; }; f`, "c\n", ""},
		{"fails", `false`, "a\n", "failed: exit status 1"},
		{"changes it and fails", `f() { echo x >"$1"; exit 3; }; f`, "x\n", "failed: exit status 3"},
		{"is not there", `/nowhere/vi`, "a\n", "failed: "},
		{"deletes it", `rm`, "a\n", "left no file"},
		{"leaves a link", `f() { rm "$1"; ln -s /etc/passwd "$1"; }; f`, "a\n", "cannot be used"},
		{"leaves a pipe", `f() { rm "$1"; mkfifo "$1"; }; f`, "a\n", "cannot be used"},
		{"leaves too much", `f() { head -c 5000000 /dev/zero >"$1"; }; f`, "a\n", "longer than 4 MiB"},
		{"is private", `f() { ls -ld "$(dirname "$1")" "$1" | cut -c1-10 | tr '\n' ' ' >out; pwd | grep -q edit- && mv out "$1"; }; f`, "drwx------ -rw------- ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "edits")
			held := 0
			r := &editRun{ctx: t.Context(), command: tt.editor, folder: folder, file: "command.sh", text: "a\n", hold: func() func() {
				held++
				return func() { held-- }
			}}
			err := r.Run()
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if r.got != tt.got || held != 0 {
				t.Errorf("got %q, want %q; held %d", r.got, tt.got, held)
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("left %v, %v", left, err)
			}
		})
	}
}

// When the console ends, the editor ends with it, and what was written by then stays.
func TestConsoleEndsWhileEditing(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "edits")
	script := filepath.Join(t.TempDir(), "editor")
	started := filepath.Join(t.TempDir(), "started")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho written >\"$1\"\ntouch "+started+"\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &editRun{ctx: ctx, command: script, folder: folder, file: "command.sh", text: "a\n"}
	done := make(chan error, 1)
	go func() { done <- r.Run() }()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(started); err == nil || time.Now().After(end) {
			break
		}
	}
	cancel()
	select {
	case err := <-done:
		if err == nil {
			t.Error("the editor was killed, and that is no error")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the editor goes on without a console")
	}
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(left) != 1 {
		t.Fatalf("left are %v", left)
	}
	if text, err := os.ReadFile(left[0]); err != nil || string(text) != "written\n" {
		t.Errorf("left is %q, %v", text, err)
	}
}

// TestKeepEdited: texts of calls that ended stay for a week, for this user alone.
func TestKeepEdited(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "edits")
	first, err := keepEdited(folder, "0197-AB/../..%c", "command.sh", "one", time.Now())
	if err != nil || filepath.Dir(first) != folder {
		t.Fatalf("kept in %s, %v", first, err)
	}
	if info, err := os.Stat(first); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("kept as %v, %v", info, err)
	}
	old := time.Now().Add(-8 * 24 * time.Hour)
	if err := os.Chtimes(first, old, old); err != nil {
		t.Fatal(err)
	}
	second, err := keepEdited(folder, "x", "command.sh", "two", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(left) != 1 || left[0] != second {
		t.Errorf("there are %v, want only %s", left, second)
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
