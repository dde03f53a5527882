//go:build !linux

package runner

import "syscall"

// ownGroup makes the agent the leader of a process group. When the runner is no more the
// agent sees its input end, and ends after its turn, in which no call is allowed any more.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
