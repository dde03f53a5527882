// Package state is what aoctl keeps on this machine, as commands use it: the state folder
// and its log file, the lock of a console, the list of what was installed where, and the
// database.
//
// The folder is private. Prepare makes it, and refuses one that is a link, somebody else's
// or open to others. The database is opened to be written by the console alone (OpenStore);
// commands read it, with or without a console (OpenReader), and a database that is not
// there, is newer than this program or was changed gets an error with a cure.
//
// WithRules reads what a command without a console can know of the rules: the Rulebook of
// the log and of the project's own file. Guarded lists all files of aoctl's own, its
// programs and the settings that it wrote, which no rule may let an agent touch.
//
// Tally and Spending are the figures of "aoctl stats" and of the console's own screen of
// them. Where the files lie is for hookclient/paths to say; nothing here decides about
// calls. Open folder.go first, then database.go.
package state

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"github.com/aoctl/aoctl/cli/exit"
)

// StartedMsg is the line in the program's log by which aoctl doctor tells what runs.
// Changing it hides consoles of other releases from doctor.
const StartedMsg = "console started"

// MaxLogFile is the size at which aoctl.log is set aside as aoctl.log.1, bytes. An older .1
// goes.
const MaxLogFile = 8 << 20

// Prepare makes sure that dir is a private folder of this user that can be written to, and
// creates it when there is none. What it refuses it leaves as it is. Whoever could write
// there could exchange the database or the socket beneath the console.
func Prepare(dir string) error {
	// A link is not followed: what it leads to may be changed by somebody else at any time.
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			info, err = os.Lstat(dir)
		}
	}
	if err != nil {
		return badStateDir(dir, fmt.Sprintf("cannot be created or read (%v)", exit.RootCause(err)), "make it possible, or name another", err)
	}
	if info.Mode().Type() == fs.ModeSymlink {
		return badStateDir(dir, "is a symbolic link", "name the folder itself", nil)
	}
	if !info.IsDir() {
		return badStateDir(dir, "is not a folder", "move it away, or name another", nil)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return badStateDir(dir, fmt.Sprintf("belongs to user %d", st.Uid), "name a folder of your own", nil)
	}
	if err := closeToOthers(dir, info.Mode().Perm()); err != nil {
		return err
	}
	return tryWriting(dir)
}

// closeToOthers takes away what others may do in dir. Where they could have put files
// already, a person has to look first; where they could only read, closing it is enough.
func closeToOthers(dir string, perm fs.FileMode) error {
	switch {
	case perm&0o022 != 0:
		return badStateDir(dir, fmt.Sprintf("can be written by others (mode %04o)", perm), "look what is in it, then: chmod 700 "+dir+" — or name another", nil)
	case perm&0o077 == 0:
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder needs its x bit
		return badStateDir(dir, fmt.Sprintf("can be read by others (mode %04o)", perm), "chmod 700 "+dir, err)
	}
	return nil
}

// tryWriting finds out by trying: modes say nothing of a full disk or a read-only one.
func tryWriting(dir string) error {
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return badStateDir(dir, fmt.Sprintf("cannot be written (%v)", exit.RootCause(err)), "make room or make it writable, or name another", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// badStateDir is the error for a state folder that cannot be used. cure goes before "with
// AOCTL_HOME …".
func badStateDir(dir, what, cure string, cause error) error {
	return exit.Error{
		Code: exit.Failed, Text: fmt.Sprintf("the state folder %s %s", dir, what),
		Hint: cure + " with AOCTL_HOME or XDG_STATE_HOME", Cause: cause,
	}
}

// Replace puts data in the place of a file, for this user's eyes only, whole or not at all.
// A link in its place is replaced, not followed. After a crash the file is the old one or
// the new one.
func Replace(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already when all went well
	_, err = temp.Write(data)
	if err == nil {
		// Without this the name could outlive the bytes when the machine loses power.
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// ShortFolder makes a temporary folder of this user's alone, with a path that leaves room
// for a socket's: no system takes a long one. The caller removes it.
func ShortFolder(prefix string) (string, error) {
	const most = 80 // of the 103 bytes that every system takes
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(parent, prefix)
		if err != nil || len(dir) <= most {
			return dir, err
		}
		if err := os.Remove(dir); err != nil {
			return "", err
		}
	}
	return "", exit.Error{Code: exit.Failed, Text: "no temporary folder has a short enough path for a socket", Hint: "set TMPDIR to a shorter one"}
}

// OpenLog opens the program's own log for appending, for this user's eyes only. A link in
// its place is refused, and so is anything but a file. The caller closes the file.
func OpenLog(path string) (*slog.Logger, *os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() > MaxLogFile {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, nil, badLog(path, err)
		}
	}
	// A pipe in its place would otherwise hold up the start until somebody reads.
	f, err := os.OpenFile(filepath.Clean(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, nil, badLog(path, err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, nil, badLog(path, errors.New("not a regular file"))
	}
	return slog.New(slog.NewJSONHandler(f, nil)), f, nil
}

// badLog is the error for a log that cannot be written. A console without a log does not
// start: nobody could find out later what went wrong.
func badLog(path string, err error) error {
	return exit.Error{
		Code: exit.Failed, Text: fmt.Sprintf("cannot write the program's log %s: %v", path, exit.RootCause(err)),
		Hint: "move it away, or name another state folder with AOCTL_HOME", Cause: err,
	}
}
