package client

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// peerUID is the user behind the other end of a Unix socket, as the kernel noted it when
// that end began to listen. An error is not user 0: the caller must refuse.
func peerUID(conn net.Conn) (int, error) {
	var cred *unix.Xucred
	err := control(conn, func(fd int) (err error) {
		cred, err = unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read the socket's owner: %w", err)
	}
	return int(cred.Uid), nil
}

// PeerPID is the process at the other end of a Unix socket.
func PeerPID(conn net.Conn) (pid int, err error) {
	err = control(conn, func(fd int) (err error) {
		pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		return err
	})
	return pid, err
}
