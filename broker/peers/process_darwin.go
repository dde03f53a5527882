package peers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aoctl/aoctl/broker"
)

// kinfo asks the kernel for one process; nil when there is none, or when the answer is about
// another one.
func kinfo(pid int) *unix.KinfoProc {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return nil
	}
	return k
}

// startOf is pid's start time in microseconds, 0 when unknown.
func startOf(pid int) uint64 {
	k := kinfo(pid)
	if k == nil {
		return 0
	}
	t := k.Proc.P_starttime
	return uint64(t.Sec)*1e6 + uint64(t.Usec) //nolint:gosec // a start time is never negative
}

// commandOf returns pid's command name, "" when unknown.
func commandOf(pid int) string {
	if k := kinfo(pid); k != nil {
		return unix.ByteSliceToString(k.Proc.P_comm[:])
	}
	return ""
}

// AgeOf is how long ago p started; false when it cannot be told.
func AgeOf(p broker.Process) (time.Duration, bool) {
	if p.Start == 0 || p.Start > 1<<62 {
		return 0, false
	}
	return time.Since(time.UnixMicro(int64(p.Start))), true //nolint:gosec // G115: bounded above
}

// ancestorOf describes pid for an ancestry.
func ancestorOf(pid int) (Ancestor, error) {
	k := kinfo(pid)
	if k == nil {
		return Ancestor{}, fmt.Errorf("process %d cannot be looked at", pid)
	}
	session, err := unix.Getsid(pid)
	if err != nil {
		session = 0 // of another user
	}
	return Ancestor{Process: broker.Process{PID: pid, Start: startOf(pid)}, Parent: int(k.Eproc.Ppid), Session: session, Group: int(k.Eproc.Pgid)}, nil
}

// environOf is the environment with which pid was started, NAME=value each ended by a
// zero byte.
//
// Shape of kern.procargs2: the number of arguments as an int, the program's path, zero
// bytes, the arguments, the environment. Source: sysctl_procargsx in the XNU sources.
func environOf(pid int) ([]byte, error) {
	_, _, env, err := procArgs(pid)
	return env, err
}

// procArgs reads kern.procargs2 of pid.
func procArgs(pid int) (exe string, argv []string, env []byte, err error) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return "", nil, nil, fmt.Errorf("read the arguments of process %d: %w", pid, err)
	}
	args := int(binary.NativeEndian.Uint32(raw))
	path, raw, _ := bytes.Cut(raw[4:], []byte{0})
	raw = bytes.TrimLeft(raw, "\x00")
	for range min(args, len(raw)) {
		var arg []byte
		arg, raw, _ = bytes.Cut(raw, []byte{0})
		argv = append(argv, string(arg))
	}
	return string(path), argv, raw, nil
}

// ArgumentsOf is what a process was started with, the file that it runs, and its folder,
// which cannot be told here.
func ArgumentsOf(pid int) (argv []string, exe, cwd string) {
	exe, argv, _, _ = procArgs(pid)
	return argv, exe, ""
}
