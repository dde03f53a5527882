package service

import (
	"io"
	"path/filepath"
)

// Claim takes the lock of socket without listening: whoever holds it is the only one to
// write to the database. Closing gives it back. Errors: *InUseError, *SocketError.
func Claim(socket string) (io.Closer, error) {
	if err := PrivateDir(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	f, err := takeLock(socket)
	if err != nil {
		return nil, err
	}
	return f, nil
}
