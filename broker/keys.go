package broker

import (
	"strings"

	"github.com/aoctl/aoctl/broker/agents"
)

// GateOf is the event by which agent asks for a call before anybody else decides it.
func GateOf(agent string) string { return agents.TraitsOf(agent).Gate }

// CallKey is the key of the call of h, which has an id, as event asked for it. Some agents number
// their calls once for all sub-agents of a session, so the sub-agent is left out of the key.
// Otherwise the report that a call ran would not find the call.
func CallKey(h agents.Hook, event string) string {
	if agents.TraitsOf(h.Agent).OneIDSpace {
		h.SubagentID = ""
	}
	return ToolKey(h.Agent, h.SessionID, h.SubagentID, event, h.ToolUseID)
}

// ToolKey is the key of a call that its agent gave an id. The parts are joined by a control
// character that CheckName keeps out of every one of them, so two different calls never have the
// same key.
func ToolKey(agent, session, subagent, event, toolUse string) string {
	return strings.Join([]string{"tool", agent, session, subagent, event, toolUse}, "\x1f")
}
