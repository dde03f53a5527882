package hookclient

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxSocketPath is what fits the address structure of every platform, in bytes.
const maxSocketPath = 103

// errBusy marks a console whose queue of connections is full.
var errBusy = errors.New("the console's queue of connections is full")

// connect dials the broker at path and makes sure that nobody but us can be there:
// folder and socket are ours and no links, and the process at the other end has
// our user id. It returns a descriptor that does not block, and the broker's pid.
//
// The socket package of the standard library is not used because importing net
// alone costs a tenth of a hook run.
//
// The folder is looked at before the dial and the peer after it: the first keeps others from
// putting a socket there, the second finds one that was there before.
func connect(path string) (fd, pid int, err error) {
	if err = checkPath(path); err != nil {
		return -1, 0, err
	}
	if fd, err = newSocket(syscall.AF_UNIX); err != nil {
		return -1, 0, &refusalError{kind: ErrNoConsole, text: "no socket can be made: " + err.Error(), hint: "close some programs", cause: err}
	}
	if err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		err = connectError(path, err)
	} else {
		var uid int
		// The kernel says who listens. What that process says of itself comes later, and counts
		// for less.
		uid, pid, err = peer(fd)
		if err = checkPeer(path, uid, err); err == nil {
			err = checkHolder(path, pid)
		}
	}
	if err != nil {
		_ = syscall.Close(fd)
		return -1, 0, err
	}
	return fd, pid, nil
}

// checkPeer refuses a server that is not ours, or of which that cannot be told.
func checkPeer(path string, uid int, err error) error {
	switch {
	case err != nil:
		return untrusted("it cannot be told who serves "+path+": "+err.Error(), startOne)
	case uid != os.Geteuid():
		return untrusted("the process that serves "+path+" belongs to user id "+strconv.Itoa(uid), "find out who it is; aoctl does not ask it")
	}
	return nil
}

// checkHolder refuses a server that is not the process named in the lock file beside
// the socket: somebody else's socket lies where the console's was. A pid of 0 is a
// process that we cannot see from here, such as a console outside of our container. A process of
// the same user could bind the path while no console runs; the lock file names the one that a
// console would have written.
func checkHolder(path string, pid int) error {
	if pid == 0 {
		return nil
	}
	raw, err := os.ReadFile(path + ".lock") // #nosec G304 -- beside the socket, in a folder that checkPath found private
	if err != nil {
		return untrusted("process "+strconv.Itoa(pid)+" serves "+path+", and it is not aoctl: there is no lock file beside it", "end that process and start aoctl anew")
	}
	if holder := strings.TrimSpace(string(raw)); holder != strconv.Itoa(pid) {
		return untrusted("process "+strconv.Itoa(pid)+" serves "+path+", but the console there is process "+quoteHolder(holder), "end that process and start aoctl anew")
	}
	return nil
}

// quoteHolder shows only digits: the file's content is not to be trusted with a terminal.
func quoteHolder(s string) string {
	if s == "" || len(s) > 20 || strings.Trim(s, "0123456789") != "" {
		return "unknown"
	}
	return s
}

// CheckSocketPath refuses a path that is too long for a socket. The error wraps ErrSocket.
func CheckSocketPath(path string) error {
	if len(path) > maxSocketPath {
		return untrusted("the socket's path is longer than "+strconv.Itoa(maxSocketPath)+" bytes: "+path, "name a shorter one in AOCTL_SOCKET")
	}
	return nil
}

// checkPath looks at folder and socket before anything is sent. Lstat is used throughout, so that
// a link is refused and not followed.
func checkPath(path string) error {
	if err := CheckSocketPath(path); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	info, err := os.Lstat(dir)
	if err != nil {
		return statError(dir, err)
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return untrusted("the socket's folder "+dir+" is a symbolic link", "put a real folder there")
	case !mode.IsDir():
		return untrusted("the socket's folder "+dir+" is not a folder", "move it away and start aoctl")
	case owner(info) != os.Geteuid():
		return untrusted("the socket's folder "+dir+" belongs to user id "+strconv.Itoa(owner(info)), "name a socket in a folder of yours in AOCTL_SOCKET")
	case mode.Perm()&0o022 != 0:
		return untrusted("the socket's folder "+dir+" is not private: others can write to it", "chmod 700 "+dir)
	}
	if info, err = os.Lstat(path); err != nil {
		return statError(path, err)
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeSocket == 0:
		return untrusted(path+" is "+kindOf(mode)+", not a socket", "move it away and start aoctl")
	case owner(info) != os.Geteuid():
		return untrusted("the socket "+path+" belongs to user id "+strconv.Itoa(owner(info)), "move it away and start aoctl")
	}
	return nil
}

const startOne = `start one with "aoctl"`

// statError tells a console that is not there from one that cannot be reached.
func statError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &refusalError{kind: ErrNoConsole, text: "no console is listening: " + path + " does not exist", hint: startOne, down: true, cause: err}
	case errors.Is(err, fs.ErrPermission):
		return untrusted("no permission to reach "+path, "chmod 700 "+filepath.Dir(path))
	default:
		return untrusted("the socket cannot be looked at: "+err.Error(), startOne)
	}
}

// connectError says why no console can be reached, in words for a person. A queue that is full is
// errBusy: the console is there, and the caller tries again.
func connectError(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return &refusalError{kind: ErrNoConsole, text: "no console is listening: the one that made " + path + " has ended", hint: startOne, down: true, cause: err}
	case errors.Is(err, fs.ErrNotExist):
		return statError(path, err)
	case errors.Is(err, fs.ErrPermission):
		return untrusted("no permission to connect to "+path, "chmod 600 "+path+", or start aoctl anew")
	case errors.Is(err, syscall.EAGAIN):
		return errBusy
	default:
		return &refusalError{kind: ErrNoConsole, text: "no console can be reached at " + path + ": " + err.Error(), hint: startOne, down: true, cause: err}
	}
}

// untrusted is an ErrSocket: somebody else may be there, so nothing is sent.
func untrusted(text, hint string) error {
	return &refusalError{kind: ErrSocket, text: text, hint: hint}
}

// kindOf names a file's kind for a person.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	default:
		return "a device"
	}
}

// owner is the user id that info belongs to, or -1, which is nobody's.
func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// starting reports whether a console is just coming up at socket: its lock file
// was written less than fresh ago, or is held although nobody listens yet. The
// time is looked at first, because trying the lock can get into the way of the
// console that wants it.
func starting(socket string, fresh time.Duration) bool {
	name := socket + ".lock"
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if age := time.Since(info.ModTime()); age >= 0 && age < fresh {
		return true
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW, 0) // #nosec G304 -- beside the socket, in a folder that checkPath found private
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // gives the lock back
	fd := int(f.Fd())                // #nosec G115 -- descriptors are small
	return errors.Is(syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
