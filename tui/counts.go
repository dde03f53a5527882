package tui

import (
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// heldCalls counts the calls that a freeze holds, and their agents with them.
func (b *board) heldCalls() int {
	n := 0
	for _, c := range b.waiting {
		if c.held() && !c.putOff() {
			n++
		}
	}
	return n
}

// frozenSessions counts the sessions that are frozen.
func (b *board) frozenSessions() int {
	n := 0
	for _, s := range b.sessions {
		if s.Frozen && !s.State.Ended() {
			n++
		}
	}
	return n
}

// observedSessions counts the sessions that are only observed.
func (b *board) observedSessions() int {
	n := 0
	for _, s := range b.sessions {
		if s.Observed && !s.State.Ended() {
			n++
		}
	}
	return n
}

// alarmed lists the sessions with an alarm that nobody has acknowledged, oldest first.
func (b *board) alarmed() []*broker.Session {
	var list []*broker.Session
	for _, s := range b.sessions {
		if s.Alarm != nil {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(x, y *broker.Session) int { return x.Alarm.At.Compare(y.Alarm.At) })
	return list
}

// elsewhere are the sessions whose agents ask in their own terminals, as drawn.
func (b *board) elsewhere() []*broker.Session {
	var list []*broker.Session
	for _, id := range b.roster {
		if s := b.sessions[id]; s.Asks != nil && !s.State.Ended() {
			list = append(list, s)
		}
	}
	return list
}

// inOneProcess reports whether another living session has the process of s, so that its pane
// may be that one's.
func (b *board) inOneProcess(s *broker.Session) bool {
	if s.Process.PID == 0 || s.Pane == "" || !s.SharesProcess() {
		return false
	}
	for _, o := range b.sessions {
		if o.ID != s.ID && o.Process == s.Process && !o.State.Ended() {
			return true
		}
	}
	return false
}
