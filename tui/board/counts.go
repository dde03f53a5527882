package board

import (
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// HeldCalls counts the calls that a freeze holds, and their agents with them.
func (b *Board) HeldCalls() int {
	n := 0
	for _, c := range b.Waiting {
		if c.Held() && !c.PutOff() {
			n++
		}
	}
	return n
}

// FrozenSessions counts the living sessions that are frozen, by themselves or with
// all.
func (b *Board) FrozenSessions() int {
	n := 0
	for _, s := range b.Sessions {
		if s.Frozen && !s.State.Ended() {
			n++
		}
	}
	return n
}

// ObservedSessions counts the living sessions that are only observed.
func (b *Board) ObservedSessions() int {
	n := 0
	for _, s := range b.Sessions {
		if s.Observed && !s.State.Ended() {
			n++
		}
	}
	return n
}

// Alarmed lists the sessions with an alarm that nobody has acknowledged, oldest first.
func (b *Board) Alarmed() []*broker.Session {
	var list []*broker.Session
	for _, s := range b.Sessions {
		if s.Alarm != nil {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(x, y *broker.Session) int { return x.Alarm.At.Compare(y.Alarm.At) })
	return list
}

// Elsewhere are the sessions whose agents ask in their own terminals, as drawn.
func (b *Board) Elsewhere() []*broker.Session {
	var list []*broker.Session
	for _, id := range b.Roster {
		if s := b.Sessions[id]; s.Asks != nil && !s.State.Ended() {
			list = append(list, s)
		}
	}
	return list
}

// InOneProcess reports whether another living session has the process of s, so that
// its pane may be that one's.
func (b *Board) InOneProcess(s *broker.Session) bool {
	if s.Process.PID == 0 || s.Pane == "" || !s.SharesProcess() {
		return false
	}
	for _, o := range b.Sessions {
		if o.ID != s.ID && o.Process == s.Process && !o.State.Ended() {
			return true
		}
	}
	return false
}
