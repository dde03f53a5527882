package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aoctl/aoctl/broker/peers"
)

// maxSocketPath is what fits into a Unix socket address on every platform, bytes.
const maxSocketPath = 103

// InUseError says that another aoctl holds the socket. The pid comes from the lock file, which
// the other console wrote; nobody is asked whether it still runs, since the lock itself says so.
type InUseError struct {
	Socket string
	PID    int // 0 when the lock file does not tell
}

func (e *InUseError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("aoctl already runs: %s holds %s", who, e.Socket)
}

// SocketError says why no socket can be made at Path, and what to do. All three are for the user
// to read, one after the other. Hint names a command or a variable.
type SocketError struct {
	Path, Problem, Hint string
}

func (e *SocketError) Error() string { return e.Path + ": " + e.Problem + "; " + e.Hint }

// Listener is the broker's Unix socket, held by a lock file beside it for as long
// as the process lives: the lock tells a running broker from a stale socket. The lock file stays
// when the listener closes: removing it could take it from under a console that has just opened
// it.
type Listener struct {
	net  *net.UnixListener
	lock *os.File
	path string
	ino  uint64
	once sync.Once

	leaves bool // another console comes at once
}

// Listen takes the lock of socket and listens on it, 0600 in a folder 0700 that is
// made if need be. Errors: *InUseError, *SocketError.
func Listen(socket string) (*Listener, error) {
	if len(socket) > maxSocketPath {
		return nil, &SocketError{socket, fmt.Sprintf("the path has %d bytes, a socket's may have %d", len(socket), maxSocketPath), "name a shorter one with AOCTL_SOCKET"}
	}
	if err := PrivateDir(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	// The lock comes first. Whoever has it may remove what an earlier console left behind;
	// without it nobody may touch the socket.
	lock, err := takeLock(socket)
	if err != nil {
		return nil, err
	}
	l, err := listenLocked(socket, lock)
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return l, nil
}

// PrivateDir makes dir 0700 if it is missing and refuses one that is a link, not
// ours, or open to others. Errors: *SocketError.
//
// Everything that decides lies in this folder, so its mode is the wall between users. It is
// checked and not mended: who opened it to others may have had a reason, and is asked.
func PrivateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &SocketError{dir, "cannot be made a folder: " + cause(err), "check what is there and its permissions, or name another place with AOCTL_HOME"}
	}
	// Lstat, so that a link is seen as one. A link that another user may move would lead hooks to
	// a socket of theirs.
	info, err := os.Lstat(dir)
	if err != nil {
		return &SocketError{dir, cause(err), "check its permissions"}
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return &SocketError{dir, "is a symbolic link", "name the folder itself with AOCTL_HOME or AOCTL_SOCKET"}
	case !ok || int(st.Uid) != os.Geteuid():
		return &SocketError{dir, "belongs to another user", "name a folder of your own with AOCTL_HOME or AOCTL_SOCKET"}
	case info.Mode().Perm()&0o077 != 0:
		return &SocketError{dir, fmt.Sprintf("is open to others (mode %03o)", info.Mode().Perm()), "chmod 700 it, or name another place with AOCTL_HOME"}
	}
	return nil
}

// cause is err without the path, which SocketError tells already.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// takeLock locks socket's lock file for the life of the process and writes our pid
// into it. O_NOFOLLOW keeps a link in the file's place from having another file written to. The
// pid in it is for people and for InUseError; the lock alone decides.
func takeLock(socket string) (*os.File, error) {
	path := socket + ".lock"
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600) //nolint:gosec // the operator's own path, in a private folder
	if err != nil {
		return nil, &SocketError{path, "cannot be opened: " + cause(err), "check what is there and its permissions"}
	}
	if err = flock(f); err != nil {
		defer func() { _ = f.Close() }()
		buf := make([]byte, 32)
		n, _ := f.ReadAt(buf, 0)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
		return nil, &InUseError{Socket: socket, PID: pid}
	}
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		_ = f.Close()
		return nil, &SocketError{path, "cannot be written: " + cause(err), "is the disk full?"}
	}
	return f, nil
}

