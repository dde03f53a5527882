package engine

import (
	"cmp"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

// A hook whose connection broke asks again under the same id, and gets the answer that is on
// record. A refusal is given again for ever. That a call may run is given again only while
// nothing says that it ran already or would be answered otherwise now: allowed once is not
// allowed for ever.

// ReplayFor is how long after its decision an allow is given again.
const ReplayFor = time.Minute

// Replay gives an answer once more that may let a call run. Why is what speaks against it, as
// far as the caller can tell from the log and the disk; "" when nothing does.
//
// Errors: ErrAnsweredBefore, with why. Reply.Call is as its asker is told of it.
type Replay struct {
	Call broker.Request // as it ended; it need not be in memory
	Why  string
	PID  int // of who asks again; 0: not known
}

func (in Replay) step(s *State, now time.Time) Reply {
	c := s.call(in.Call.ID)
	if s.withholds(c, &in.Call) {
		return Reply{Call: broker.KeptBack(in.Call)}
	}
	if why := cmp.Or(in.outlived(s, now, c), in.Why); why != "" {
		return Reply{Err: broker.AnsweredBefore(why), Call: in.Call}
	}
	s.note(now, broker.EventAnsweredAgain, in.Call, broker.AnsweredAgainData{ToolUseID: in.Call.ToolUseID, PID: in.PID})
	if c != nil {
		c = s.edit(c)
		c.Told.withheld = false
		s.takeBackUnheard(c)
	}
	return Reply{Call: in.Call, Done: true}
}

// outlived says why an answer that let the call run does not hold any more, as far as the state
// tells; "" when it does. c is the call where it is in memory.
func (in Replay) outlived(s *State, now time.Time, c *Call) string {
	r := &in.Call
	given, over := r.Outcome.At, ""
	if c != nil {
		over = c.Told.over
		if !c.Told.givenAt.IsZero() {
			given = c.Told.givenAt
		}
	}
	if why := cmp.Or(s.stopped(r.SessionID), over); why != "" {
		return why
	}
	observing := s.now.observes(s.session(r.SessionID))
	away := now.Sub(given)
	switch {
	case r.Outcome.By.Kind == broker.ByObserve && observing:
		return "" // a new call would not be held either
	case r.Outcome.By.Kind == broker.ByObserve:
		return "calls are held by now"
	case away > ReplayFor || away < -ReplayFor:
		return "its answer is too old"
	case s.now.rules.Problem() != "":
		return "nothing is allowed without a person now: " + s.now.rules.Problem()
	case s.alarmed.At(r.SessionID).count > 0:
		return "its session has an alarm that nobody has acknowledged"
	}
	return ""
}

// TwinQuestion is a call that is asked about without an id, as some agents do after they asked
// about it with one. When the first question was allowed a moment ago, and nothing came in
// between, so is its twin, once and at once; in all doubt it is a question of its own.
//
// Reply.Done says that there is such a call: Reply.Call. It is to be looked at, and then sent
// in with Replay.
type TwinQuestion struct{ Hook agents.Hook }

func (in TwinQuestion) step(s *State, now time.Time) Reply {
	h := in.Hook
	if s.held(h.SessionID) != "" {
		return Reply{}
	}
	var found *Call
	for _, id := range s.now.recent {
		c := s.call(id)
		if c == nil || c.Told.twin || c.Req.State != broker.Allowed || c.Req.SessionID != h.SessionID || c.Req.Agent != h.Agent ||
			c.Req.Event != broker.GateOf(h.Agent) || c.Req.ToolName != h.ToolName || now.Sub(c.Req.Outcome.At) > ReplayFor || !broker.CoversInput(*c.Req, h.ToolInput) {
			continue
		}
		if found == nil || c.Req.Outcome.At.After(found.Req.Outcome.At) {
			found = c
		}
	}
	if found == nil {
		return Reply{}
	}
	found = s.edit(found)
	found.Told.twin = true
	return Reply{Call: *found.Req, Done: true}
}

// noteOver notes what it ends: an answer that let a call run is not given again then.
func (in FromHook) noteOver(s *State) {
	h := in.Hook
	turnOver := h.Kind == agents.TurnEnd || h.Kind == agents.Prompt || h.Kind == agents.SessionEnd
	if c := s.byKey(broker.CallKey(h, broker.GateOf(h.Agent))); c != nil && h.Kind == agents.ToolDone {
		s.edit(c).Told.over = "the call has already run"
	}
	if !turnOver || h.FromApp { // what an app tells may be anybody's; the log has it
		return
	}
	for _, id := range s.now.recent {
		if c := s.call(id); c != nil && c.Req.SessionID == h.SessionID && c.Phase == ended {
			s.edit(c).Told.over = "its turn is over"
		}
	}
}
