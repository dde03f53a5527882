package board

import (
	"cmp"
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// tally is what is counted and picked out among the sessions.
type tally struct {
	living, ended, frozen, observed int
	alarmed                         []*broker.Session // oldest alarm first
	elsewhere                       []*broker.Session // in the order of the roster
}

// tallied is the tally of the sessions as they are now. Ten thousand of them are counted once after
// each change, not in each frame.
func (b *Board) tallied() *tally {
	if b.sums != nil {
		return b.sums
	}
	t := &tally{}
	for _, id := range b.Roster {
		if s := b.Sessions[id]; s.Asks != nil && !s.State.Ended() {
			t.elsewhere = append(t.elsewhere, s)
		}
	}
	for _, s := range b.Sessions {
		t.add(s)
	}
	slices.SortFunc(t.alarmed, func(x, y *broker.Session) int {
		return cmp.Or(x.Alarm.At.Compare(y.Alarm.At), cmp.Compare(x.ID, y.ID))
	})
	b.sums = t
	return t
}

func (t *tally) add(s *broker.Session) {
	if s.Open() {
		t.living++
	} else if s.Over() && !s.Removed() {
		t.ended++
	}
	if s.Frozen && !s.State.Ended() {
		t.frozen++
	}
	if s.Observed && !s.State.Ended() {
		t.observed++
	}
	if s.Alarm != nil {
		t.alarmed = append(t.alarmed, s)
	}
}

// changed takes in that a session, or the order of them, is another one now.
func (b *Board) changed() {
	b.sums = nil
	b.sessionRev++
}

// SessionRev differs whenever a session, or the order of them, has changed: what is worked out of them
// holds as long as it is the same.
func (b *Board) SessionRev() int { return b.sessionRev }

// Living counts the sessions in which something may still happen.
func (b *Board) Living() int { return b.tallied().living }

// Ended counts the sessions that are over, without those that were removed.
func (b *Board) Ended() int { return b.tallied().ended }

// FrozenSessions counts the sessions that are frozen.
func (b *Board) FrozenSessions() int { return b.tallied().frozen }

// ObservedSessions counts the sessions that are only observed.
func (b *Board) ObservedSessions() int { return b.tallied().observed }

// Alarmed lists the sessions with an alarm that nobody has acknowledged, oldest first.
func (b *Board) Alarmed() []*broker.Session { return b.tallied().alarmed }

// Elsewhere are the sessions whose agents ask in their own terminals, as drawn.
func (b *Board) Elsewhere() []*broker.Session { return b.tallied().elsewhere }

// HeldCalls counts the calls that a freeze holds, and their agents with them.
func (b *Board) HeldCalls() int { return b.held }

// InOneProcess reports whether another living session has the process of s, so that its pane
// may be that one's.
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
