package service

import (
	"fmt"
	"os"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
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
	chain, err := peers.SteadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	if why := b.agentIn(chain); why != "" {
		return why
	}
	return peers.BornOfAgent(chain)
}

// agentBeside is agentAbove, but for processes that this console started, directly or not:
// they have its environment, which says nothing of them.
func (b *Broker) agentBeside(pid int) string {
	chain, err := peers.SteadyLineage(pid)
	if err != nil {
		return "its ancestry cannot be followed: " + err.Error()
	}
	why := b.agentIn(chain)
	if why == "" && !slices.ContainsFunc(chain, func(k peers.Kin) bool { return k.PID == os.Getpid() }) {
		why = peers.BornOfAgent(chain)
	}
	return why
}

// agentIn names the known agent in an ancestry; "" when there is none.
func (b *Broker) agentIn(chain []peers.Kin) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, k := range chain {
		if run, ok := b.agentRuns[k.PID]; ok && (run.Start == 0 || run.Start == k.Start) && (i > 0 || !run.runner) {
			return fmt.Sprintf("it comes from the agent of session %s (process %d)", broker.Clip(run.session), run.PID)
		}
	}
	return ""
}

// agentBehind says why the peer counts as an agent's; "" when it does not. The peer's
// process is held on to meanwhile, so that no other one can take its pid.
func (b *Broker) agentBehind(p peers.Peer) string {
	if p.PID <= 0 {
		return b.agentAbove(0)
	}
	alive, release, err := p.Hold()
	if err != nil {
		return "its process cannot be held on to: " + err.Error()
	}
	defer release()
	why := b.agentAbove(p.PID)
	if why == "" && !alive() {
		return fmt.Sprintf("process %d ended before its ancestry was known", p.PID)
	}
	return why
}
