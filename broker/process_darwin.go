package broker

import "golang.org/x/sys/unix"

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

// parentOf returns pid's parent, 0 when unknown.
func parentOf(pid int) int {
	if k := kinfo(pid); k != nil {
		return int(k.Eproc.Ppid)
	}
	return 0
}

// commandOf returns pid's command name, "" when unknown.
func commandOf(pid int) string {
	if k := kinfo(pid); k != nil {
		return unix.ByteSliceToString(k.Proc.P_comm[:])
	}
	return ""
}
