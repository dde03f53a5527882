//go:build !linux

package peers

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/aoctl/aoctl/broker"
)

// FindProcess names the run of pid that exists now. Without a start time a pid that
// is used again counts as the same run, which only delays noticing that it is gone.
func FindProcess(pid int) broker.Process { return broker.Process{PID: pid, Start: startOf(pid)} }

// Alive reports whether p still runs.
func Alive(p broker.Process) bool {
	if err := unix.Kill(p.PID, 0); errors.Is(err, unix.ESRCH) {
		return false
	}
	start := startOf(p.PID)
	return p.Start == 0 || start == 0 || start == p.Start
}

// Describe says what can be told of the process pid for the record.
func Describe(pid int) (exe, tty string) {
	if pid == os.Getpid() {
		exe, _ = os.Executable()
	}
	if exe == "" {
		exe = "pid " + strconv.Itoa(pid)
	}
	return exe, ""
}
