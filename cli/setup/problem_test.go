package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// A person hears what is wrong, where, and what to do; names of temporary files and of
// system calls mean nothing to them.
func TestInstallErrorsForAPerson(t *testing.T) {
	for name, tt := range map[string]struct {
		err        error
		text, hint string
	}{
		"no folder": {
			fmt.Errorf("write settings: %w", &fs.PathError{Op: "open", Path: "/a/.s.json.aoctl-12", Err: fs.ErrNotExist}),
			"there is no folder /a", "make it first",
		},
		"no permission": {
			&fs.PathError{Op: "open", Path: "/a/.s.json.aoctl-12", Err: fs.ErrPermission},
			"cannot write in /a: permission denied", "ls -ld /a",
		},
		"unreadable": {&fs.PathError{Op: "open", Path: "/a/s.json", Err: fs.ErrPermission}, "cannot read /a/s.json", "ls -ld /a/s.json"},
		"broken": {
			&jsonc.SyntaxError{Path: "/a/s.json", Line: 2, Col: 1, Problem: "the file ends too early", Cure: "correct it"},
			"/a/s.json:2:1: the file ends too early", "correct it",
		},
	} {
		got, ok := errors.AsType[exit.Error](installError(tt.err))
		if !ok || !strings.HasPrefix(got.Text, tt.text) || !strings.Contains(got.Hint, tt.hint) || strings.Contains(got.Text, "12") {
			t.Errorf("%s: got %q, %q", name, got.Text, got.Hint)
		}
	}
}
