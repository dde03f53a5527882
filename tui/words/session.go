package words

import (
	"github.com/aoctl/aoctl/broker"
)

// ManagedMark stands before the agent of a session that aoctl holds by both ends.
const ManagedMark = "⇄ "

// StopTold is what a stop means for an agent whose turn cannot be ended from here; "" for
// others, and without a stop. Safe to draw.
func StopTold(s *broker.Session) string {
	if s.Agent == "" || s.EndsTurns() || s.State != broker.SessionStopping && s.State != broker.SessionStopped {
		return ""
	}
	return "each call is refused until its user speaks"
}
