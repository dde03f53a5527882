package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aoctl/aoctl/cli/exit"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
)

// What is checked without --full, and when a disk is nearly full.
const (
	quickCheckBelow = 256 << 20 // bytes of the database
	verifyBelow     = 50_000    // events
	verifyTail      = 10_000    // events, of a longer log
	checkTime       = time.Minute
	fullTime        = time.Hour
	spaceWarn       = 500 << 20 // bytes
	spaceFail       = 50 << 20
	walWarn         = 256 << 20
)

// database looks at what was recorded, and whether more can be. The space is looked at
// in any case: a full disk is the likeliest reason for a record that cannot be read.
// It reads only. What is wrong with the folder keeps it from looking at the files in
// it.
func (e *examination) database(ctx context.Context, o options) {
	dir, err := paths.StateDir()
	if err != nil {
		e.add(agentcheck.Fail, "state folder", "set HOME or AOCTL_HOME", "%v", paths.ErrNoHome)
		return
	}
	if e.stateFolder(dir) {
		e.stateFiles(dir)
		e.recorded(ctx, o)
	}
	e.space("space for state", dir)
	if o.socket != "" && filepath.Dir(o.socket) != dir {
		e.space("space for socket", filepath.Dir(o.socket))
	}
}

// stateFolder checks that the state folder is a real folder of this user's, open to
// nobody else. It is false when there is nothing in it to look at further. It refuses
// what a console would refuse, in the same order. A folder that is not there yet is no
// fault; the first console makes it.
func (e *examination) stateFolder(dir string) bool {
	info, err := os.Lstat(dir)
	const cure = "name another with AOCTL_HOME or XDG_STATE_HOME"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add(agentcheck.Skipped, "state folder", "", "there is no %s yet", dir)
		return false
	case err != nil:
		e.add(agentcheck.Fail, "state folder", cure, "cannot look at %s: %v", dir, exit.RootCause(err))
		return false
	case info.Mode().Type() == fs.ModeSymlink:
		e.add(agentcheck.Fail, "state folder", "name the folder itself with AOCTL_HOME or XDG_STATE_HOME", "%s is a symbolic link", dir)
		return false
	case !info.IsDir():
		e.add(agentcheck.Fail, "state folder", "move it away, or "+cure, "%s is not a folder", dir)
		return false
	case ownerOf(info) != os.Geteuid():
		e.add(agentcheck.Fail, "state folder", cure, "%s belongs to user %d", dir, ownerOf(info))
		return false
	}
	e.mode("state folder", dir, info, 0o700)
	return true
}

// stateFiles looks at the modes of the files that hold what was asked. Those that are
// well are told in one line together, since nobody needs to read five. A file that is
// not there is passed over: which of them exist depends on how the last console ended.
func (e *examination) stateFiles(dir string) {
	good := 0
	for _, name := range []string{"aoctl.db", "aoctl.db-wal", "aoctl.db-shm", "aoctl.log", "aoctl.log.1"} {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			e.add(agentcheck.Fail, "file", "see that you may read it", "cannot look at %s: %v", path, exit.RootCause(err))
		case !info.Mode().IsRegular():
			e.add(agentcheck.Fail, "file", "move it away", "%s is not a regular file", path)
		case ownerOf(info) != os.Geteuid():
			e.add(agentcheck.Fail, "file", "move it away", "%s belongs to user %d", path, ownerOf(info))
		case info.Mode().Perm()&0o077 != 0:
			e.mode("file", path, info, 0o600)
		default:
			good++
		}
	}
	if good > 0 {
		e.add(agentcheck.OK, "files", "", "%s in the state folder, nobody else may read them", figures.Plural(good, "file"))
	}
}

// recorded opens the database as aoctl log does: it cannot change anything there. The
// time that the checks may take is bounded, as a console may write meanwhile; --full
// gives them an hour. A database of a newer aoctl, and one that is no database, are
// failures with the store's own cure.
func (e *examination) recorded(ctx context.Context, o options) {
	path, err := paths.Database()
	if err != nil {
		return // said already
	}
	limit := checkTime
	if o.full {
		limit = fullTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := store.OpenReadOnly(ctx, path)
	switch {
	case errors.Is(err, store.ErrMissing):
		e.add(agentcheck.Skipped, "database", "", "nothing was recorded yet")
		return
	case err != nil:
		if bad, ok := errors.AsType[*store.OpenError](err); ok {
			e.add(agentcheck.Fail, "database", bad.Cure, "%s cannot be used: %v", path, bad.Err)
		} else {
			e.add(agentcheck.Fail, "database", "", "%s cannot be used: %v", path, err)
		}
		return
	}
	defer func() { _ = r.Close() }() // it was only read
	size := int64(quickCheckBelow)
	if o.full {
		size = 0
	}
	h, err := r.Health(ctx, size)
	if err != nil {
		e.unfinished("structure", err)
		return
	}
	e.structure(h)
	e.chain(ctx, r, h, o.full)
}

// unfinished says that a check of the database did not come to an end. Too little time
// is a warning, for nothing was found; any other error is a failure.
func (e *examination) unfinished(name string, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		e.add(agentcheck.Warn, name, "aoctl doctor --full, when the machine is idle", "not done in %v", checkTime)
		return
	}
	e.add(agentcheck.Fail, name, "see that its disk works, then: aoctl log verify", "%v", err)
}

