package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

const fRead = 1 // FREAD of sys/fcntl.h

// ForgetTyped drops what was typed at the terminal before a question was there to be read.
func ForgetTyped(f *os.File) error {
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, fRead)
}
