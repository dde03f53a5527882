package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
)

// FromHook is an event that an agent tells of and that is no question.
//
// Errors: ErrInvalid, ErrTooFast, ErrTooManySessions, ErrClosed, ErrNotRecorded. One that
// comes too fast is counted and not recorded; what it ends is ended all the same.
type FromHook struct {
	Hook    agents.Hook
	Speaker Speaker
	Ran     broker.RanData // of a call's end
	RanID   string         // the request whose call it tells of, where that is found by its id
}

func (in FromHook) step(s *State, now time.Time) Reply {
	h := in.Hook
	switch {
	case s.now.closed:
		return Reply{Err: broker.ErrClosed}
	case !broker.ValidSessionID(h.SessionID):
		return Reply{Err: errSessionID}
	}
	limit := s.admitEvent(now, h.SessionID)
	in.noteOver(s)
	if limit == nil {
		in.record(s, now)
	} else if h.Kind == agents.Prompt || !errors.Is(limit, broker.ErrTooFast) {
		return Reply{Err: limit}
	} // else it is counted and not recorded: an error would keep some agents from ending their turn
	se := s.editSession(h.SessionID)
	se.turnSeen = se.turnSeen || h.Kind == agents.SessionStart || h.Kind == agents.Prompt && !h.FromApp
	if h.SubagentID == "" && slices.Contains([]agents.Kind{agents.TurnEnd, agents.Prompt, agents.SessionEnd, agents.SessionStart}, h.Kind) {
		se.putOffTurn = false // the turn is over in which a call was put off
	}
	if se.Row.Asks.Over(h) {
		se.Row.Asks = nil
		s.emit(ShowSession{h.SessionID})
	}
	r := Reply{Session: se.view(), Done: limit == nil}
	if h.Kind == agents.ToolDone && h.ToolUseID == "" && !agents.TraitsOf(h.Agent).CallID {
		r.Call, r.Replay = in.ranByInput(s, now)
	}
	in.settleElsewhere(s, now)
	return r
}

// record puts the event into the log, and changes the session by it.
func (in FromHook) record(s *State, now time.Time) {
	h := in.Hook
	events := func(row *broker.Session) ([]*broker.Event, error) { return broker.ApplyHook(now, row, h), nil }
	if h.Kind == agents.ToolDone {
		about := broker.Request{SessionID: h.SessionID, ID: in.RanID}
		if about.ID == "" {
			about.ID = in.whatRan(s)
		}
		events = func(*broker.Session) ([]*broker.Event, error) {
			return []*broker.Event{broker.NewEvent(now, broker.EventPostTool, about, in.Ran)}, nil
		}
	}
	_, _ = s.update(now, in.Speaker, events) // f has no errors
}

// whatRan is the id of the call that it reports to have ended, "" when none is known: as for
// calls that were asked for without an id, the oldest with this very input whose end was not
// heard of yet.
func (in FromHook) whatRan(s *State) string {
	h := in.Hook
	c := in.oldest(s, func(c *Call) bool {
		r := c.Req
		return !c.Told.heardEnd && broker.MayHaveRun(*r, h) &&
			(wire.Same(r.ToolInput, h.ToolInput) || r.Outcome != nil && wire.Same(r.Outcome.UpdatedInput, h.ToolInput))
	})
	if c == nil {
		return ""
	}
	s.edit(c).Told.heardEnd = true
	return c.Req.ID
}

// oldest is the oldest call of the session that is one; nil when none is.
func (in FromHook) oldest(s *State, is func(*Call) bool) (found *Call) {
	for _, c := range in.calls(s) {
		if is(c) && (found == nil || broker.Older(c.Req, found.Req) < 0) {
			found = c
		}
	}
	return found
}

// calls are those of the session that are in memory.
func (in FromHook) calls(s *State) (list []*Call) {
	if se := s.session(in.Hook.SessionID); se != nil {
		for _, id := range slices.Concat(se.waiting, se.deferred) {
			list = append(list, s.call(id))
		}
	}
	for _, id := range s.now.recent {
		if c := s.call(id); c != nil && c.Req.SessionID == in.Hook.SessionID && c.Phase == ended {
			list = append(list, c)
		}
	}
	return list
}

// ranByInput looks whether a call that it reports, which has no id, was allowed. One that waits
// although it ran is closed. It returns the call that was not allowed, and whether there is to
// be an alarm unless another one like it was.
func (in FromHook) ranByInput(s *State, now time.Time) (refused broker.Request, suspect bool) {
	h := in.Hook
	if c := in.runOf(s, true); c != nil {
		c = s.edit(c)
		c.Told.reported, c.Told.over = true, "the call has already run"
		return refused, false
	}
	c := in.runOf(s, false)
	if c == nil {
		return refused, false
	}
	c = s.edit(c)
	c.Told.reported = true
	refused = *c.Req
	se := s.session(h.SessionID)
	suspect = se.turnSeen && !s.now.observes(se)
	if c.Phase == waiting {
		s.end(now, c, broker.Outcome{State: broker.Answered, By: broker.Actor{Kind: broker.ByAgent}, Reason: "the call has already run"})
	}
	for _, other := range in.calls(s) {
		suspect = suspect && !other.ranLike(h)
	}
	return refused, suspect
}

