package runner

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// requested takes a request of the agent's: an event of its, or a permission it wants.
func (p *peer) requested(m message) {
	var r request
	if err := json.Unmarshal(m.Request, &r); err != nil || m.RequestID == "" {
		p.note("request", "a request of the agent's cannot be read")
		p.refuse(m.RequestID, "aoctl: the request cannot be read")
		return
	}
	if p.calls[m.RequestID] != nil {
		p.note("twice", "the agent asked twice with the same id")
		return // the answer to the first is for both
	}
	switch r.Subtype {
	case "hook_callback":
		p.hook(m.RequestID, r)
	case "can_use_tool":
		p.permission(m.RequestID, r)
	default:
		p.note("request "+p.kindOf(r.Subtype), "the agent asked for something that aoctl does not do: "+strconv.Quote(cut(r.Subtype, 64)))
		p.refuse(m.RequestID, "aoctl does not do this: "+cut(r.Subtype, 64))
	}
}

// refuse answers a request with an error. The agent takes one for a hook that blocks on
// failure as a refusal.
func (p *peer) refuse(id, why string) {
	if id == "" {
		return
	}
	p.write(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "error", "request_id": id, "error": why}})
}

func (p *peer) reply(id string, answer any) {
	p.write(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": id, "response": answer}})
}

// requestID finds the id in a line that was too long to be read.
var requestID = regexp.MustCompile(`"request_id"\s*:\s*"([^"\\]{1,128})"`)

// overlong answers a line that is too long, when its beginning tells that it is a question.
func (p *peer) overlong(head []byte) {
	p.note("long", fmt.Sprintf("the agent wrote a line of more than %d MiB, which was not read", maxLine>>20))
	if found := requestID.FindSubmatch(head); found != nil && strings.Contains(string(head), `"control_request"`) {
		p.refuse(string(found[1]), "aoctl: the request is too long")
	}
}

// hook takes an event of the agent's.
func (p *peer) hook(id string, r request) {
	name, ok := strings.CutPrefix(r.Callback, callbackPrefix)
	var e event
	if err := json.Unmarshal(r.Input, &e); err != nil || !ok || e.Name != name || name == gateEvent && e.ToolUseID == "" {
		p.note("hook", "an event of the agent's is not what it was asked for: "+strconv.Quote(cut(e.Name, 64)))
		if !ok {
			p.refuse(id, "aoctl: the event cannot be read")
			return
		}
		p.reply(id, json.RawMessage(failed(name, "aoctl: the event cannot be read.")))
		return
	}
	p.working()
	if e.Mode != "" {
		p.mode = e.Mode
	}
	c := &call{event: e, name: name, size: len(r.Input), input: e.ToolInput}
	if why := p.unwilling(c); why != "" {
		p.reply(id, json.RawMessage(failed(name, why)))
		return
	}
	q := ask{id: id, payload: r.Input, patient: name == gateEvent || name == textEvent}
	if !q.patient {
		q.given = p.times.event
	}
	p.put(id, c, q)
}

// unwilling says why c is not put before the console.
func (p *peer) unwilling(c *call) string {
	switch {
	case p.ending():
		return "aoctl: the session is being ended."
	case len(p.calls) >= maxCalls || p.held+c.size > maxCallBytes:
		p.note("crowd", "the agent asks more at once than is taken in; what is beyond is refused")
		return "aoctl: too many calls wait at once."
	}
	return ""
}

func (p *peer) put(id string, c *call, q ask) {
	p.serial++
	c.serial, q.serial = p.serial, p.serial
	p.calls[id] = c
	p.held += c.size
	p.do(q)
}

// forget takes a call out of those that wait.
func (p *peer) forget(id string) *call {
	c := p.calls[id]
	if c != nil {
		delete(p.calls, id)
		p.held -= c.size
	}
	return c
}

// answer is what came of an ask.
type answer struct {
	serial  int // of the ask
	json    []byte
	request string // the console's
	sure    bool   // an operator had allowed it already
	err     error
}

// answered takes what came of the ask of request id, which may be answered already.
func (p *peer) answered(id string, a answer) {
	c := p.calls[id]
	if c == nil || c.serial != a.serial {
		return
	}
	p.forget(id)
	switch {
	case c.permit:
		p.answerPermission(id, c, a)
	case a.err != nil:
		if c.name != gateEvent {
			p.note("event "+c.name, c.name+" was not told to the console: "+cut(a.err.Error(), maxReason))
		}
		p.reply(id, json.RawMessage(failed(c.name, "aoctl: "+a.err.Error())))
	case !plainObject(a.json):
		p.reply(id, json.RawMessage(failed(c.name, "aoctl: the console's answer is no JSON object")))
	default:
		p.enter(c, a)
		p.reply(id, json.RawMessage(a.json))
	}
}

// enter writes down what the console answered to a call.
func (p *peer) enter(c *call, a answer) {
	if c.name != gateEvent {
		return
	}
	var g gateAnswer
	e := &entry{request: a.request, input: c.input, event: c.event}
	if json.Unmarshal(a.json, &g) == nil {
		e.verdict = g.verdict()
		if len(g.Specific.Updated) > 0 {
			e.input = g.Specific.Updated
		}
	}
	e.event.ToolInput = nil
	p.ledger[c.event.ToolUseID] = e
}

// failed is the answer to an event that could not be put before the console: a refusal
// where one is understood, else nothing. It is never an error, which the agent may pass over.
func failed(name, why string) []byte {
	why = cut(why, maxReason)
	switch name {
	case gateEvent:
		return encode(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": gateEvent, "permissionDecision": "deny", "permissionDecisionReason": why,
		}})
	case settingsEvent, textEvent:
		return encode(map[string]any{"decision": "block", "reason": why})
	}
	return []byte("{}")
}

