package engine

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Tick is the regular look at who may have gone without a word, and at what is still to be
// written. Dead are processes that were seen to be no more, of those that Watched names.
type Tick struct {
	Dead    []broker.Process
	LogSeq  int64 // the log's end
	LogHash string
}

func (in Tick) step(s *State, now time.Time) Reply {
	in.cancelAbandoned(s, now)
	in.tellUnheard(s, now)
	in.noticeGone(s, now)
	s.endSilent(now)
	in.forgetDead(s)
	s.noteFloods(now, false)
	in.countRefusals(s, now)
	if h := &s.now.health; h.LogSeq != in.LogSeq {
		h.LogSeq, h.LogHash = in.LogSeq, in.LogHash
		s.emit(ShowHealth{})
	}
	if s.now.counted {
		s.now.counted = false
		s.emit(ShowRules{})
	}
	return Reply{}
}

// stalled says that a round took long: those who asked in it could not wait for the answer yet, and
// those who came meanwhile were not heard.
type stalled struct{}

func (stalled) step(s *State, now time.Time) Reply {
	for _, se := range s.sessions.All() {
		for _, id := range se.waiting {
			s.edit(s.call(id)).Asker.leftAt = now
		}
	}
	return Reply{}
}

// noticeGone marks sessions whose agent's process is no more. Where a runner
// holds the session, the runner tells how it ended.
func (in Tick) noticeGone(s *State, now time.Time) {
	if len(in.Dead) == 0 {
		return
	}
	for _, id := range s.sessions.Keys() {
		s.close(now, id, cancelled("the agent's process is gone"), func(c *Call) bool { // another one may have resumed the session
			return c.Asker.agent.PID != 0 && slices.Contains(in.Dead, c.Asker.agent) && c.Asker.agent != s.session(id).Row.Process
		})
		se := s.session(id)
		p := se.Row.Process
		if p.PID == 0 || !se.Row.EndedAt.IsZero() || !se.known() || se.Row.Run.Running() || !slices.Contains(in.Dead, p) {
			continue
		}
		_, _ = s.update(now, Speaker{SessionID: id}, func(row *broker.Session) ([]*broker.Event, error) {
			return broker.EndSession(now, row, broker.SessionGone, nil, "gone"), nil
		})
		s.close(now, id, cancelled("the agent's process is gone"), func(c *Call) bool {
			return c.Asker.agent == p || c.Asker.agent.PID == 0 // another process may have resumed the session, and waits for an answer of its own
		})
	}
}

// endSilent ends the sessions of which no process is known here, as of programs and of agents on
// other machines, once nothing was heard of them for long.
func (s *State) endSilent(now time.Time) {
	for id, se := range s.sessions.All() {
		row := &se.Row
		if s.limits.Silence <= 0 || now.Sub(row.LastSeenAt) < s.limits.Silence || row.Over() || row.Process.PID != 0 || row.Run.Running() ||
			!se.known() || len(se.waiting)+len(se.deferred) > 0 {
			continue
		}
		_, _ = s.update(now, Speaker{SessionID: id}, func(row *broker.Session) ([]*broker.Event, error) {
			return broker.EndSession(now, row, broker.SessionGone, nil, broker.ReasonSilent), nil
		})
	}
}

// Closing says that the console ends. What waits is found again by the next one. With Drain
// held polls only answer at once.
type Closing struct{ Drain bool }

func (in Closing) step(s *State, now time.Time) Reply {
	if s.now.draining = true; in.Drain {
		return Reply{}
	}
	s.now.closed = true
	pending := s.now.waiting
	for _, se := range s.sessions.All() {
		for _, id := range se.deferred {
			if s.call(id).Phase == putOff {
				pending++
			}
		}
	}
	if pending > 0 {
		s.note(now, broker.EventConsoleClosed, broker.Request{}, map[string]int{"pending": pending})
	}
	s.noteFloods(now, true)
	return Reply{}
}
