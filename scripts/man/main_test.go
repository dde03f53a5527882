package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli"
)

// TestPages: each command that is listed has a page with its example, each short name leads to
// one, and nothing else has a page.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	root := cli.NewRoot()
	if err := write(root, dir); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.IsAvailableCommand() && c.Name() != "help" {
			want[page(c.CommandPath())] = true
			checkPage(t, filepath.Join(dir, page(c.CommandPath())), c)
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(root)
	if text := read(t, filepath.Join(dir, "aoctl-stop.1")); text != ".so man1/aoctl-session-stop.1\n" {
		t.Errorf("the page of aoctl stop is %q", text)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		lead, short := strings.CutPrefix(read(t, filepath.Join(dir, f.Name())), ".so man1/")
		if !want[f.Name()] && (!short || !want[strings.TrimSpace(lead)]) {
			t.Errorf("%s is the page of no command that is listed", f.Name())
		}
	}
}

func checkPage(t *testing.T, path string, c *cobra.Command) {
	t.Helper()
	text := read(t, path)
	for _, part := range []string{".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXAMPLE"} {
		if !strings.Contains(text, part) {
			t.Errorf("the page of %s has no %s", c.CommandPath(), part)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
