// Package event draws one event of a session's log: as a line, and unfolded. A Step is an event
// read once: the call it is about, what was decided, what ran, what was said. The events screen
// lists steps; a transcript draws those among its entries that nobody said.
//
// The texts of an event are an agent's. What is returned for a line is safe to draw.
package event

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
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

	Open  bool
	Width int      // for which rows holds
	Rows  []string // below the first one, while open
}

// told is what other events have in their data.
type told struct {
	story.UserData

	Source       string       `json:"source"`
	Reason       string       `json:"reason"`
	Type         string       `json:"type"`
	ToolName     string       `json:"tool_name"`
	SubagentID   string       `json:"subagent_id"`
	SubagentType string       `json:"subagent_type"`
	Kind         string       `json:"kind"`
	On           bool         `json:"on"`
	Failed       bool         `json:"failed"` // a turn
	By           broker.Actor `json:"-"`
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
	if m.Event.Type == broker.EventStopRequested || m.Event.Type == broker.EventFrozen || m.Event.Type == broker.EventExtended {
		var by struct {
			By broker.Actor `json:"by"`
		}
		_ = json.Unmarshal(m.Event.Data, &by) // the same
		s.told.By = by.By
	}
	word, _, _ := s.Word()
	s.hay = strings.ToLower(strings.Join([]string{
		word, s.Event.Type, s.sum.Tool, s.sum.Text, string(m.Event.Data[:min(len(m.Event.Data), board.MaxHaystack)]), s.Whose(),
	}, "\n"))
	return s
}

// Seq is the event's number in the log.
func (s *Step) Seq() int64 { return s.Event.Seq }

// Passes reports whether the step has all the words of a filter, which are in lower case.
func (s *Step) Passes(words []string) bool {
	for _, w := range words {
		if !strings.Contains(s.hay, w) {
			return false
		}
	}
	return true
}

// Whose is the sub-agent that the step is about, "" for the session's main agent.
func (s *Step) Whose() string {
	list := []string{s.Ran.SubagentType, s.told.SubagentType, s.Ran.SubagentID, s.told.SubagentID}
	if s.Call != nil {
		list = append(list, s.Call.SubagentType, s.Call.SubagentID)
	}
	for _, name := range list {
		if name != "" {
			return name
		}
	}
	return ""
}

// Word says what happened in a word, with a sign and an ink for it; safe to draw.
func (s *Step) Word() (word, glyph string, i draw.Ink) {
	switch s.Event.Type {
	case broker.EventUser:
		if s.told.FromAgent {
			return "agent", "»", draw.Muted
		}
		return "you asked", "»", draw.Key
	case broker.EventRequestCreated:
		return "asked", "?", draw.Text
	case broker.EventRequestDecided:
		if s.Decided.By.Kind == broker.ByObserve {
			return "observed", "○", draw.Warn
		}
		g, i := callview.VerdictGlyph(s.Decided.Status)
		return draw.SafeLine(string(s.Decided.Status)), g, i
	case broker.EventPostTool:
		if s.Ran.Failed {
			return "failed", "↳", draw.Danger
		}
		return "ran", "↳", draw.OK
	case broker.EventTurnEnd:
		if s.told.Failed {
			return "failed", "!", draw.Danger
		}
		return "turn end", "·", draw.Muted
	case broker.EventRanOtherwise:
		return "ALARM", "!", draw.Danger
	case broker.EventStopRequested:
		return "stop", "■", draw.Danger
	case broker.EventFrozen:
		if s.told.On {
			return "frozen", "■", draw.Frozen
		}
		return "unfrozen", "·", draw.Muted
	}
	if words, ok := plainWords[s.Event.Type]; ok {
		return words, "·", draw.Muted
	}
	return strings.ReplaceAll(draw.SafeLine(s.Event.Type), "_", " "), "·", draw.Muted
}

// plainWords are those for events that need no sign of their own.
var plainWords = map[string]string{
	broker.EventSessionStart: "began", broker.EventSessionStop: "ended", broker.EventSessionEnd: "ended",
	broker.EventSubagentStart: "helper", broker.EventSubagentStop: "helper", broker.EventNotification: "notice", broker.EventMessage: "message",
	broker.EventStopLifted: "go on", broker.EventSessionKilled: "killed", broker.EventKillRequested: "kill", broker.EventPreTool: "calls",
	broker.EventGrantCreated: "grant", broker.EventGrantUsed: "grant", broker.EventDecisionRefused: "refused", broker.EventAccessRefused: "refused",
	broker.EventAnsweredAgain: "again", broker.EventCallsRefused: "refused", broker.EventSettings: "settings",
	broker.EventExtended: "more time", broker.EventUnheard: "unheard",
}

