package runner

import (
	"encoding/json"

	"github.com/aoctl/aoctl/broker/wire"
)

// permission takes a question that the settings of the agent's user want a person to be
// asked. What the operator allowed just before, at the gate, is not asked again.
//
// The agent asks this way when a rule of its user's says "ask". Such a rule holds beside aoctl's,
// so a person must say yes; a rule's yes at the gate is not theirs.
func (q *questions) permission(id string, r request) {
	e := q.ledger[r.ToolUseID]
	c := &call{permit: true, name: askEvent, input: r.Input, size: len(r.Input) + len(r.Suggestions)}
	c.event = event{Name: askEvent, CWD: q.cwd, Mode: q.mode, ToolName: r.ToolName, ToolUseID: r.ToolUseID, AgentID: r.AgentID}
	a := ask{id: id, patient: true}
	if e != nil {
		c.event.CWD, c.event.Transcript, c.event.AgentType = e.event.CWD, e.event.Transcript, e.event.AgentType
		// Only the very call that was shown is not asked about again. Whether an operator allowed
		// it, the console says.
		if e.verdict == allowed && e.request != "" && e.event.ToolName == r.ToolName && wire.Identical(e.input, r.Input) {
			a.sure = e.request
		}
	}
	if why := q.unwilling(c); why != "" {
		q.denyPermission(id, why, false)
		return
	}
	a.payload = q.permissionPayload(c, r)
	q.put(id, c, a)
}

// permissionPayload is the question as the agent's own hook would have it. The agent sends it in
// another form than its hooks, so it is written as the hook would have it, and the console need
// know one form.
func (q *questions) permissionPayload(c *call, r request) []byte {
	m := map[string]any{
		"session_id": q.session, "cwd": c.event.CWD, "permission_mode": c.event.Mode, "hook_event_name": askEvent,
		"tool_name": r.ToolName, "tool_input": r.Input, "tool_use_id": r.ToolUseID,
	}
	for key, value := range map[string]string{"transcript_path": c.event.Transcript, "agent_id": r.AgentID, "agent_type": c.event.AgentType} {
		if value != "" {
			m[key] = value
		}
	}
	if len(r.Suggestions) > 0 {
		m["permission_suggestions"] = r.Suggestions
	}
	return encode(m)
}

// answerPermission answers the agent's question about a call. Only an answer that says allow in
// the agent's own JSON allows. One that leaves the call to the agent's own prompt is a refusal,
// because nobody sits before a managed agent.
func (q *questions) answerPermission(id string, c *call, a answer) {
	if a.sure {
		q.allowPermission(id, c, c.input, "")
		return
	}
	var g gateAnswer
	switch {
	case a.err != nil:
		q.denyPermission(id, "aoctl: "+a.err.Error(), false)
	case json.Unmarshal(a.json, &g) != nil:
		q.denyPermission(id, "aoctl: the console's answer cannot be read.", false)
	// Both must fit: an answer to another event is none.
	case g.Specific.Event == askEvent && g.Specific.Behavior.Behavior == "allow":
		input := g.Specific.Behavior.Updated
		if len(input) == 0 {
			input = c.input
		}
		q.allowPermission(id, c, input, a.request)
	case g.Specific.Behavior.Behavior == "deny":
		q.denyPermission(id, g.Specific.Behavior.Message, g.Specific.Behavior.Interrupt)
	default:
		q.denyPermission(id, "aoctl: the settings of this agent want a person to be asked, and the console left it to them.", false)
	}
}

// allowPermission answers yes, to this input. The answer must carry the input, or the agent takes
// it for none.
func (q *questions) allowPermission(id string, c *call, input json.RawMessage, request string) {
	if !plainObject(input) {
		q.denyPermission(id, "aoctl: the call's input is no JSON object.", false)
		return
	}
	q.ledger.allow(c.event.ToolUseID, request)
	q.reply(id, map[string]any{"behavior": "allow", "updatedInput": input, "toolUseID": c.event.ToolUseID})
}

// denyPermission answers no. interrupt ends the turn as well.
func (q *questions) denyPermission(id, why string, interrupt bool) {
	if why == "" {
		why = "aoctl: refused, no reason was given."
	}
	q.reply(id, map[string]any{"behavior": "deny", "message": cut(why, maxReason), "interrupt": interrupt})
}
