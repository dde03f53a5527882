package service

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
)

// asking notes that se's agent asks r in its own terminal. Caller holds mu.
func (se *sessionEntry) asking(r broker.Request) {
	se.s.Asks = &broker.Asks{
		RequestID: r.ID, Text: broker.Excerpt(forms.Gist(r.ToolInput)), At: r.CreatedAt, SubagentID: r.SubagentID, ToolUseID: r.ToolUseID,
	}
}

// asked notes that what an agent asked in its own terminal is over, when h says so: the
// call is done, its agent goes on to another, its turn or the session ended.
func (se *sessionEntry) asked(h agents.Hook) (changed bool) {
	a := se.s.Asks
	if a == nil {
		return false
	}
	over := false
	switch h.Kind {
	case agents.ToolDone:
		over = h.SubagentID == a.SubagentID && (h.ToolUseID == "" || a.ToolUseID == "" || h.ToolUseID == a.ToolUseID)
	case agents.Gate:
		over = h.SubagentID == a.SubagentID && (h.ToolUseID == "" || h.ToolUseID != a.ToolUseID)
	case agents.TurnEnd, agents.Prompt:
		over = h.SubagentID == "" && !h.FromApp
	case agents.SubagentStop:
		over = h.SubagentID == a.SubagentID
	case agents.SessionStart, agents.SessionEnd:
		over = true
	case agents.Observe, agents.SubagentStart, agents.Notify, agents.Settings:
	}
	if over {
		se.s.Asks = nil
	}
	return over
}
