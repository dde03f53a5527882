package words

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// Quoted is the beginning of what somebody wrote, on one line, in quotation marks; "" for nothing.
func Quoted(text string) string {
	if text == "" {
		return ""
	}
	return `"` + draw.SafeLine(text) + `"`
}

// Whose names a call's session and sub-agent; safe to draw.
func Whose(r broker.Request, b *board.Board) string {
	label := b.Label(r.SessionID)
	if sub := Subagent(r); sub != "" {
		return label + " › " + sub
	}
	return label
}

// Subagent is what the sub-agent is called that makes the call; "" when the agent itself does.
func Subagent(r broker.Request) string {
	if r.SubagentType != "" {
		return draw.SafeLine(r.SubagentType)
	}
	if r.SubagentID != "" {
		return draw.SafeLine(draw.LastOf(r.SubagentID, 8))
	}
	return ""
}

// Pad fills rows of a narrower paper up to width.
func Pad(rows []string, width int) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r + draw.Spaces(width-safe.Width(r))
	}
	return out
}
