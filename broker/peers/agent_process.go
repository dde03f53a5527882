package peers

import (
	"slices"
	"strconv"

	"github.com/aoctl/aoctl/broker"
)

// AgentOf is the process to watch for a session: the one that the hook names, if it is
// one of the client's ancestors, else the nearest of them that is more than the shell of
// a hook's command line. What a hook says of itself counts for nothing beside that: it
// may be left over from another agent, mean another container, or be a lie. It is the zero
// Process when nothing fits, as for a client in a container.
func AgentOf(client broker.Process, named string) broker.Process {
	if client.PID <= 1 {
		return broker.Process{}
	}
	chain, err := lineageOf(client.PID)
	if err != nil {
		return broker.Process{}
	}
	above := chain[1:]
	if i := slices.IndexFunc(above, func(k Ancestor) bool { return strconv.Itoa(k.PID) == named }); i >= 0 {
		above = above[i:]
	} else {
		for n := 0; n < maxShells && len(above) > 1 && isShell(commandOf(above[0].PID)); n++ {
			above = above[1:]
		}
	}
	if len(above) == 0 || above[0].PID <= 1 {
		return broker.Process{}
	}
	return above[0].Process
}

// maxShells is how many shells may stand between an agent and its hook.
const maxShells = 4

// isShell reports whether a command of this name only runs a hook's command line.
func isShell(command string) bool {
	switch command {
	case "sh", "bash", "dash", "zsh", "ash", "ksh":
		return true
	}
	return false
}

// IsBelow reports whether p descends from ancestor. It takes one reading; when the ancestry
// cannot be followed the answer is no.
func IsBelow(p, ancestor broker.Process) bool {
	chain, err := lineageOf(p.PID)
	if err != nil || len(chain) == 0 || chain[0].Start != p.Start {
		return false
	}
	for _, k := range chain[1:] {
		if k.Process == ancestor {
			return true
		}
	}
	return false
}
