package client

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// peerUID is the user behind the other end of a Unix socket, as the kernel noted it when
// that end began to listen. An error is not user 0: the caller must refuse.
func peerUID(conn net.Conn) (int, error) {
	var cred *unix.Ucred
	err := control(conn, func(fd int) (err error) {
		cred, err = unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read the socket's owner: %w", err)
	}
	return int(cred.Uid), nil
}

// PeerPID is the process at the other end of a Unix socket, as it was when that end
// began to listen; 0 when it cannot be seen from here.
func PeerPID(conn net.Conn) (int, error) {
	var cred *unix.Ucred
	err := control(conn, func(fd int) (err error) {
		cred, err = unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read the socket's owner: %w", err)
	}
	return int(cred.Pid), nil
}
