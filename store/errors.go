package store

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"

	"github.com/aoctl/aoctl/broker"
)

// What callers of this package may test for, beside broker's own.
var (
	ErrMissing      = errors.New("there is no database yet")                         // OpenReadOnly only
	ErrTooNew       = errors.New("the database was written by a newer aoctl")        // its schema is unknown here
	ErrCorrupt      = errors.New("the database is damaged")                          //
	ErrNoDatabase   = fmt.Errorf("%w: it is no database", ErrCorrupt)                // something else, or its first page is lost
	ErrNotOurs      = errors.New("the file is another program's or another user's")  //
	ErrArchive      = errors.New("it is an archive, which only shows what happened") // to be opened read-only
	ErrUnwritable   = errors.New("the database cannot be written")                   // permissions, read-only disk
	ErrBusy         = errors.New("another program holds the database")               // its lock was not released in time
	ErrForeignWrite = errors.New("another program wrote to the log")                 // Record refuses until reopened
	ErrMoved        = errors.New("the database was moved or deleted while in use")   // Record refuses until it is back, or reopened
	ErrClosed       = errors.New("the store is closed")                              //
	ErrUnknown      = errors.New("it is not known whether the change was recorded")  // Record's context ended too late
	ErrStopped      = errors.New("the change was not recorded: its caller gave up")  // Record's context ended before its turn came
	errNoRow        = errors.New("no row")                                           // of conn.row
	errBusyCheck    = errors.New("readers are in the way of a checkpoint")           // of heal
	errNoWAL        = errors.New("the file system does not allow a write-ahead log") //
	errHead         = fmt.Errorf("%w: the log is not as long as it was", broker.ErrTampered)
	errSchemaExtra  = errors.New("it has triggers or views, which aoctl does not make") //
)

// OpenError says why a database was not opened and what a person can do. The file is
// as it was.
type OpenError struct {
	Path string
	Err  error  // wraps one of the sentinels
	Cure string // a sentence for the user
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("open database %s: %v; %s", e.Path, e.Err, e.Cure)
}

func (e *OpenError) Unwrap() error { return e.Err }

// openError puts path, sentinel and cure to whatever kept a database from being opened.
func openError(path string, err error) error {
	var done *OpenError
	if err == nil || errors.As(err, &done) {
		return err
	}
	err = translate(err)
	cure, _ := cureFor(err)
	return &OpenError{Path: path, Err: err, Cure: cure}
}

// readError does the same to an error met while reading, where it is about the file
// and not about what was looked for.
func readError(path string, err error) error {
	err = translate(err)
	var done *OpenError
	if cure, known := cureFor(err); known && !errors.As(err, &done) {
		return &OpenError{Path: path, Err: err, Cure: cure}
	}
	return err
}

// cureFor is what a person can do about err.
func cureFor(err error) (cure string, known bool) {
	for _, c := range []struct {
		is   error
		cure string
	}{
		{ErrTooNew, "update aoctl, or move the file away to start with an empty one"},
		{ErrCorrupt, "move the file and its -wal and -shm neighbours away to start with an empty one"},
		{ErrNotOurs, "move it away, or set AOCTL_HOME to another folder"},
		{ErrArchive, `look at it with "aoctl log --archive"; put a backup in its place, or move it away to start with an empty one`},
		{ErrUnwritable, "make the file and its folder writable for you, or set AOCTL_HOME to another folder"},
		{ErrBusy, "close the program that uses it, then start again"},
		{ErrMissing, `start a console once with "aoctl"`},
		{errHead, `see "aoctl log verify"; move the file away to start with an empty one`},
	} {
		if errors.Is(err, c.is) {
			return c.cure, true
		}
	}
	return "see that its disk works and has room", false
}

// translate puts our sentinel before the driver's error, by its code.
func translate(err error) error {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return err
	}
	switch se.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case sqlite3.ErrNotADB:
		return fmt.Errorf("%w: %w", ErrNoDatabase, err)
	case sqlite3.ErrCorrupt:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm:
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return err
}

// ownFault reports whether err is about the one change that met it, and the others would
// go without it: a constraint or a value SQLite does not take.
func ownFault(err error) bool {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return true // one of our own sentinels
	}
	return se.Code == sqlite3.ErrConstraint || se.Code == sqlite3.ErrTooBig || se.Code == sqlite3.ErrMismatch
}

// taken reports whether err says that a key or id is in use.
func taken(err error) bool {
	var se sqlite3.Error
	return errors.As(err, &se) &&
		(se.ExtendedCode == sqlite3.ErrConstraintUnique || se.ExtendedCode == sqlite3.ErrConstraintPrimaryKey)
}
