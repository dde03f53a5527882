package state

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/aoctl/aoctl/cli/exit"
)

// Holder says which process the lock file of a socket names, 0 for none, and whether a
// process holds it. The lock is tried for an instant, which a console that starts at that
// moment waits out. A missing lock file is no error: nobody ever held it.
func Holder(socket string) (pid int, held bool, err error) {
	f, err := os.OpenFile(socket+".lock", os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) //nolint:gosec // beside the socket
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, exit.RootCause(err)
	}
	defer func() { _ = f.Close() }() // gives the lock back
	// A shared lock is enough to find out, and several commands may do so at once.
	held = errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
	text, err := io.ReadAll(io.LimitReader(f, 32)) // afterwards: who holds the lock has written its own
	if err != nil {
		return 0, false, exit.RootCause(err)
	}
	pid, _ = strconv.Atoi(strings.TrimSpace(string(text))) // 0 when it names none
	return pid, held, nil
}
