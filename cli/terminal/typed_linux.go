package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// ForgetTyped drops what was typed at the terminal before a question was there to be read.
func ForgetTyped(f *os.File) error {
	return unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
