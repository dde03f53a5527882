package service

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/aoctl/aoctl/broker"
)

// agentRun is a process of an agent, as long as it lives: also one that said that its
// session is over, and one after which the session had another process. Everything
// below it belongs to an agent.
type agentRun struct {
	broker.Process
	session string
	runner  bool // it holds the agent, and is none itself
}

// remember takes p for a process of the agent of session id. Caller holds mu.
func (b *Broker) remember(p broker.Process, id string) {
	if p.PID <= 1 {
		return
	}
	if old, ok := b.agentRuns[p.PID]; !ok || old.Start != p.Start || old.runner {
		b.agentRuns[p.PID] = agentRun{p, id, false}
	}
}

// rememberRunner takes what is below p for the agent of session id, also before p says
// which process that is: an agent can be faster, or stop who would say so. What is below
// this console stays the user's. Caller holds mu.
func (b *Broker) rememberRunner(p broker.Process, id string) {
	if p.PID <= 1 || p.PID == os.Getpid() {
		return
	}
	if old, ok := b.agentRuns[p.PID]; !ok || old.Start != p.Start {
		b.agentRuns[p.PID] = agentRun{p, id, true}
	}
}

// forgetDeadAgents drops the processes that are no more.
func (b *Broker) forgetDeadAgents() {
	b.mu.Lock()
	runs := make([]broker.Process, 0, len(b.agentRuns))
	for _, run := range b.agentRuns {
		runs = append(runs, run.Process)
	}
	b.mu.Unlock()
	dead := slices.DeleteFunc(runs, b.opts.Alive)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range dead {
		if b.agentRuns[p.PID].Process == p {
			delete(b.agentRuns, p.PID)
		}
	}
}

// agentAbove says why the process pid counts as an agent's; "" when it does not. One
// whose ancestry cannot be followed to the top counts as one.
func (b *Broker) agentAbove(pid int) string {
	if pid <= 0 {
		return "its process cannot be seen from here, as one in a container"
	}
	chain, err := steadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	if why := b.agentIn(chain); why != "" {
		return why
	}
	return bornOfAgent(chain)
}

// agentBeside is agentAbove, but for processes that this console started, directly or not:
// they have its environment, which says nothing of them.
func (b *Broker) agentBeside(pid int) string {
	chain, err := steadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	why := b.agentIn(chain)
	if why == "" && !slices.ContainsFunc(chain, func(k kin) bool { return k.PID == os.Getpid() }) {
		why = bornOfAgent(chain)
	}
	return why
}

// agentIn names the known agent in an ancestry; "" when there is none.
func (b *Broker) agentIn(chain []kin) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, k := range chain {
		if run, ok := b.agentRuns[k.PID]; ok && (run.Start == 0 || run.Start == k.Start) && (i > 0 || !run.runner) {
			return fmt.Sprintf("it comes from the agent of session %s (process %d)", broker.Clip(run.session), run.PID)
		}
	}
	return ""
}

// agentOf is the process to watch for a session: the one that the hook names, if it is
// one of the client's ancestors, else the nearest of them that is more than the shell of
// a hook's command line. What a hook says of itself counts for nothing beside that: it
// may be left over from another agent, mean another container, or be a lie.
func agentOf(client broker.Process, named string) broker.Process {
	if client.PID <= 1 {
		return broker.Process{}
	}
	chain, err := lineageOf(client.PID)
	if err != nil {
		return broker.Process{}
	}
	above := chain[1:]
	if i := slices.IndexFunc(above, func(k kin) bool { return strconv.Itoa(k.PID) == named }); i >= 0 {
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