// Text says the rest on one line; safe to draw.
func (s *Step) Text() string {
	switch s.Event.Type {
	case broker.EventUser:
		return words.Quoted(s.told.Words())
	case broker.EventTurnEnd:
		return words.Quoted(s.told.Text)
	case broker.EventSubagentStart:
		return "began: " + draw.SafeLine(s.Whose())
	case broker.EventSubagentStop:
		return strings.TrimSpace("ended: " + draw.SafeLine(s.Whose()) + "  " + words.Quoted(s.told.Text))
	case broker.EventNotification, broker.EventMessage:
		return draw.SafeLine(cmp.Or(s.told.Message, s.told.Text))
	case broker.EventSessionStart:
		return draw.SafeLine(s.told.Source)
	case broker.EventSessionStop, broker.EventSessionEnd:
		return draw.SafeLine(s.told.Reason)
	case broker.EventStopLifted:
		return "its user spoke"
	case broker.EventStopRequested:
		return "asked for by " + callview.Actor(s.told.By)
	case broker.EventFrozen:
		return "by " + callview.Actor(s.told.By)
	}
	if s.Call != nil {
		return s.sum.Text
	}
	if s.Event.Type == broker.EventPostTool {
		if s.Ran.Digest == "" {
			return draw.SafeLine(s.told.Message)
		}
		text := "without having been asked for here"
		if server, name, ok := callview.SplitMCP(s.Ran.ToolName); ok {
			text = draw.SafeLine(server+" "+name) + "  " + text
		}
		return text
	}
	if len(s.Event.Data) == 0 || string(s.Event.Data) == "{}" {
		return ""
	}
	return safe.Head(string(s.Event.Data), draw.MaxSummary)
}

// Tool is the name of the tool that the step is about; safe to draw.
func (s *Step) Tool() string {
	switch {
	case s.Call != nil:
		return s.sum.Tool
	case s.Event.Type == broker.EventPostTool:
		return draw.SafeLine(callview.ToolWord(s.Ran.ToolName))
	}
	return draw.SafeLine(s.told.ToolName)
}

// Tail stands at the end of a step's line: who decided, how long it took; safe to draw.
func (s *Step) Tail(b *words.Book) string {
	switch s.Event.Type {
	case broker.EventRequestDecided:
		by := b.Actor(s.Decided.By)
		if wait := time.Duration(s.Decided.WaitedMS) * time.Millisecond; wait >= time.Second {
			by += " after " + figures.Brief(wait)
		}
		return by
	case broker.EventPostTool:
		return s.ranTail()
	case broker.EventExtended:
		return b.Actor(s.told.By)
	}
	return ""
}

func (s *Step) ranTail() string {
	var parts []string
	if took := s.Ran.Took(); took > 0 {
		parts = append(parts, figures.Brief(took))
	}
	if s.Ran.OutputBytes > 0 {
		parts = append(parts, figures.Size(s.Ran.OutputBytes))
	}
	return strings.Join(parts, " · ")
}

// Height is how many rows the step has.
func (s *Step) Height() int {
	if !s.Open {
		return 1
	}
	return 1 + len(s.Rows)
}

// LayOut draws what stands below the step's line while it is unfolded.
func (s *Step) LayOut(st *draw.Styles, width int, loc *time.Location) {
	const indent = 2
	d := &callview.Doc{Paper: *st.Paper(width - indent)}
	d.SayBehind(draw.Label, "at", callview.LabelWidth, draw.Muted, s.Event.At.In(loc).Format("2006-01-02 15:04:05")+fmt.Sprintf(" · event %d", s.Seq()))
	switch s.Event.Type {
	case broker.EventPostTool:
		stepCall(d, s, false)
		if s.Ran.Digest == "" { // told over the API, in whatever words
			d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.Event.Data))
			break
		}
		d.Output(s.Ran, true)
	case broker.EventRequestDecided:
		if s.Decided.Reason != "" {
			d.Write(draw.Fixed(draw.Label, "reason", callview.LabelWidth), draw.Text, s.Decided.Reason)
		}
		if len(s.Decided.UpdatedInput) > 0 {
			d.Write(draw.Fixed(draw.Label, "ran with", callview.LabelWidth), draw.Text, change.ValueText(s.Decided.UpdatedInput))
		}
		stepCall(d, s, true)
	case broker.EventRequestCreated:
		stepCall(d, s, true)
	case broker.EventUser:
		d.Write(draw.Gutter{}, draw.Text, s.told.Words())
	case broker.EventTurnEnd, broker.EventSubagentStop, broker.EventMessage:
		if text := s.told.Words(); text != "" {
			d.Said(text)
		} else if len(s.Event.Data) > 0 {
			d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.Event.Data))
		}
	default:
		if len(s.Event.Data) > 0 {
			d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.Event.Data))
		}
	}
	s.Rows, s.Width = words.Pad(d.Rows, width-indent), width
	for i, row := range s.Rows {
		s.Rows[i] = draw.Spaces(indent) + row
	}
}

// stepCall draws the call that a step is about, whole or only what tells most of it.
func stepCall(d *callview.Doc, s *Step, whole bool) {
	switch {
	case s.Call == nil && s.Event.RequestID != "":
		d.Say(draw.Muted, "its call is not on record any more, or was changed: see aoctl log verify")
	case s.Call == nil:
	case s.Large > 0:
		d.Say(draw.Muted, figures.Size(s.Large)+" of input: see the call in the history (h)")
	default:
		r := *s.Call
		tool, input := r.Call()
		c := change.ReadInput(input)
		d.Call(r, tool, c, callview.Around{})
		if whole {
			d.Words(r, c)
		}
	}
}
