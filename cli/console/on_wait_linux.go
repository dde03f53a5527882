package console

import "syscall"

// waitHookGroup puts a command into a process group of its own, and ends it should the
// console be killed.
func waitHookGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
