package peers

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aoctl/aoctl/broker"
)

// Field positions in /proc/PID/stat, counted after the command's closing
// parenthesis; see proc_pid_stat(5), where they are 3 to 7 and 22.
const (
	statState   = 0
	statParent  = 1
	statGroup   = 2
	statSession = 3
	statTTY     = 4
	statStart   = 19
)

// procStat reads /proc/pid/stat. The command may hold blanks and parentheses, so
// the fields are those after the last one.
func procStat(pid int) ([][]byte, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, fmt.Errorf("read the state of process %d: %w", pid, err)
	}
	i := bytes.LastIndexByte(raw, ')')
	fields := bytes.Fields(raw[i+1:])
	if i < 0 || len(fields) <= statStart {
		return nil, fmt.Errorf("read the state of process %d: unexpected format", pid)
	}
	return fields, nil
}

// FindProcess names the run of pid that exists now, with its start time in clock
// ticks since boot. Start is 0 when it cannot be told.
func FindProcess(pid int) broker.Process {
	p := broker.Process{PID: pid}
	if f, err := procStat(pid); err == nil {
		p.Start, _ = strconv.ParseUint(string(f[statStart]), 10, 64)
	}
	return p
}

// Alive reports whether p still runs: a zombie does not.
func Alive(p broker.Process) bool {
	f, err := procStat(p.PID)
	if err != nil {
		// Without /proc only the kernel's word is left.
		return !errors.Is(err, fs.ErrNotExist) || unix.Kill(p.PID, 0) == nil
	}
	if state := f[statState]; string(state) == "Z" || string(state) == "X" {
		return false
	}
	start, err := strconv.ParseUint(string(f[statStart]), 10, 64)
	return err != nil || p.Start == 0 || p.Start == start
}

// startOf is pid's start time in clock ticks since boot, 0 when unknown.
func startOf(pid int) uint64 { return FindProcess(pid).Start }

// AgeOf is how long ago p started; false when it cannot be told.
func AgeOf(p broker.Process) (time.Duration, bool) {
	const tick = 10 * time.Millisecond // what /proc counts in, on every machine that Go knows
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil || p.Start == 0 || p.Start > 1<<40 {
		return 0, false
	}
	return time.Duration(now.Nano()) - time.Duration(p.Start)*tick, true
}

// ancestorOf describes pid for an ancestry.
func ancestorOf(pid int) (Ancestor, error) {
	f, err := procStat(pid)
	if err != nil {
		return Ancestor{}, err
	}
	k := Ancestor{Process: broker.Process{PID: pid}}
	var errs [4]error
	k.Start, errs[0] = strconv.ParseUint(string(f[statStart]), 10, 64)
	k.Parent, errs[1] = strconv.Atoi(string(f[statParent]))
	k.Session, errs[2] = strconv.Atoi(string(f[statSession]))
	k.Group, errs[3] = strconv.Atoi(string(f[statGroup]))
	if err := errors.Join(errs[:]...); err != nil {
		return Ancestor{}, fmt.Errorf("read the state of process %d: %w", pid, err)
	}
	return k, nil
}

// environOf is the environment with which pid was started, NAME=value each ended by a
// zero byte. Other users' processes and those closed to tracing keep it to themselves.
func environOf(pid int) ([]byte, error) { return os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) }

// commandOf returns pid's command name, "" when unknown.
func commandOf(pid int) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return string(bytes.TrimSpace(raw))
}

// Describe says what can be told of the process pid for the record.
func Describe(pid int) (exe, tty string) {
	exe, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if f, err := procStat(pid); err == nil {
		if n, _ := strconv.ParseUint(string(f[statTTY]), 10, 64); n != 0 {
			tty = ttyName(n)
		}
	}
	return exe, tty
}

// ttyName names a terminal by its device number, as ps does; a number that is not known stays
// one.
func ttyName(dev uint64) string {
	major, minor := unix.Major(dev), unix.Minor(dev)
	switch {
	case major >= 136 && major <= 143: // Unix98 terminals
		return fmt.Sprintf("pts/%d", (major-136)*256+minor)
	case major == 4:
		return fmt.Sprintf("tty%d", minor)
	}
	return fmt.Sprintf("%d:%d", major, minor)
}

// ArgumentsOf is what a process was started with, the file that it runs, and its folder;
// nothing of what cannot be told.
func ArgumentsOf(pid int) (argv []string, exe, cwd string) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(raw) == 0 {
		return nil, "", ""
	}
	for _, arg := range bytes.Split(bytes.TrimSuffix(raw, []byte{0}), []byte{0}) {
		argv = append(argv, string(arg))
	}
	exe, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	cwd, _ = os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return argv, exe, cwd
}
