package callview

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// Ended says how a decided call ended; safe to draw.
func Ended(r broker.Request) string {
	o := r.Outcome
	if o == nil {
		return "is still waiting"
	}
	if WasObserved(o) {
		return leftAlone(o)
	}
	by := Actor(o.By)
	switch o.State {
	case broker.Allowed:
		if r.Unheard {
			return "was allowed by " + by + ", but nobody was waiting any more"
		}
		return "was allowed by " + by
	case broker.Denied:
		return "was " + refusedWords(r)
	case broker.Expired:
		if o.Reason != "" {
			return "expired: " + strings.TrimSuffix(draw.SafeLine(o.Reason), ".")
		}
		return "expired because nobody answered in time"
	case broker.Cancelled:
		switch {
		case o.Interrupted():
			return "was taken back: " + draw.SafeLine(o.Reason)
		case o.Withdrawn():
			return "was taken back by its agent"
		case o.By.Kind != broker.ByAgent:
			return "was cancelled by " + by + ": " + draw.SafeLine(o.Reason)
		}
		return "was cancelled because its agent no longer waits"
	case broker.Answered:
		switch {
		case !o.HandedOver():
		case o.By.Kind == broker.ByDeadline:
			return "was left to the agent's own prompt, since nobody answered in time"
		default:
			return "was left to the agent's own prompt by " + by
		}
		return "was answered in the agent's own terminal"
	case broker.Pending:
	}
	return "is " + safe.Line(string(o.State))
}

// ruleWord is a rule's id in few letters; safe to draw.
func ruleWord(id string) string {
	if name, ok := strings.CutPrefix(id, "builtin:"); ok {
		return draw.SafeLine(name)
	}
	return draw.SafeLine(draw.LastOf(id, 8))
}

// Actor names who decided, in few letters; safe to draw.
func Actor(a broker.Actor) string {
	switch a.Kind {
	case broker.ByOperator:
		if a.Once() {
			return "a single-use token"
		}
		if a.Token() != "" {
			return "your token"
		}
		return draw.SafeLine(a.You())
	case broker.ByProcess:
		return draw.SafeLine(a.Program())
	case broker.ByRule:
		if a.ID == rules.BuiltinLook {
			return "the built-in grant: only looks"
		}
		return "rule " + ruleWord(a.ID)
	case broker.ByObserve:
		return "observing"
	case broker.ByStop:
		if a.PID != 0 {
			return "a stop by " + draw.SafeLine(a.Program())
		}
		return "your stop"
	case broker.ByAgent:
		if a.ID == broker.InterruptedID {
			return "an interrupt"
		}
	case broker.ByFreeze, broker.ByDeadline, broker.ByBroker:
	}
	return safe.Line(string(a.Kind))
}

// VerdictGlyph is the sign for how a call ended; the word stands beside it where
// there is room.
func VerdictGlyph(s broker.State) (string, draw.Ink) {
	switch s {
	case broker.Allowed:
		return "✓", draw.OK
	case broker.Denied:
		return "✗", draw.Danger
	case broker.Expired:
		return "~", draw.Warn
	case broker.Cancelled:
		return "-", draw.Muted
	case broker.Answered:
		return "=", draw.Muted
	case broker.Pending:
	}
	return "?", draw.Muted
}

// EndWord is how a decided call ended, in a word that fits ten cells; safe to draw.
func EndWord(r broker.Request) string {
	o := r.Outcome
	switch {
	case o.State == broker.Allowed && RanEdited(r):
		return "edited"
	case o.State == broker.Denied && o.By.Kind == broker.ByStop:
		return "stopped"
	case sentBack(r):
		return "sent back"
	case o.HandedOver():
		return "handed on"
	}
	return draw.SafeLine(string(o.State))
}

// sentBack reports whether a person told the agent to plan anew.
func sentBack(r broker.Request) bool {
	o := r.Outcome
	return o != nil && o.State == broker.Denied && o.By.Kind == broker.ByOperator && DialogOf(r) == agents.ExitPlanMode
}

// refusedWords say that a call was refused, and by whom; safe to draw.
func refusedWords(r broker.Request) string {
	switch by := r.Outcome.By; {
	case by.Kind == broker.ByStop && by.PID != 0:
		return "stopped by " + draw.SafeLine(by.Program())
	case by.Kind == broker.ByStop:
		return "stopped by you"
	case sentBack(r):
		return "sent back by " + Actor(by)
	}
	return "denied by " + Actor(r.Outcome.By)
}

// RanEdited reports whether a decided call was allowed with another input than was asked. The answers to
// a question are no edit.
func RanEdited(r broker.Request) bool {
	return r.Outcome != nil && len(r.Outcome.UpdatedInput) > 0 && DialogOf(r) == ""
}

// WasObserved reports whether o is the end of a call that nobody held.
func WasObserved(o *broker.Outcome) bool { return o != nil && o.By.Kind == broker.ByObserve }

// leftAlone says what would have happened to a call that nobody held; safe to draw.
func leftAlone(o *broker.Outcome) string {
	if o.Reason == "" {
		return "was left to the agent (observing)"
	}
	return "was left to the agent (observing): " + strings.TrimSuffix(draw.SafeLine(o.Reason), ".")
}
