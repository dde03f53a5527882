package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestPagerCommand(t *testing.T) {
	for pager, want := range map[string]string{"": "", "cat": "", " ": "", "more -s": "more -s"} {
		t.Setenv("PAGER", pager)
		if got := pagerCommand(); got != want {
			t.Errorf("PAGER=%q: %q, want %q", pager, got, want)
		}
	}
	if err := os.Unsetenv("PAGER"); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	if got := pagerCommand(); got != "" {
		t.Errorf("without less: %q", got)
	}
	if err := os.WriteFile(filepath.Join(bin, "less"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := pagerCommand(); got != "less -R" {
		t.Errorf("with less: %q", got)
	}
}

// Whoever redirects the output gets the text, and no pager waits for a key.
func TestPagePrintsInAPipe(t *testing.T) {
	t.Setenv("PAGER", "false")
	var out bytes.Buffer
	if err := Page(t.Context(), &out, "text\n"); err != nil || out.String() != "text\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// A pager that is left early has shown the text; one that does not exist has not.
func TestRunPager(t *testing.T) {
	long := string(bytes.Repeat([]byte("a line\n"), 100_000))
	for pager, want := range map[string]bool{"cat": true, "head -n 1": true, "aoctl-no-such-pager": false} {
		var out bytes.Buffer
		if got := runPager(t.Context(), pager+" 2>/dev/null", &out, long); got != want {
			t.Errorf("%s: shown %v, want %v", pager, got, want)
		}
		if pager == "cat" && out.String() != long {
			t.Errorf("the pager got %d bytes of %d", out.Len(), len(long))
		}
	}
}
