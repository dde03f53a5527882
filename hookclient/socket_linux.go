package hookclient

import (
	"os"
	"syscall"
	"time"
)

// newSocket makes a descriptor that does not block and is closed in children, in one call.
func newSocket(family int) (int, error) {
	return syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
}

// peer says whose process listens at the other end of fd. The error matters as
// much as the values: a zero uid is root.
func peer(fd int) (uid, pid int, err error) {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return -1, 0, err
	}
	return int(cred.Uid), int(cred.Pid), nil
}

// readable waits at most d for fd to have something to read, or its end. Select takes descriptors
// below FD_SETSIZE only. A larger one counts as not readable, and the long way goes on.
func readable(fd int, d time.Duration) bool {
	var set syscall.FdSet
	if fd < 0 || fd >= syscall.FD_SETSIZE {
		return false
	}
	set.Bits[fd/64] = 1 << (fd % 64)
	tv := syscall.NsecToTimeval(d.Nanoseconds())
	n, err := syscall.Select(fd+1, &set, nil, nil, &tv)
	return err == nil && n == 1
}

// writable waits at most d for a connection under way to be there, or to have failed.
func writable(fd int, d time.Duration) bool {
	var set syscall.FdSet
	if fd < 0 || fd >= syscall.FD_SETSIZE {
		return false
	}
	set.Bits[fd/64] = 1 << (fd % 64)
	tv := syscall.NsecToTimeval(d.Nanoseconds())
	n, err := syscall.Select(fd+1, nil, &set, nil, &tv)
	return err == nil && n == 1
}

// gone returns a function that reports whether nobody can read what f writes any
// more. It is nil when f is not a pipe or socket.
//
// epoll reports an error or a hang-up without being asked for any event, so a pipe
// with room in it stays quiet; a peer that only stopped writing to us does too.
func gone(f *os.File) func() bool {
	ep, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	fd := int(f.Fd())                                                                                          // #nosec G115 -- descriptors are small
	if err = syscall.EpollCtl(ep, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Fd: int32(fd)}); err != nil { // #nosec G115 -- as above
		_ = syscall.Close(ep)
		return nil
	}
	return func() bool {
		var events [1]syscall.EpollEvent
		n, err := syscall.EpollWait(ep, events[:], 0)
		return err == nil && n > 0 && events[0].Events&(syscall.EPOLLERR|syscall.EPOLLHUP) != 0
	}
}
