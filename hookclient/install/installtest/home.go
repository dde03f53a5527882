// Package installtest is what tests of agents' settings share: a home of their own, and files
// in it. Only tests import it. Settings of the machine that runs the tests are never touched:
// HOME is set before anything looks for them. Tests of install, of check and of commands begin
// with Home, put settings in place with Put, and read with Read what became of them.
package installtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker/brokertest/memdir"
)

// Home makes an empty home with a working folder, which becomes the current one, and in it a
// program that stands for the hook client. HOME, TMPDIR and the working folder are set for the
// test, which therefore must not run in parallel. The program does nothing: what a hook does is
// tried elsewhere.
func Home(t *testing.T) (dir, program string) {
	t.Helper()
	dir = memdir.New(t)
	t.TempDir() // so that the next one is not in TMPDIR as it is set below
	t.Setenv("HOME", dir)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	program = filepath.Join(dir, "aoctl-hook")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp")) // else the program would be a temporary one
	return dir, program
}

// Put writes a file, with its folder. The folder is made with it, as far as it is missing.
func Put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Read is the text of a file. The test ends when it cannot be read.
func Read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path) //nolint:gosec // a test's own file
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// HookOn is a settings text with one hook. command must need no escaping in JSON.
func HookOn(event, command string) string {
	return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
}
