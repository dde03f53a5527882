package engine

import (
	"cmp"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/undo"
)

const (
	maxRan    = 64 << 10 // bytes of an input that ran that are kept
	maxAlarms = 1000     // tools of a session that are told apart; a tenth of the reports
	mostOpen  = 100      // alarms of a session that nobody has acknowledged; more say nothing new
)

// alarmed are the alarms of a session that nobody has acknowledged.
type alarmed struct {
	first broker.Alarm
	count int
}

// alarms are those that nobody has acknowledged, by session.
type alarms struct {
	alarmed undo.Map[string, alarmed]
	alarmOf undo.Map[string, broker.Alarm] // by request
	raised  undo.Map[string, bool]         // all of them, by session, tool use and kind: each is told once
}

// alarmWords say why no rule may allow anything in a session; "" when they may.
func (as *alarms) alarmWords(sessionID string) string {
	a := as.alarmed.At(sessionID)
	if a.count == 0 {
		return ""
	}
	return "no rule may allow anything in this session until its alarm is acknowledged: " + a.first.ToolName + ": " + a.first.Words()
}

func (s *State) addAlarm(a broker.Alarm) {
	list := s.alarmed.At(a.SessionID)
	if list.count == 0 {
		list.first = a
	}
	list.count++
	s.alarmed.Put(a.SessionID, list)
	if a.RequestID != "" {
		s.alarmOf.Put(a.RequestID, a)
	}
	s.setRules(func(*Rules) {}) // what was judged before may not be what holds now
}

// Raise is an alarm: a call ran otherwise than it was allowed. One that cannot be recorded is
// told all the same.
type Raise struct{ Alarm broker.Alarm }

func (in Raise) step(s *State, now time.Time) Reply {
	a := in.Alarm
	once := strings.Join([]string{a.SessionID, cmp.Or(a.ToolUseID, a.RequestID), string(a.Kind)}, "\x1f")
	if s.raised.Has(once) || s.alarmed.At(a.SessionID).count >= mostOpen { // reports have no other limit
		return Reply{}
	}
	if s.raised.Len() < 10*maxAlarms {
		s.raised.Put(once, true)
	}
	a.At = broker.Instant(now)
	if len(a.Ran) > maxRan {
		a.Ran = nil
	}
	s.addAlarm(a)
	if s.cause == nil { // the session's own log tells of it, and the console's, which a starting one reads
		s.note(a.At, broker.EventRanOtherwise, broker.Request{SessionID: a.SessionID, ID: a.RequestID}, a)
		s.note(a.At, broker.EventAlarm, broker.Request{ID: a.RequestID}, a)
	}
	if se := s.editSession(a.SessionID); se.Row.Alarm == nil {
		se.Row.Alarm = new(a)
		s.emit(ShowSession{a.SessionID})
	}
	if c := s.call(a.RequestID); c != nil {
		req := s.edit(c).own()
		req.Alarm = new(a)
		s.emit(ShowCall{req})
	}
	return Reply{Done: true}
}

// Acknowledge takes note of a session's alarm, so that rules may allow again in it.
// Errors: ErrNotFound, ErrForbidden.
type Acknowledge struct {
	SessionID string
	By        broker.Actor
}

func (in Acknowledge) step(s *State, now time.Time) Reply {
	list := s.alarmed.At(in.SessionID)
	switch {
	case in.By.Kind != broker.ByOperator:
		return Reply{Err: broker.ErrForbidden}
	case list.count == 0:
		return Reply{Err: broker.ErrNotFound}
	}
	a := list.first
	s.noteSynced(now, broker.EventAlarmSeen, broker.Request{ID: a.RequestID}, map[string]any{"session_id": in.SessionID, "tool_use_id": a.ToolUseID, "kind": a.Kind, "by": in.By})
	s.alarmed.Drop(in.SessionID)
	s.setRules(func(*Rules) {})
	s.editSession(in.SessionID).Row.Alarm = nil
	s.emit(ShowSession{in.SessionID})
	return Reply{Done: true}
}