// permission takes a question that the agent's user's own settings ask for. What the
// operator allowed just before, at the gate, is not asked again.
func (p *peer) permission(id string, r request) {
	e := p.ledger[r.ToolUseID]
	c := &call{permit: true, name: askEvent, input: r.Input, size: len(r.Input) + len(r.Suggestions)}
	c.event = event{Name: askEvent, CWD: p.cwd, Mode: p.mode, ToolName: r.ToolName, ToolUseID: r.ToolUseID, AgentID: r.AgentID}
	q := ask{id: id, patient: true}
	if e != nil {
		c.event.CWD, c.event.Transcript, c.event.AgentType = e.event.CWD, e.event.Transcript, e.event.AgentType
		if e.verdict == allowed && e.request != "" && e.event.ToolName == r.ToolName && wire.Identical(e.input, r.Input) {
			q.sure = e.request
		}
	}
	if why := p.unwilling(c); why != "" {
		p.denyPermission(id, why, false)
		return
	}
	q.payload = p.permissionPayload(c, r)
	p.put(id, c, q)
}

// permissionPayload is the question as the agent's own hook would have it.
func (p *peer) permissionPayload(c *call, r request) []byte {
	m := map[string]any{
		"session_id": p.session, "cwd": c.event.CWD, "permission_mode": c.event.Mode, "hook_event_name": askEvent,
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

func (p *peer) answerPermission(id string, c *call, a answer) {
	if a.sure {
		p.allowPermission(id, c, c.input, "")
		return
	}
	var g gateAnswer
	switch {
	case a.err != nil:
		p.denyPermission(id, "aoctl: "+a.err.Error(), false)
	case json.Unmarshal(a.json, &g) != nil:
		p.denyPermission(id, "aoctl: the console's answer cannot be read.", false)
	case g.Specific.Event == askEvent && g.Specific.Behavior.Behavior == "allow":
		input := g.Specific.Behavior.Updated
		if len(input) == 0 {
			input = c.input
		}
		p.allowPermission(id, c, input, a.request)
	case g.Specific.Behavior.Behavior == "deny":
		p.denyPermission(id, g.Specific.Behavior.Message, g.Specific.Behavior.Interrupt)
	default:
		p.denyPermission(id, "aoctl: the settings of this agent want a person to be asked, and the console left it to them.", false)
	}
}

func (p *peer) allowPermission(id string, c *call, input json.RawMessage, request string) {
	if !plainObject(input) {
		p.denyPermission(id, "aoctl: the call's input is no JSON object.", false)
		return
	}
	e := p.ledger[c.event.ToolUseID]
	if e == nil {
		e = &entry{request: request}
		p.ledger[c.event.ToolUseID] = e
	}
	e.verdict = allowed
	p.reply(id, map[string]any{"behavior": "allow", "updatedInput": input, "toolUseID": c.event.ToolUseID})
}

func (p *peer) denyPermission(id, why string, interrupt bool) {
	if why == "" {
		why = "aoctl: refused, no reason was given."
	}
	p.reply(id, map[string]any{"behavior": "deny", "message": cut(why, maxReason), "interrupt": interrupt})
}

// cancelled takes back a request of the agent's: nobody waits for its answer any more.
func (p *peer) cancelled(id string) {
	if p.forget(id) != nil {
		p.do(drop{id})
	}
}
