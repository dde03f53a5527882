package sessionview

import (
	"fmt"
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
		parts = append(parts, Cost(r.Cost))
	}
	if r.Turns > 0 {
		parts = append(parts, figures.Plural(r.Turns, "turn"))
	}
	// Tokens read from a cache cost less and are counted all the same: they were used.
	if n := r.Usage.Input + r.Usage.Output + r.Usage.CacheRead + r.Usage.CacheWrite; n > 0 {
		parts = append(parts, Tokens(n)+" tokens")
	}
	return parts
}

// Cost is an amount of dollars: small ones to the hundredth of a cent.
func Cost(dollars float64) string {
	if dollars < 0.1 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// Tokens is a number of tokens in few cells: 812, 12.3k, 1.2M.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 99_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Usage tells tokens one by one; safe to draw. Kinds without any are left out.
func Usage(u wire.RunUsage) string {
	var parts []string
	for _, p := range []struct {
		n    int64
		name string
	}{{u.Input, "in"}, {u.Output, "out"}, {u.CacheRead, "read from the cache"}, {u.CacheWrite, "written to it"}} {
		if p.n > 0 {
			parts = append(parts, Tokens(p.n)+" "+p.name)
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
