package client

import (
	"errors"
	"net"
	"syscall"
)

// control calls f with conn's descriptor, which stays open while f runs and must not be
// kept.
func control(conn net.Conn, f func(fd int) error) error {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return errors.New("not a socket")
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}
