// Package event draws the log of a session: an event as a line and unfolded, or a call with all its
// events as one line. A Step is an event read once: the call it is about, what was decided, what
// ran, what was said. A Call is put together from the Steps that are about one call.
//
// The events screen lists calls, and steps that belong to none; a transcript draws those steps
// among its entries that nobody said.
//
// The texts of an event are an agent's. What is returned for a line is safe to draw.
package event

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
)

// Step is one event of a session, read for drawing. Its texts are untrusted, but for sum.
type Step struct {
	Event broker.Event
	Call  *broker.Request  // nil when it is about none
	Large int              // bytes of the call's input when it is too large to be kept
	sum   callview.Summary // of call

	Decided broker.DecidedData
	Ran     broker.RanData
	told    told
	hay     string // what the filter looks at, lower case
}

// told is what other events have in their data.
type told struct {
	story.UserData

	ToolName     string       `json:"tool_name"`
	SubagentID   string       `json:"subagent_id"`
	SubagentType string       `json:"subagent_type"`
	On           bool         `json:"on"`
	Failed       bool         `json:"failed"` // a turn
	Error        string       `json:"error"`  // of that
	Ended        int          `json:"ended"`  // processes
	By           broker.Actor `json:"by"`

	Kind broker.RunKind `json:"kind"` // of an alarm
}

// maxStepInput is how much of a call's input a step keeps, bytes.
const maxStepInput = 64 << 10

// New reads an event. What cannot be read of its data is drawn as it is.
func New(m story.Moment) *Step {
	s := &Step{Event: m.Event, Call: m.Call}
	if m.Call != nil {
		s.sum = callview.SummaryOf(*m.Call)
		if n := len(m.Call.ToolInput); n > maxStepInput {
			r := *m.Call
			r.ToolInput, s.Large = nil, n
			s.Call = &r
		}
	}
	var into any = &s.told
	switch m.Event.Type {
	case broker.EventRequestDecided:
		into = &s.Decided
	case broker.EventPostTool:
		into = &s.Ran
	}
	if len(m.Event.Data) > 0 {
		_ = json.Unmarshal(m.Event.Data, into) // what cannot be read is drawn as it is
	}
	if m.Event.Type == broker.EventPostTool && s.Ran.Digest == "" {
		_ = json.Unmarshal(m.Event.Data, &s.told) // the same
	}
	s.hay = strings.ToLower(strings.Join(s.words(), "\n"))
	return s
}

// words are what the filter looks at. Of a call's end and of a decision these are what people read,
// not the names of fields: "fail" is to find failures alone.
func (s *Step) words() []string {
	id, name := s.Helper()
	list := []string{s.sign().word, s.Event.Type, s.Tool(), s.Text(), id, name}
	switch {
	case s.Event.Type == broker.EventRequestDecided:
		return append(list, s.Decided.Reason, callview.Actor(s.Decided.By), string(s.Decided.By.Kind), s.Decided.By.ID, clipped(s.Decided.UpdatedInput))
	case s.Event.Type == broker.EventPostTool && s.Ran.Digest != "":
		return append(list, clipped(s.Ran.Output))
	}
	return append(list, clipped(s.Event.Data))
}

// clipped is as much of a text as the filter looks at.
func clipped[T string | json.RawMessage](text T) string {
	return string(text[:min(len(text), board.MaxHaystack)])
}

// Seq is the event's number in the log.
func (s *Step) Seq() int64 { return s.Event.Seq }

// At is when it happened.
func (s *Step) At() time.Time { return s.Event.At }

// Has reports whether a word, which is in lower case, occurs in the step.
func (s *Step) Has(word string) bool { return strings.Contains(s.hay, word) }

// ofCalls are the types of event that tell what became of a call.
var ofCalls = map[string]bool{
	broker.EventRequestCreated: true, broker.EventRequestDecided: true, broker.EventPostTool: true, broker.EventExtended: true,
	broker.EventDeferred: true, broker.EventTakenUpAgain: true, broker.EventNotDeferred: true, broker.EventOnceMinted: true, broker.EventAllowedOnce: true,
	broker.EventUnheard: true, broker.EventAnsweredAgain: true, broker.EventAnswerWithheld: true,
}

// OfCall is the id of the call of which the step tells what became; "" for every other event. A
// call may have run otherwise than it was allowed, or somebody tried to decide it who may not:
// these stand for themselves.
func (s *Step) OfCall() string {
	if ofCalls[s.Event.Type] {
		return s.Event.RequestID
	}
	return ""
}

// Helper is the sub-agent that the step is about, by its id and its name, as far as they are
// known; both are empty for the session's main agent, and untrusted.
func (s *Step) Helper() (id, name string) {
	id, name = cmp.Or(s.Ran.SubagentID, s.told.SubagentID), cmp.Or(s.Ran.SubagentType, s.told.SubagentType)
	if s.Call != nil {
		id, name = cmp.Or(id, s.Call.SubagentID), cmp.Or(name, s.Call.SubagentType)
	}
	return id, name
}
