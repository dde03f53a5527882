package runner

import "syscall"

// ownGroup makes the agent the leader of a process group, and has it asked to end when the
// runner is no more.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
