package service

import "github.com/aoctl/aoctl/broker/agents"

// roots are the sub-agents that were heard of, by their id: the session that each belongs to.
// Some agents give a sub-agent a session id of its own, and one that a sub-agent started
// names only that one. Guarded by Broker.mu.
type roots map[string]string

const (
	maxRoots = 10_000 // sub-agents that are remembered; forgotten ones' own become sessions of their own
	maxBelow = 16     // sub-agents of sub-agents that are followed
)

// rootOf is the session that h belongs to: the one at the root, where h names a sub-agent as
// its session. A session that this broker knows as one is never taken for a sub-agent.
func (b *Broker) rootOf(h agents.Hook) string {
	if h.SubagentID == "" || h.SubagentID == h.SessionID {
		return h.SessionID
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	root := h.SessionID
	for range maxBelow {
		parent, ok := b.roots[root]
		if _, own := b.sessions[root]; !ok || own {
			break
		}
		root = parent
	}
	if _, own := b.sessions[h.SubagentID]; own || root == h.SubagentID {
		return root
	}
	if len(b.roots) >= maxRoots || b.roots == nil {
		b.roots = roots{}
	}
	b.roots[h.SubagentID] = root
	return root
}
