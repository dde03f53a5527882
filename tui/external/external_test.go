package external

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What an editor does with its file, and how the console finds it afterwards.
func TestRun(t *testing.T) {
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
			r := &Run{ctx: t.Context(), editor: &Editor{Command: tt.editor, Folder: folder, Hold: func() func() {
				held++
				return func() { held-- }
			}}, file: "command.sh", text: "a\n"}
			err := r.Run()
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if r.Got != tt.got || held != 0 {
				t.Errorf("got %q, want %q; held %d", r.Got, tt.got, held)
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
	r := &Run{ctx: ctx, editor: &Editor{Command: script, Folder: folder}, file: "command.sh", text: "a\n"}
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

// TestKeep: texts of calls that ended stay for a week, for this user alone.
func TestKeep(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "edits")
	first, err := keep(folder, "0197-AB/../..%c", "command.sh", "one", time.Now())
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
	second, err := keep(folder, "x", "command.sh", "two", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(left) != 1 || left[0] != second {
		t.Errorf("there are %v, want only %s", left, second)
	}
}
