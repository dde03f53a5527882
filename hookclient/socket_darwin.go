package hookclient

import (
	"os"
	"syscall"
	"time"
)

// newSocket makes a descriptor that does not block and is closed in children. Two calls are
// needed here, so a fork in between is kept out.
func newSocket(family int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err != nil {
		return -1, err
	}
	syscall.CloseOnExec(fd)
	if err = syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

const (
	solLocal      = 0 // SOL_LOCAL
	localPeerCred = 1 // LOCAL_PEERCRED: struct xucred {u_int cr_version; uid_t cr_uid; …}
	localPeerPID  = 2 // LOCAL_PEERPID
)

// peer says whose process listens at the other end of fd. The error matters as
// much as the values: a zero uid is root.
//
// The syscall package has no struct xucred. The kernel cuts an option's value to
// the caller's size, so any getter of eight bytes or more will do: of IPv6MTUInfo
// the first four bytes are cr_version and the next four, Flowinfo, are cr_uid.
// Source: sys/un.h, sys/ucred.h and sooptcopyout in the XNU sources.
func peer(fd int) (uid, pid int, err error) {
	cred, err := syscall.GetsockoptIPv6MTUInfo(fd, solLocal, localPeerCred)
	if err != nil {
		return -1, 0, err
	}
	if cred.Addr.Len != 0 || cred.Addr.Family != 0 || cred.Addr.Port != 0 {
		return -1, 0, syscall.EPROTO // cr_version is not XUCRED_VERSION, 0
	}
	pid, err = syscall.GetsockoptInt(fd, solLocal, localPeerPID)
	return int(cred.Addr.Flowinfo), pid, err
}

// readable waits at most d for fd to have something to read, or its end.
func readable(fd int, d time.Duration) bool {
	var set syscall.FdSet
	if fd < 0 || fd >= syscall.FD_SETSIZE {
		return false
	}
	set.Bits[fd/32] = 1 << (fd % 32)
	tv := syscall.NsecToTimeval(d.Nanoseconds())
	err := syscall.Select(fd+1, &set, nil, nil, &tv)
	return err == nil && set.Bits[fd/32]&(1<<(fd%32)) != 0
}

// writable waits at most d for a connection under way to be there, or to have failed.
func writable(fd int, d time.Duration) bool {
	var set syscall.FdSet
	if fd < 0 || fd >= syscall.FD_SETSIZE {
		return false
	}
	set.Bits[fd/32] = 1 << (fd % 32)
	tv := syscall.NsecToTimeval(d.Nanoseconds())
	err := syscall.Select(fd+1, nil, &set, nil, &tv)
	return err == nil && set.Bits[fd/32]&(1<<(fd%32)) != 0
}

// gone returns a function that reports whether nobody can read what f writes any
// more. It is nil when f is not a pipe or socket.
func gone(f *os.File) func() bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil
	}
	kq, err := syscall.Kqueue()
	if err != nil {
		return nil
	}
	syscall.CloseOnExec(kq)
	want := []syscall.Kevent_t{{}}
	syscall.SetKevent(&want[0], int(f.Fd()), syscall.EVFILT_WRITE, syscall.EV_ADD) // #nosec G115 -- descriptors are small
	return func() bool {
		var got [1]syscall.Kevent_t
		n, err := syscall.Kevent(kq, want, got[:], &syscall.Timespec{})
		return err == nil && n > 0 && got[0].Flags&syscall.EV_EOF != 0 && got[0].Flags&syscall.EV_ERROR == 0
	}
}
