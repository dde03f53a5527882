package service

import (
	"fmt"
	"os"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

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
	for i, k := range chain {
		if run, ok := b.view.Agent(k.PID); ok && (run.Start == 0 || run.Start == k.Start) && (i > 0 || !run.Runner) {
			return fmt.Sprintf("it comes from the agent of session %s (process %d)", broker.Clip(run.Session), run.PID)
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
