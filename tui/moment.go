package tui

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
)

// moment is one event of a session, read for drawing. Its texts are untrusted, but for sum.
type moment struct {
	event broker.Event
	call  *broker.Request  // nil when it is about none
	large int              // bytes of the call's input when it is too large to be kept
	sum   callview.Summary // of call

	decided broker.DecidedData
	ran     broker.RanData
	told    told
	hay     string // what the filter looks at, lower case

	open  bool
	width int      // for which rows holds
	rows  []string // below the first one, while open
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

func newMoment(m story.Moment) *moment {
	s := &moment{event: m.Event, call: m.Call}
	if m.Call != nil {
		s.sum = callview.SummaryOf(*m.Call)
		if n := len(m.Call.ToolInput); n > maxStepInput {
			r := *m.Call
			r.ToolInput, s.large = nil, n
			s.call = &r
		}
	}
	var into any = &s.told
	switch m.Event.Type {
	case broker.EventRequestDecided:
		into = &s.decided
	case broker.EventPostTool:
		into = &s.ran
	}
	if len(m.Event.Data) > 0 {
		_ = json.Unmarshal(m.Event.Data, into) // what cannot be read is drawn as it is
	}
	if m.Event.Type == broker.EventPostTool && s.ran.Digest == "" {
		_ = json.Unmarshal(m.Event.Data, &s.told) // the same
	}
	if m.Event.Type == broker.EventStopRequested || m.Event.Type == broker.EventFrozen || m.Event.Type == broker.EventExtended {
		var by struct {
			By broker.Actor `json:"by"`
		}
		_ = json.Unmarshal(m.Event.Data, &by) // the same
		s.told.By = by.By
	}
	word, _, _ := s.word()
	s.hay = strings.ToLower(strings.Join([]string{
		word, s.event.Type, s.sum.Tool, s.sum.Text, string(m.Event.Data[:min(len(m.Event.Data), board.MaxHaystack)]), s.whose(),
	}, "\n"))
	return s
}

func (s *moment) seq() int64 { return s.event.Seq }

func (s *moment) passes(words []string) bool {
	for _, w := range words {
		if !strings.Contains(s.hay, w) {
			return false
		}
	}
	return true
}

// whose is the sub-agent that the step is about, "" for the session's main agent.
func (s *moment) whose() string {
	list := []string{s.ran.SubagentType, s.told.SubagentType, s.ran.SubagentID, s.told.SubagentID}
	if s.call != nil {
		list = append(list, s.call.SubagentType, s.call.SubagentID)
	}
	for _, name := range list {
		if name != "" {
			return name
		}
	}
	return ""
}

// word says what happened in a word, with a sign and an ink for it; safe to draw.
func (s *moment) word() (word, glyph string, i draw.Ink) {
	switch s.event.Type {
	case broker.EventUser:
		if s.told.FromAgent {
			return "agent", "»", draw.Muted
		}
		return "you asked", "»", draw.Key
	case broker.EventRequestCreated:
		return "asked", "?", draw.Text
	case broker.EventRequestDecided:
		if s.decided.By.Kind == broker.ByObserve {
			return "observed", "○", draw.Warn
		}
		g, i := callview.VerdictGlyph(s.decided.Status)
		return draw.SafeLine(string(s.decided.Status)), g, i
	case broker.EventPostTool:
		if s.ran.Failed {
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
	if words, ok := plainWords[s.event.Type]; ok {
		return words, "·", draw.Muted
	}
	return strings.ReplaceAll(draw.SafeLine(s.event.Type), "_", " "), "·", draw.Muted
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

// text says the rest on one line; safe to draw.
func (s *moment) text() string {
	switch s.event.Type {
	case broker.EventUser:
		return quoted(s.told.Words())
	case broker.EventTurnEnd:
		return quoted(s.told.Text)
	case broker.EventSubagentStart:
		return "began: " + draw.SafeLine(s.whose())
	case broker.EventSubagentStop:
		return strings.TrimSpace("ended: " + draw.SafeLine(s.whose()) + "  " + quoted(s.told.Text))
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
	if s.call != nil {
		return s.sum.Text
	}
	if s.event.Type == broker.EventPostTool {
		if s.ran.Digest == "" {
			return draw.SafeLine(s.told.Message)
		}
		text := "without having been asked for here"
		if server, name, ok := callview.SplitMCP(s.ran.ToolName); ok {
			text = draw.SafeLine(server+" "+name) + "  " + text
		}
		return text
	}
	if len(s.event.Data) == 0 || string(s.event.Data) == "{}" {
		return ""
	}
	return safe.Head(string(s.event.Data), draw.MaxSummary)
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return `"` + draw.SafeLine(text) + `"`
}

// tool is the name of the tool that the step is about; safe to draw.
func (s *moment) tool() string {
	switch {
	case s.call != nil:
		return s.sum.Tool
	case s.event.Type == broker.EventPostTool:
		return draw.SafeLine(callview.ToolWord(s.ran.ToolName))
	}
	return draw.SafeLine(s.told.ToolName)
}

// tail stands at the end of a step's line: who decided, how long it took; safe to draw.
func (m *model) tail(s *moment) string {
	switch s.event.Type {
	case broker.EventRequestDecided:
		by := m.actor(s.decided.By)
		if wait := time.Duration(s.decided.WaitedMS) * time.Millisecond; wait >= time.Second {
			by += " after " + figures.Brief(wait)
		}
		return by
	case broker.EventPostTool:
		return s.ranTail()
	case broker.EventExtended:
		return m.actor(s.told.By)
	}
	return ""
}

func (s *moment) ranTail() string {
	var parts []string
	if took := s.ran.Took(); took > 0 {
		parts = append(parts, figures.Brief(took))
	}
	if s.ran.OutputBytes > 0 {
		parts = append(parts, figures.Size(s.ran.OutputBytes))
	}
	return strings.Join(parts, " · ")
}

// height is how many rows the step has.
func (s *moment) height() int {
	if !s.open {
		return 1
	}
	return 1 + len(s.rows)
}

// layOut draws what stands below the step's line while it is unfolded.
func (s *moment) layOut(st *draw.Styles, width int, loc *time.Location) {
	const indent = 2
	d := &callview.Doc{Paper: *st.Paper(width - indent)}
	d.SayBehind(draw.Label, "at", callview.LabelWidth, draw.Muted, s.event.At.In(loc).Format("2006-01-02 15:04:05")+fmt.Sprintf(" · event %d", s.seq()))
	switch s.event.Type {
	case broker.EventPostTool:
		stepCall(d, s, false)
		if s.ran.Digest == "" { // told over the API, in whatever words
			d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.event.Data))
			break
		}
		d.Output(s.ran, true)
	case broker.EventRequestDecided:
		if s.decided.Reason != "" {
			d.Write(draw.Fixed(draw.Label, "reason", callview.LabelWidth), draw.Text, s.decided.Reason)
		}
		if len(s.decided.UpdatedInput) > 0 {
			d.Write(draw.Fixed(draw.Label, "ran with", callview.LabelWidth), draw.Text, change.ValueText(s.decided.UpdatedInput))
		}
		stepCall(d, s, true)
	case broker.EventRequestCreated:
		stepCall(d, s, true)
	case broker.EventUser:
		d.Write(draw.Gutter{}, draw.Text, s.told.Words())
	case broker.EventTurnEnd, broker.EventSubagentStop, broker.EventMessage:
		if text := s.told.Words(); text != "" {
			d.Said(text)
		} else if len(s.event.Data) > 0 {
			d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.event.Data))
		}
	default:
		if len(s.event.Data) > 0 {
			d.Write(draw.Gutter{}, draw.Text, change.ValueText(s.event.Data))
		}
	}
	s.rows, s.width = pad(d.Rows, width-indent), width
	for i, row := range s.rows {
		s.rows[i] = draw.Spaces(indent) + row
	}
}

// stepCall draws the call that a step is about, whole or only what tells most of it.
func stepCall(d *callview.Doc, s *moment, whole bool) {
	switch {
	case s.call == nil && s.event.RequestID != "":
		d.Say(draw.Muted, "its call is not on record any more, or was changed: see aoctl log verify")
	case s.call == nil:
	case s.large > 0:
		d.Say(draw.Muted, figures.Size(s.large)+" of input: see the call in the history (h)")
	default:
		r := *s.call
		tool, input := r.Call()
		c := change.ReadInput(input)
		d.Call(r, tool, c, callview.Around{})
		if whole {
			d.Words(r, c)
		}
	}
}
