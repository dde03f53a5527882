package check

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/installtest"
)

// home makes an empty home with a working folder, and returns options for the user's settings.
func home(t *testing.T) (install.Options, string) {
	t.Helper()
	dir, bin := installtest.Home(t)
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

func installed(t *testing.T, o install.Options) install.Report {
	t.Helper()
	r, err := install.Install(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
