package peers

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// peerPidfds reports whether the kernel hands out a descriptor of a socket's peer
// (SO_PEERPIDFD, Linux 6.5): it means the very process that connected, also when that
// has ended and its pid belongs to another process.
var peerPidfds = sync.OnceValue(func() bool {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _, _ = unix.Close(pair[0]), unix.Close(pair[1]) }()
	fd, err := unix.GetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err == nil
})

// Hold gets hold of the peer's process: while it is alive, what /proc tells of its pid
// is about it. release must be called. Without it a process could ask, end, and have a harmless
// one take its pid before its ancestry is read.
func (p Peer) Hold() (alive func() bool, release func(), err error) {
	fd, err := p.pidfd()
	if err != nil {
		return nil, nil, err
	}
	alive = func() bool { // a descriptor of a process becomes readable when that ends
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // descriptors are small
		n, err := unix.Poll(fds, 0)
		return err == nil && n == 0
	}
	return alive, func() { _ = unix.Close(fd) }, nil
}

// pidfd is a descriptor of the process that connected, which the caller closes. Where the kernel
// does not hand one out with the socket, the process is found by its pid and known by its start.
func (p Peer) pidfd() (int, error) {
	if !peerPidfds() {
		fd, err := unix.PidfdOpen(p.PID, 0)
		if err != nil {
			return -1, fmt.Errorf("open process %d: %w", p.PID, err)
		}
		if p.start == 0 || startOf(p.PID) != p.start {
			_ = unix.Close(fd)
			return -1, fmt.Errorf("process %d is not the one that connected", p.PID)
		}
		return fd, nil
	}
	raw, err := p.unix.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd, optErr := -1, error(nil)
	if err = raw.Control(func(conn uintptr) {
		fd, optErr = unix.GetsockoptInt(int(conn), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	}); err != nil || optErr != nil {
		return -1, fmt.Errorf("process %d has ended: %w", p.PID, errors.Join(err, optErr))
	}
	if held := pidOfPidfd(fd); held != p.PID {
		_ = unix.Close(fd)
		return -1, fmt.Errorf("process %d is not the one that connected", p.PID)
	}
	unix.CloseOnExec(fd)
	return fd, nil
}

// pidOfPidfd is the pid that fd means; 0 when that cannot be told, -1 when it ended.
func pidOfPidfd(fd int) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		var pid int
		if n, _ := fmt.Sscanf(line, "Pid: %d", &pid); n == 1 {
			return pid
		}
	}
	return 0
}