// flock locks f, trying for a moment: a hook client that wonders whether a console is
// coming up holds a shared lock for an instant. The kernel gives the lock back when the process
// ends in any way, so no crash leaves one behind.
func flock(f *os.File) error {
	const tries, pause = 10, 25 * time.Millisecond
	for i := 1; ; i++ {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || i == tries {
			return err
		}
		time.Sleep(pause)
	}
}

// listenLocked replaces a socket that an earlier aoctl left behind, and nothing else. A file of
// another kind stays where it is, even though we hold the lock: it is the user's.
func listenLocked(socket string, lock *os.File) (*Listener, error) {
	info, err := os.Lstat(socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, &SocketError{socket, cause(err), "check its permissions"}
	case info.Mode()&fs.ModeSocket == 0:
		return nil, &SocketError{socket, "is not a socket (" + kindOf(info.Mode()) + ")", "move it away; aoctl did not make it"}
	default:
		if err := removeStale(socket); err != nil {
			return nil, err
		}
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, &SocketError{socket, "cannot be listened on: " + err.Error(), "name another path with AOCTL_SOCKET"}
	}
	// The net package would unlink the path whatever lies there by then. Close removes it only
	// while it is ours.
	ln.SetUnlinkOnClose(false)
	l := &Listener{net: ln, lock: lock, path: socket}
	// Between bind and chmod the folder, which is closed to others, keeps strangers out.
	if err = os.Chmod(socket, 0o600); err == nil {
		l.ino, err = inode(socket)
	}
	if err != nil {
		_ = ln.Close()
		return nil, &SocketError{socket, "cannot be made private: " + cause(err), "check the folder's permissions"}
	}
	return l, nil
}

// removeStale unlinks a socket that nobody serves. We hold the lock, so whoever
// answers on it is not an aoctl. It dials before it removes: a program that listens there without
// a lock must not lose its socket, and the operator is to hear of it.
func removeStale(socket string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err == nil {
		pid := 0
		if u, ok := c.(*net.UnixConn); ok {
			_, pid, _ = peers.Of(u)
		}
		_ = c.Close()
		return &SocketError{socket, fmt.Sprintf("another program (pid %d) listens there, and it is not aoctl", pid), "end it, or name another path with AOCTL_SOCKET"}
	}
	if err := os.Remove(socket); err != nil {
		return &SocketError{socket, "is stale and cannot be removed: " + cause(err), "remove it by hand"}
	}
	return nil
}

// kindOf names a file's kind for a person.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "a regular file"
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	}
	return "a " + m.String()
}

// inode tells one socket from another at the same path. A socket that was made anew has another
// number.
func inode(path string) (uint64, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, errors.New("no inode number")
	}
	return st.Ino, nil
}

// Replaced says what is wrong with the socket's path, "" when it still leads to us. Hooks dial
// the path. When it leads elsewhere they are not asked here any more, and the console says so on
// its status line.
func (l *Listener) Replaced() string {
	ino, err := inode(l.path)
	switch {
	case err != nil:
		return "socket is gone: " + cause(err)
	case ino != l.ino:
		return "socket was replaced by another"
	}
	return ""
}

// Leave says, before Close, that another console comes at once. Hooks that knock in between wait for
// a console whose lock file was just written.
func (l *Listener) Leave() { l.leaves = true }

// Close stops listening, removes the socket if it is still ours, and lets the lock go. The lock
// goes last: a console that waits for it must find the socket gone.
func (l *Listener) Close() error {
	var err error
	l.once.Do(func() {
		err = l.net.Close()
		if l.Replaced() == "" {
			_ = os.Remove(l.path)
		}
		if now := time.Now(); l.leaves {
			_ = os.Chtimes(l.path+".lock", now, now) // without it those hooks are refused at once, no worse
		}
		_ = l.lock.Close()
	})
	return err
}

// LockSocket takes the lock of socket without listening: its holder is the only one to
// write to the database. Closing gives it back. It is for commands that rewrite the database while
// no console runs, such as "aoctl log archive". Errors: *InUseError, *SocketError.
func LockSocket(socket string) (io.Closer, error) {
	if err := PrivateDir(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	f, err := takeLock(socket)
	if err != nil {
		return nil, err
	}
	return f, nil
}
