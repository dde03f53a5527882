package check

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/brokertest/memdir"
	"github.com/aoctl/aoctl/hookclient/install"
)

// home makes an empty home with a working folder, and returns options for the user's settings.
func home(t *testing.T) (install.Options, string) {
	t.Helper()
	dir := memdir.New(t)
	t.TempDir() // so that the next one is not in TMPDIR as it is set below
	t.Setenv("HOME", dir)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	bin := filepath.Join(dir, "aoctl-hook")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp")) // else the program would be a temporary one
	return install.Options{
		Agent: "claude", Mode: install.Gate, Timeout: time.Minute, Program: install.Program{Path: bin, Console: install.Console{Socket: "/run/user/1/aoctl/broker.sock"}},
		Version: "2.1.329", Now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), ManagedDir: filepath.Join(dir, "managed"),
	}, filepath.Join(dir, ".claude", "settings.json")
}

// What aoctl writes around the client.
const (
	gateGuard = " || { test $? -eq 2 || echo 'aoctl: hook client failed, call refused' >&2; exit 2; }"
	shut      = "; }"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func installed(t *testing.T, o install.Options) install.Report {
	t.Helper()
	r, err := install.Install(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// hookOn is a settings text with one hook.
func hookOn(event, command string) string {
	return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
}
