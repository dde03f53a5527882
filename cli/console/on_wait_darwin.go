package console

import "syscall"

// waitHookGroup puts a command into a process group of its own.
func waitHookGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
