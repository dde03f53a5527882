package machine

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An agent that never answers is not waited for, nor is one whose child holds the pipe.
func TestAskVersion(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct{ script, want string }{
		"plain":  {"echo 2.1.329 '(Claude Code)'", "2.1.329"},
		"words":  {"echo codex-cli 0.169.0", "0.169.0"},
		"none":   {"echo hello", ""},
		"fails":  {"echo 1.2.3; exit 1", ""},
		"child":  {"echo 1.2.3; sleep 60 &", "1.2.3"},
		"chatty": {"yes 1.2.3 | head -c 1000000", "1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+tc.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			got, err := Version(t.Context(), path)
			if got != tc.want || (err != nil) != (tc.want == "") {
				t.Errorf("got %q, %v, want %q", got, err, tc.want)
			}
		})
	}
	path := filepath.Join(dir, "hangs")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nsleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if v, err := Version(ctx, path); err == nil || time.Since(began) > 20*time.Second {
		t.Errorf("got %q, %v after %v", v, err, time.Since(began))
	}
}