// structure reports whether the file is whole, of the newest schema, and its
// write-ahead log of a usual size. A large file is read only with --full, since that
// takes long. Only the first damage is named: the cure is the same for all. An old
// schema is only a warning, since the next console brings it up to date.
func (e *examination) structure(h store.Health) {
	switch {
	case len(h.Damage) > 0:
		e.add(agentcheck.Fail, "structure", "move the file and its -wal and -shm neighbours away; what can be saved: aoctl log --json", "the database is damaged: %s", h.Damage[0])
	case !h.Checked:
		e.add(agentcheck.Skipped, "structure", "aoctl doctor --full", "%s are not read without --full", megabytes(h.Bytes))
	default:
		e.add(agentcheck.OK, "structure", "", "whole, %s, read in %v", megabytes(h.Bytes), h.Took.Round(time.Millisecond))
	}
	if h.Schema < h.Newest {
		e.add(agentcheck.Warn, "schema", "start the new console once with: aoctl", "version %d; this aoctl writes %d", h.Schema, h.Newest)
	} else {
		e.add(agentcheck.OK, "schema", "", "version %d", h.Schema)
	}
	if h.WALBytes > walWarn {
		e.add(agentcheck.Warn, "write-ahead log", "quit the console and start it again", "%s: it is not being moved into the database", megabytes(h.WALBytes))
	} else {
		e.add(agentcheck.OK, "write-ahead log", "", "%s", megabytes(h.WALBytes))
	}
}

// chain verifies the log: all of it while that is quick, else its end. The end is
// where a program that changes the log would most likely write; "aoctl log verify"
// reads all. An empty log is well. The head is printed, shortened, for a person who
// noted it elsewhere.
func (e *examination) chain(ctx context.Context, r *store.Reader, h store.Health, full bool) {
	whole := full || h.Events <= verifyBelow
	verify, scope := r.Verify, "the whole log"
	if !whole {
		verify = func(ctx context.Context) (store.Report, error) { return r.VerifyTail(ctx, verifyTail) }
		scope = fmt.Sprintf("the newest %d events (--full reads all %d)", verifyTail, h.Events)
	}
	report, err := verify(ctx)
	switch {
	case err != nil:
		e.unfinished("log", err)
	case !report.Clean():
		e.add(agentcheck.Fail, "log", "aoctl log verify", "it was changed after it was written: %s", report.Problems[0])
	case report.HeadSeq == 0:
		e.add(agentcheck.OK, "log", "", "empty")
	default:
		e.add(agentcheck.OK, "log", "", "%s is as it was written; head %d %s", scope, report.HeadSeq, report.HeadHash[:min(len(report.HeadHash), 12)])
	}
}

// space looks at the file system that dir is on, or will be. A folder that is not
// there yet lies on the file system of the nearest folder above it that is. Below
// spaceFail a call may not be recorded, and then it is refused.
func (e *examination) space(name, dir string) {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		e.add(agentcheck.Skipped, name, "", "cannot be told for %s: %v", dir, err)
		return
	}
	free := freeBytes(st)
	const cure = "make room"
	switch {
	case free < spaceFail:
		e.add(agentcheck.Fail, name, cure, "%s free on the file system of %s: a call that cannot be recorded is refused", megabytes(free), dir)
	case free < spaceWarn:
		e.add(agentcheck.Warn, name, cure, "%s free on the file system of %s", megabytes(free), dir)
	default:
		e.add(agentcheck.OK, name, "", "%s free", megabytes(free))
	}
}

// freeBytes is what a user other than root may still write. Figures that make no
// sense, as some network file systems have them, count as more than enough: the doctor
// must not cry wolf.
func freeBytes(st unix.Statfs_t) int64 {
	blocks, size := int64(st.Bavail), int64(st.Bsize) //nolint:gosec,unconvert // differ by system; a disk fits
	const most = int64(1) << 62
	if size <= 0 || blocks < 0 || blocks > most/max(size, 1) {
		return most
	}
	return blocks * size
}

// megabytes is a size as people read it, in KiB, MiB or GiB. Small sizes are rounded
// up.
func megabytes(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	case n < 10<<30:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d GiB", n>>30)
}
