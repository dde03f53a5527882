package peers

import (
	"os"
	"slices"
)

// CutOff reports whether what started a process seems to have ended, so that the rest of
// its ancestry says nothing of whose it is: its POSIX session's leader is not above it,
// as after a double fork, or an ancestor stands where only an adopted process would.
// own are this console's process and those that it descends from.
//
// Where the leader adopts (the first process of a container or of a machine without
// logins, a supervisor) or lies outside our namespace of pids, the process group tells: a
// shell with job control gives what is typed a group of its own, a terminal gives its
// shell a session, and an orphan keeps the group of what ended.
//
// It has no access to the system, so that its cases can be tried: chain and own are read before,
// and shell tells by a pid whether that runs a shell.
func CutOff(chain []Ancestor, own map[int]bool, shell func(pid int) bool) bool {
	session := chain[0].Session
	leads := func(k Ancestor) bool { return k.PID == session }
	if session != 0 && !slices.ContainsFunc(chain, leads) {
		return !slices.ContainsFunc(chain, func(k Ancestor) bool { return k.PID == os.Getpid() })
	}
	for i, k := range chain[1:] {
		below := chain[i]
		adopts := k.PID == 1 || k.PID == session && !shell(k.PID)
		strays := !shell(k.PID) && below.Group != k.Group && !slices.ContainsFunc(chain, func(k Ancestor) bool { return k.PID == below.Group })
		alone := below.Group == below.PID || below.Session == below.PID
		if (adopts || strays) && !alone && !own[below.PID] {
			return true
		}
	}
	return false
}