// ranLike reports whether the call is like the one that h reports, and was told to run.
func (c *Call) ranLike(h agents.Hook) bool {
	return broker.RanAs(*c.Req, h) && broker.ToldToRun(*c.Req)
}

// runOf is the oldest call that may be the one that it reports, was not reported before, and
// was told to run or not; nil when there is none.
func (in FromHook) runOf(s *State, toldToRun bool) *Call {
	return in.oldest(s, func(c *Call) bool {
		return !c.Told.reported && broker.RanAs(*c.Req, in.Hook) && broker.ToldToRun(*c.Req) == toldToRun
	})
}

// settleElsewhere closes cards whose call was settled without us: the person answered in the
// agent's own terminal, the turn ended, the agent said goodbye.
func (in FromHook) settleElsewhere(s *State, now time.Time) {
	h := in.Hook
	answered := func(why string) broker.Outcome {
		return broker.Outcome{State: broker.Answered, By: broker.Actor{Kind: broker.ByAgent}, Reason: why}
	}
	switch h.Kind {
	case agents.ToolDone:
		s.close(now, h.SessionID, answered("the call has already run"), func(c *Call) bool {
			r := c.Req
			if r.ToolName != h.ToolName || r.SubagentID != h.SubagentID && !agents.TraitsOf(h.Agent).OneIDSpace {
				return false
			}
			if r.ToolUseID != "" {
				return r.ToolUseID == h.ToolUseID
			}
			return r.SubagentID == h.SubagentID && r.Event == "PermissionRequest" && wire.Same(r.ToolInput, h.ToolInput)
		})
	case agents.TurnEnd, agents.Prompt:
		if h.SubagentID == "" && !h.FromApp {
			s.close(now, h.SessionID, answered("the turn ended"), func(c *Call) bool {
				return c.Req.SubagentID == "" && c.Req.Event == "PermissionRequest"
			})
		}
	case agents.SessionEnd:
		s.close(now, h.SessionID, cancelled("the session ended"), nil)
	case agents.Observe, agents.Gate, agents.SessionStart, agents.SubagentStart, agents.SubagentStop, agents.Notify, agents.Settings:
	}
}

// close ends the waiting calls of a session that pick picks; nil picks all.
func (s *State) close(now time.Time, sessionID string, o broker.Outcome, pick func(*Call) bool) {
	se := s.session(sessionID)
	if se == nil {
		return
	}
	for _, id := range se.waiting {
		if c := s.call(id); pick == nil || pick(c) {
			s.end(now, c, o)
		}
	}
}

// FromProgram is an event that a program without hooks tells of its session over the API. Apply is
// what it makes of the session's row. Errors: those of FromHook.
type FromProgram struct {
	Speaker Speaker
	Apply   func(now time.Time, row *broker.Session) []*broker.Event
	Ends    bool // the session
}

func (in FromProgram) step(s *State, now time.Time) Reply {
	id := in.Speaker.SessionID
	err := s.admitEvent(now, id)
	if s.now.closed {
		err = broker.ErrClosed
	}
	if err != nil {
		return Reply{Err: err}
	}
	se, _ := s.update(now, in.Speaker, func(row *broker.Session) ([]*broker.Event, error) { return in.Apply(now, row), nil })
	if in.Ends {
		s.close(now, id, cancelled("the session ended"), nil)
	}
	return Reply{Session: se.view(), Done: true}
}

// Admit counts an event of a session that is told in another way. Errors: ErrTooFast,
// ErrTooManySessions.
type Admit struct{ SessionID string }

func (in Admit) step(s *State, now time.Time) Reply {
	return Reply{Err: s.admitEvent(now, in.SessionID)}
}

// TurnStopped says that an answer which ends a turn was delivered: to the main agent, or to a
// sub-agent. No event of the agent's own tells of such an end.
type TurnStopped struct{ SessionID, SubagentID string }

func (in TurnStopped) step(s *State, now time.Time) Reply {
	if se := s.session(in.SessionID); se == nil || se.Row.State != broker.SessionStopping {
		return Reply{}
	}
	_, _ = s.update(now, Speaker{SessionID: in.SessionID}, func(row *broker.Session) ([]*broker.Event, error) {
		if in.SubagentID == "" {
			return broker.EndTurn(now, row), nil
		}
		row.Subagents = broker.WithoutSubagent(row.Subagents, in.SubagentID)
		return broker.StoppedIfOver(now, row), nil
	})
	return Reply{}
}

// Root asks which session a sub-agent's hook belongs to: some agents give a sub-agent a
// session id of its own. A session that is known as one is never taken for a sub-agent.
type Root struct{ SessionID, SubagentID string }

const (
	maxRoots = 10_000 // sub-agents that are remembered; forgotten ones' own become sessions of their own
	maxBelow = 16     // sub-agents of sub-agents that are followed
)

func (in Root) step(s *State, _ time.Time) Reply {
	root := in.SessionID
	for range maxBelow {
		parent, ok := s.roots.Get(root)
		if !ok || s.session(root) != nil {
			break
		}
		root = parent
	}
	if in.SubagentID != "" && in.SubagentID != in.SessionID && s.session(in.SubagentID) == nil && root != in.SubagentID {
		if s.roots.Len() >= maxRoots {
			for _, k := range s.roots.Keys() {
				s.roots.Drop(k)
			}
		}
		s.roots.Put(in.SubagentID, root)
	}
	return Reply{Session: broker.Session{ID: root}}
}
