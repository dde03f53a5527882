package brokertest

import (
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// putOff reports whether a call of the session has a checkpoint. Caller holds mu.
func (m *Memory) putOff(session string) bool {
	for _, c := range m.deferred {
		if c.SessionID == session {
			return true
		}
	}
	return false
}

// checkpoints lists them by when they were last spoken of, oldest first. Caller holds mu. It goes
// through the log from its end, so the first event of a request that it meets is the newest.
func (m *Memory) checkpoints() []broker.Checkpoint {
	var list []broker.Checkpoint
	for _, e := range slices.Backward(m.events) {
		if e.Type != broker.EventDeferred && e.Type != broker.EventTakenUpAgain {
			continue
		}
		c, ok := m.deferred[e.RequestID]
		if ok && !slices.ContainsFunc(list, func(o broker.Checkpoint) bool { return o.RequestID == c.RequestID }) {
			list = append(list, copyCheckpoint(c))
		}
	}
	slices.Reverse(list)
	return list
}

// copyCheckpoint shares nothing with c that a caller could change.
func copyCheckpoint(c broker.Checkpoint) broker.Checkpoint {
	c.Args = slices.Clone(c.Args)
	return c
}
