package state

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/hookclient/install"
)

// Attack: the hook's program is replaced, or a settings file that somebody gave to
// "aoctl install --settings" is overwritten, by a call that a rule allows.
func TestWhatWasInstalledIsGuarded(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("AOCTL_HOME", filepath.Join(dir, "state"))
	settings, program := filepath.Join(dir, "work", "my.json"), filepath.Join(dir, "opt", "aoctl-hook")
	for _, d := range []string{filepath.Dir(settings), filepath.Dir(program)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil { // #nosec G306 -- a program
		t.Fatal(err)
	}
	if _, err := install.Install(install.Options{
		Agent: "claude", Scope: install.File, File: settings, Mode: install.Gate, Timeout: time.Minute, Now: time.Now(),
		Program: install.Program{Path: program, Console: install.Console{Socket: filepath.Join(dir, "s")}},
	}); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(Guarded(""), settings) {
		t.Fatal("it is guarded before it was noted; the test shows nothing")
	}
	if err := NoteInstalled(settings, ""); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "state", installedName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the list: %v, %v", info, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	at := risk.Place{CWD: filepath.Dir(settings), Project: filepath.Dir(settings), Own: Guarded("")}
	for _, path := range []string{settings, "my.json", program, self, filepath.Join(filepath.Dir(self), "aoctl-hook"), filepath.Join(filepath.Dir(self), "aoctl")} {
		if !risk.Guarded(path, at) {
			t.Errorf("%s is not guarded", path)
		}
	}
	if risk.Guarded("other.json", at) {
		t.Error("other.json is guarded")
	}
}
