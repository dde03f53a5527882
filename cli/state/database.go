package state

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// OpenStore opens the database and says what to do when it cannot be used. The file stays
// as it was. It is for the process that holds the console's lock, since the store keeps in
// memory how the log ends. The caller closes it.
func OpenStore(ctx context.Context, log *slog.Logger) (*store.Store, error) {
	path, err := paths.Database()
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, path, store.WithLog(log))
	if err != nil {
		return nil, explainStore(path, err)
	}
	return st, nil
}

// explainStore turns a store's error into a sentence with a cure. The store knows the cure
// of its own errors; anything else is told as it is. A missing database exits with
// exit.NotFound.
func explainStore(path string, err error) error {
	bad, ok := errors.AsType[*store.OpenError](err)
	if !ok {
		return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("cannot open the database %s: %v", path, err), Cause: err}
	}
	code := exit.Failed
	if errors.Is(err, store.ErrMissing) {
		code = exit.NotFound
	}
	return exit.Error{Code: code, Text: fmt.Sprintf("cannot open the database %s: %v", bad.Path, bad.Err), Hint: bad.Cure, Cause: err}
}

// OpenReader opens the database for reading only, with or without a console. It makes no
// file where there is none: the error is exit.NotFound then, and errors.Is finds
// store.ErrMissing in it.
func OpenReader(ctx context.Context) (*store.Reader, error) {
	path, err := paths.Database()
	if err != nil {
		return nil, err
	}
	r, err := store.OpenReadOnly(ctx, path)
	switch {
	case errors.Is(err, store.ErrMissing):
		return nil, exit.Error{
			Code: exit.NotFound, Text: fmt.Sprintf("nothing was recorded yet: there is no database %s", path),
			Hint: `start a console once with "aoctl"`, Cause: err,
		}
	case err != nil:
		return nil, explainStore(path, err)
	}
	return r, nil
}

// OpenReaderAt is OpenReader for the file named: a backup, or an archive of the log. "" is
// aoctl's own database. Errors of a file that was named are those of ExplainNamed.
func OpenReaderAt(ctx context.Context, named string) (*store.Reader, error) {
	if named == "" {
		return OpenReader(ctx)
	}
	r, err := store.OpenReadOnly(ctx, named)
	if err != nil {
		return nil, ExplainNamed(named, err)
	}
	return r, nil
}

// ExplainNamed says why a file that the user named is not read as a record. It may be any
// file of theirs, so it never says what the store says of aoctl's own: to move the file
// away. Any other error, and one about aoctl's own database (""), stays as it is.
//
// It is for errors of reading as well as of opening, since a damaged file may show only
// then.
func ExplainNamed(path string, err error) error {
	bad, ok := errors.AsType[*store.OpenError](err)
	if path == "" || !ok {
		return err
	}
	said := exit.Error{
		Code: exit.Failed, Text: fmt.Sprintf("cannot read %s: %v", path, bad.Err), Cause: err,
		Hint: "name a backup, or an archive of the log",
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		said.Code, said.Text = exit.NotFound, "there is no file "+path
	case errors.Is(err, store.ErrMissing):
		said.Code, said.Text = exit.NotFound, path+" is no record of aoctl: it is empty"
	case errors.Is(err, store.ErrNoDatabase), errors.Is(err, store.ErrNotOurs):
		said.Text = path + " is no record of aoctl"
	case errors.Is(err, store.ErrTooNew):
		said.Hint = "update aoctl"
	case errors.Is(err, store.ErrBusy):
		said.Hint = bad.Cure
	}
	return said
}

// ArchiveDir is where archives go unless another folder is named. It need not exist.
func ArchiveDir() (string, error) {
	dir, err := paths.StateDir()
	return filepath.Join(dir, "archive"), err
}

// NoteArchived tells on stderr that what was asked for, from since on, is not all there
// was: older calls are in archives. since may be zero, for all there is. With no archive,
// or with one that is older than since, it says nothing.
func NoteArchived(ctx context.Context, r *store.Reader, since time.Time, stderr io.Writer) error {
	list, err := r.Archives(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	last := list[len(list)-1]
	// Everything before BeforeMS may be in an archive. An archive that does not say it is
	// told of anyway.
	if last.BeforeMS > 0 && since.UnixMilli() >= last.BeforeMS {
		return nil
	}
	_, err = fmt.Fprintf(stderr, "aoctl: older calls, events 1 to %d, are in %s; see one with: aoctl log --archive %s\n",
		last.To, figures.Plural(len(list), "archive"), safe.Line(last.File))
	return err
}
