package sessionview

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// Spent is what a managed session has used so far, the most telling first; nothing
// before its first turn was over.
func Spent(r *broker.Run) []string {
	var parts []string
	if r.Cost > 0 {
		parts = append(parts, figures.Money(r.Cost))
	}
	if r.Turns > 0 {
		parts = append(parts, figures.Plural(r.Turns, "turn"))
	}
	// Tokens read from a cache cost less and are counted all the same: they were used.
	if n := r.Usage.Input + r.Usage.Output + r.Usage.CacheRead + r.Usage.CacheWrite; n > 0 {
		parts = append(parts, figures.Tokens(n)+" tokens")
	}
	return parts
}

// Usage tells tokens one by one; safe to draw.
func Usage(u wire.RunUsage) string {
	var parts []string
	for _, p := range []struct {
		n    int64
		name string
	}{{u.Input, "in"}, {u.Output, "out"}, {u.CacheRead, "read from the cache"}, {u.CacheWrite, "written to it"}} {
		if p.n > 0 {
			parts = append(parts, figures.Tokens(p.n)+" "+p.name)
		}
	}
	return strings.Join(parts, " · ")
}

// WhenTold says when a session hears the message that waits; safe to draw.
func WhenTold(s *broker.Session) string {
	// A session that is no longer held cannot be told anything; its message stays.
	if s.Run == nil {
		return "the message waits"
	}
	switch s.Run.Turn {
	case broker.TurnIdle:
		return "the message is on its way"
	case broker.TurnEnded:
		return "the session is resumed for the message"
	case broker.TurnStarting:
		return "the message waits until the agent has started"
	case broker.TurnDeferred:
		return "the message waits for the session to go on"
	case broker.TurnWorking:
	}
	return "the message waits for the end of the turn"
}

// Ink is the colour of the word for a session's state, which says the same.
func Ink(s *broker.Session, waiting int) draw.Ink {
	switch s.State {
	case broker.SessionActive, broker.SessionIdle:
		if waiting > 0 {
			return draw.Warn
		}
		if s.State == broker.SessionActive {
			return draw.OK
		}
		if s.Run == nil && s.Failure() != "" {
			return draw.Danger
		}
	case broker.SessionStopping, broker.SessionStopped:
		return draw.Danger
	case broker.SessionFinished, broker.SessionGone:
	}
	return draw.Muted
}
