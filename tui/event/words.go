package event

import (
	"cmp"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/plainwords"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// sign is what stands at the beginning of a line: a word, a sign of one cell for it, and an ink.
type sign struct {
	word, glyph string
	ink         draw.Ink
}

// signs are those of events that are always called the same.
var signs = map[string]sign{
	broker.EventRequestCreated: {"asked", "?", draw.Text},
	broker.EventStopRequested:  {"stopped", "■", draw.Danger},
	broker.EventKillRequested:  {"to kill", "■", draw.Danger},
	broker.EventSessionKilled:  {"killed", "■", draw.Danger},
	broker.EventRanOtherwise:   {"ALARM", "!", draw.Danger},
}

// plain are the words for events that need no sign of their own.
var plain = map[string]string{
	broker.EventSessionStart: "session", broker.EventSessionStop: "ended", broker.EventSessionEnd: "ended",
	broker.EventSubagentStart: "sub-agent", broker.EventSubagentStop: "sub-agent", broker.EventNotification: "notice", broker.EventMessage: "message",
	broker.EventStopLifted: "goes on", broker.EventPreTool: "calls", broker.EventObserve: "observing", broker.EventSessionChanged: "changed",
	broker.EventGrantCreated: "grant", broker.EventGrantUsed: "grant", broker.EventDecisionRefused: "refused", broker.EventAccessRefused: "refused",
	broker.EventAnsweredAgain: "again", broker.EventCallsRefused: "refused", broker.EventSettings: "settings", broker.EventAnswerWithheld: "withheld",
	broker.EventExtended: "more time", broker.EventUnheard: "unheard", broker.EventDeferred: "deferred", broker.EventTakenUpAgain: "taken up",
	broker.EventAllowedOnce: "1 of 2", broker.EventOnceMinted: "token", broker.EventNotDeferred: "waits", broker.EventResumed: "resumed", broker.EventInterruptAsked: "interrupt",
	broker.EventRunStarted: "runner", broker.EventRunNoted: "runner", broker.EventRunEnded: "runner",
	broker.EventMessageQueued: "queued", broker.EventMessageSent: "sent", broker.EventMessageDropped: "dropped",
}

// Word says what happened in a word, with a sign and an ink for it; safe to draw.
func (s *Step) Word() (word, glyph string, i draw.Ink) {
	w := s.sign()
	return w.word, w.glyph, w.ink
}

func (s *Step) sign() sign {
	switch s.Event.Type {
	case broker.EventUser:
		if s.told.FromAgent {
			return sign{"agent", "»", draw.Muted}
		}
		return sign{"you asked", "»", draw.Key}
	case broker.EventRequestDecided:
		return verdict(s.Decided.Status, s.Decided.By, s.Call)
	case broker.EventPostTool:
		if s.Event.RequestID == "" && !s.Ran.Failed { // nobody allowed it here
			return sign{"ran", "·", draw.Muted}
		}
		return end(s.Ran)
	case broker.EventTurnEnd:
		if s.told.Failed {
			return sign{"failed", "!", draw.Danger}
		}
		return sign{"turn end", "·", draw.Muted}
	case broker.EventFrozen:
		if s.told.On {
			return sign{"frozen", "■", draw.Frozen}
		}
		return sign{"unfrozen", "·", draw.Muted}
	}
	if known, ok := signs[s.Event.Type]; ok {
		return known
	}
	word, ok := plain[s.Event.Type]
	if !ok {
		word = strings.ReplaceAll(draw.SafeLine(s.Event.Type), "_", " ")
	}
	return sign{word, "·", draw.Muted}
}

// verdict is the sign of a decision about a call, nil when that is not on record.
func verdict(s broker.State, by broker.Actor, call *broker.Request) sign {
	if by.Kind == broker.ByObserve {
		return sign{"observed", "○", draw.Warn}
	}
	r := broker.Request{Outcome: &broker.Outcome{State: s, By: by}}
	if call != nil {
		r.Agent, r.ToolName, r.ToolInput = call.Agent, call.ToolName, call.ToolInput
	}
	glyph, i := callview.VerdictGlyph(s)
	return sign{callview.EndWord(r), glyph, i}
}

// end is the sign of a call that ran. A failure never has a tick.
func end(d broker.RanData) sign {
	if d.Failed {
		return sign{"failed", "✗", draw.Danger}
	}
	return sign{"ran", "✓", draw.OK}
}

// Text says the rest on one line; safe to draw.
func (s *Step) Text() string {
	switch s.Event.Type {
	case broker.EventTurnEnd:
		if s.told.Failed {
			return draw.SafeLine(plainwords.Failure(cmp.Or(s.told.Text, s.told.Error)))
		}
	case broker.EventSubagentStart:
		return strings.TrimSpace(s.helper() + " began")
	case broker.EventSubagentStop:
		return strings.TrimSpace(s.helper() + " ended  " + words.Quoted(s.told.Text))
	case broker.EventNotification, broker.EventMessage:
		return draw.SafeLine(plainwords.Said(cmp.Or(s.told.Message, s.told.Text)))
	case broker.EventStopRequested, broker.EventFrozen, broker.EventKillRequested, broker.EventResumed, broker.EventInterruptAsked, broker.EventMessageDropped:
		return s.by()
	case broker.EventSessionKilled:
		return strings.TrimSpace(s.by() + "  " + figures.Plural(s.told.Ended, "process"))
	case broker.EventObserve:
		if s.told.On {
			return strings.TrimSpace("on " + s.by())
		}
		return strings.TrimSpace("off " + s.by())
	case broker.EventRunStarted:
		return "holds the session"
	case broker.EventMessageSent:
		return "the agent has a message"
	}
	if s.Call != nil {
		return s.sum.Text
	}
	if s.Event.Type == broker.EventPostTool {
		return s.unasked()
	}
	if text, ok := plainwords.Event(s.Event); ok {
		return draw.SafeLine(text)
	}
	if len(s.Event.Data) == 0 || string(s.Event.Data) == "{}" {
		return ""
	}
	return safe.Head(string(s.Event.Data), draw.MaxSummary)
}

// helper names the sub-agent.
func (s *Step) helper() string {
	id, name := s.Helper()
	return draw.SafeLine(cmp.Or(name, id))
}

// Put draws the text in at most room cells, with the counts of an edit where they have room.
func (s *Step) Put(r *draw.Row, room int) {
	text := s.Text()
	if s.sum.Edit && text == s.sum.Text && room >= countsLeast {
		s.sum.Put(r, draw.Text, room)
		return
	}
	r.Fit(draw.Text, text, room)
}

// countsLeast is the least room, in cells, in which an edit has its counts behind its path.
const countsLeast = 20

// by names who did it, "" when nobody is told.
func (s *Step) by() string {
	if s.told.By.Kind == "" {
		return ""
	}
	return "by " + callview.Actor(s.told.By)
}

// unasked says that a tool ran for which no call is on record.
func (s *Step) unasked() string {
	if s.Ran.Digest == "" {
		return draw.SafeLine(s.told.Message)
	}
	text := "without having been asked for here"
	if server, name, ok := callview.SplitMCP(s.Ran.ToolName); ok {
		text = draw.SafeLine(server+" "+name) + "  " + text
	}
	return text
}

// Tool is the name of the tool that the step is about; safe to draw.
func (s *Step) Tool() string {
	switch {
	case s.Call != nil:
		return s.sum.Tool
	case s.Event.Type == broker.EventPostTool:
		return draw.SafeLine(callview.ToolWord(s.Ran.ToolName))
	case s.Event.Type == broker.EventRequestDecided:
		return draw.SafeLine(callview.ToolWord(s.Decided.ToolName))
	}
	return draw.SafeLine(s.told.ToolName)
}

// Lead is the sign and the name of the tool, as rows have them; empty when the step is about none. Safe
// to draw.
func (s *Step) Lead() (sign, name string) {
	if s.Call != nil {
		return s.sum.Lead()
	}
	tool := s.Tool()
	if tool == "" {
		return "", ""
	}
	return callview.Summary{Tool: tool}.Lead()
}

// tail is who decided, or how long it ran; safe to draw.
func (s *Step) tail(b *words.Book) string {
	switch s.Event.Type {
	case broker.EventRequestDecided:
		return decidedBy(b, s.Decided.By, time.Duration(s.Decided.WaitedMS)*time.Millisecond)
	case broker.EventPostTool:
		return took(s.Ran)
	case broker.EventExtended, broker.EventAllowedOnce:
		return b.Actor(s.told.By)
	}
	return ""
}

// Tails are what may stand at the end of the line, the longest first; none when nothing may. Safe
// to draw.
func (s *Step) Tails(b *words.Book, _ time.Time) []string {
	if text := s.tail(b); text != "" {
		return []string{text}
	}
	return nil
}

// More is what stands behind the text where there is room, "" for nothing; safe to draw.
func (s *Step) More() (string, draw.Ink) {
	if s.Event.Type == broker.EventPostTool && s.Ran.Failed {
		return callview.FirstLine(s.Ran.Output), draw.Danger
	}
	if s.Event.Type == broker.EventRanOtherwise {
		return broker.Alarm{Kind: s.told.Kind}.Words(), draw.Danger
	}
	return "", draw.Text
}

// decidedBy names who decided, and how long the call had waited for that.
func decidedBy(b *words.Book, by broker.Actor, waited time.Duration) string {
	if waited < time.Second {
		return b.Actor(by)
	}
	return b.Actor(by) + " after " + figures.Brief(waited)
}

// took is how long a call ran, and how much it gave back.
func took(d broker.RanData) string {
	var parts []string
	if t := d.Took(); t > 0 {
		parts = append(parts, figures.Brief(t))
	}
	if d.OutputBytes > 0 {
		parts = append(parts, figures.Size(d.OutputBytes))
	}
	return strings.Join(parts, " · ")
}
