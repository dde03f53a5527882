package engine

import "github.com/aoctl/aoctl/broker"

// AgentRun is a process of an agent, as long as it lives: also one that said that its session
// is over, and one after which the session had another process. Everything below it belongs to
// an agent.
type AgentRun struct {
	broker.Process
	Session string
	Runner  bool // it holds the agent, and is none itself
}

// remember takes p for a process of the agent of session id.
func (ss *sessions) remember(p broker.Process, id string) {
	if p.PID <= 1 {
		return
	}
	if old, ok := ss.agents.get(p.PID); !ok || old.Start != p.Start || old.Runner {
		ss.agents.put(p.PID, AgentRun{p, id, false})
	}
}

// rememberRunner takes what is below p for the agent of session id, also before p says which
// process that is: an agent can be faster, or stop who would say so. What is below this console
// stays the user's.
func (ss *sessions) rememberRunner(p broker.Process, id string) {
	if p.PID <= 1 || p.PID == ss.self {
		return
	}
	if old, ok := ss.agents.get(p.PID); !ok || old.Start != p.Start {
		ss.agents.put(p.PID, AgentRun{p, id, true})
	}
}

// forgetDead drops the processes that are no more.
func (in Tick) forgetDead(s *State) {
	for _, p := range in.Dead {
		if run, ok := s.agents.get(p.PID); ok && run.Process == p {
			s.agents.drop(p.PID)
		}
	}
}
