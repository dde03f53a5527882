package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// installError turns what the install package returns into what a person reads: what
// is wrong, where, and what to do. A mistake of the caller gets its own exit code. An
// error that it does not know, and nil, stay as they are. The install package knows
// nothing of exit codes, so they are given here.
//
// A PathError of a rename or a link names two files; the one that could not be made is
// told.
func installError(err error) error {
	if u, ok := errors.AsType[*install.UsageError](err); ok {
		return usage.Error{Text: u.Text, Hint: u.Hint}
	}
	if s, ok := errors.AsType[*jsonc.SyntaxError](err); ok {
		return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%s:%d:%d: %s", s.Path, s.Line, s.Col, s.Problem), Hint: s.Cure, Cause: err}
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return pathProblem(p, err)
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return pathProblem(&fs.PathError{Op: l.Op, Path: l.New, Err: l.Err}, err)
	}
	return err
}

// pathProblem says why a file could not be read or written. Settings are first written
// to a file beside them, whose name means nothing to the user, so the folder is named
// instead. cause is kept for errors.Is. That nothing was changed is true of each of
// these: files are written whole or not at all.
func pathProblem(p *fs.PathError, cause error) error {
	path, verb := p.Path, "read"
	if strings.Contains(filepath.Base(path), ".aoctl-") || p.Op != "open" && p.Op != "read" && p.Op != "stat" {
		path, verb = filepath.Dir(path), "write in"
	}
	e := exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot %s %s: %v", verb, path, p.Err), Cause: cause}
	switch {
	case errors.Is(p.Err, fs.ErrNotExist):
		e.Text, e.Hint = "there is no folder "+path, "make it first, or correct the path; nothing was changed"
	case errors.Is(p.Err, fs.ErrPermission):
		e.Hint = "see whom it belongs to with: ls -ld " + path + "    Nothing was changed."
	case errors.Is(p.Err, syscall.ENOSPC), errors.Is(p.Err, syscall.EDQUOT):
		e.Hint = "make room on that disk, then run this again; nothing was changed"
	case errors.Is(p.Err, syscall.EROFS):
		e.Hint = "settings that another program manages are changed there; nothing was changed"
	}
	return e
}

// problemText is err as a person reads it, in two lines; the second may be "".
func problemText(err error) (text, hint string) {
	err = installError(err)
	if e, ok := errors.AsType[exit.Error](err); ok {
		return e.Text, e.Hint
	}
	if u, ok := errors.AsType[usage.Error](err); ok {
		return u.Text, u.Hint
	}
	return err.Error(), ""
}
