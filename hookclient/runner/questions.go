package runner

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The events that the console hears of are those of "aoctl install claude".
const (
	gateEvent     = "PreToolUse"
	settingsEvent = "ConfigChange"        // a refusal keeps the change out
	textEvent     = "UserPromptExpansion" // a text that was typed by its name: hooks that it brings run unasked
	askEvent      = "PermissionRequest"
)

// callbackPrefix stands before an event's name in the callback that the agent is given for it.
const callbackPrefix = "aoctl-"

// questions are what the agent asks and waits to be answered: events of its hooks, among
// them every call at the gate, and permissions that its user's settings want a person to
// give (permission.go). Each is put before the console and answered exactly once: with the
// console's own answer where there is one that can be read, and otherwise as failed has it.
//
// What came before the gate was known to stand is kept unread. Once closed, whatever still
// comes is refused. Bytes and numbers are bounded over everything that waits, so an agent that
// asks without end costs a refusal each.
type questions struct {
	out     *outbox
	turn    *turn
	session string
	cwd     string
	given   time.Duration // for the console's answer to what is no question
	mode    string        // the agent's permission mode
	ledger  ledger        // every call that came through the gate

	early  []line           // what came before the gate stood
	open   map[string]*call // what waits for an answer, by its request's id
	bytes  int              // of early and open
	serial int              // of the latest ask
	closed bool
}

// call is one request of the agent's that waits for an answer. input is shared with the line that
// it came in.
type call struct {
	event  event
	name   string // of the event
	permit bool   // it is a can_use_tool
	size   int
	input  json.RawMessage
	serial int
}

const (
	maxCalls     = 256      // of the agent that wait at once
	maxCallBytes = 64 << 20 // what they hold together
)

// hold keeps what the agent asks before its gate stands. It is false when that is too much. The
// lines are taken again by the peer, as if they came then.
func (q *questions) hold(l line) bool {
	if len(q.early) >= maxCalls || q.bytes+len(l.text) > maxCallBytes {
		return false
	}
	q.bytes += len(l.text)
	q.early = append(q.early, l)
	return true
}

// release hands over what was held.
func (q *questions) release() []line {
	early := q.early
	q.early, q.bytes = nil, 0
	return early
}

// asked takes a request of the agent's. An answer goes out for every request with an id, whatever
// is in it: the agent would wait for ever.
func (q *questions) asked(m message) {
	var r request
	if err := json.Unmarshal(m.Request, &r); err != nil || m.RequestID == "" {
		q.out.note("request", "a request of the agent's cannot be read")
		q.refuse(m.RequestID, "aoctl: the request cannot be read")
		return
	}
	if q.open[m.RequestID] != nil {
		q.out.note("twice", "the agent asked twice with the same id")
		return // the answer to the first is for both
	}
	switch r.Subtype {
	case "hook_callback":
		q.hook(m.RequestID, r)
	case "can_use_tool":
		q.permission(m.RequestID, r)
	default:
		q.out.note("request "+q.out.kindOf(r.Subtype), "the agent asked for something that aoctl does not do: "+strconv.Quote(cut(r.Subtype, 64)))
		q.refuse(m.RequestID, "aoctl does not do this: "+cut(r.Subtype, 64))
	}
}

// refuse answers a request with an error. The agent takes one for a hook that blocks on
// failure as a refusal.
func (q *questions) refuse(id, why string) {
	if id == "" {
		return
	}
	q.out.write(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "error", "request_id": id, "error": why}})
}

// reply answers a request. answer is raw JSON or what encodes to an object.
func (q *questions) reply(id string, answer any) {
	q.out.write(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": id, "response": answer}})
}

// requestID finds the id in a line that was too long to be read.
var requestID = regexp.MustCompile(`"request_id"\s*:\s*"([^"\\]{1,128})"`)

// overlong answers a line that is too long, when its beginning tells that it is a question.
func (q *questions) overlong(head []byte) {
	q.out.note("long", fmt.Sprintf("the agent wrote a line of more than %d MiB, which was not read", maxLine>>20))
	if found := requestID.FindSubmatch(head); found != nil && strings.Contains(string(head), `"control_request"`) {
		q.refuse(string(found[1]), "aoctl: the request is too long")
	}
}

// hook takes an event of the agent's. The callback was given to the agent for one event. What
// comes under it with another name is not believed.
func (q *questions) hook(id string, r request) {
	name, ok := strings.CutPrefix(r.Callback, callbackPrefix)
	var e event
	if err := json.Unmarshal(r.Input, &e); err != nil || !ok || e.Name != name || name == gateEvent && e.ToolUseID == "" {
		q.out.note("hook", "an event of the agent's is not what it was asked for: "+strconv.Quote(cut(e.Name, 64)))
		if !ok {
			q.refuse(id, "aoctl: the event cannot be read")
			return
		}
		q.reply(id, json.RawMessage(failed(name, "aoctl: the event cannot be read.")))
		return
	}
	if e.atWork() {
		q.turn.begin()
	}
	if e.Mode != "" {
		q.mode = e.Mode
	}
	c := &call{event: e, name: name, size: len(r.Input), input: e.ToolInput}
	if why := q.unwilling(c); why != "" {
		q.reply(id, json.RawMessage(failed(name, why)))
		return
	}
	a := ask{id: id, payload: r.Input, patient: name == gateEvent || name == textEvent}
	if !a.patient {
		a.given = q.given
	}
	q.put(id, c, a)
}

// atWork reports whether the event is a sign that a turn is under way, even where the agent tells no
// other. Changed settings, notices and ends come between turns, too: a turn that began with one of
// those would have no result, and never end.
func (e event) atWork() bool {
	switch e.Name {
	case textEvent, "UserPromptSubmit", "SubagentStart":
		return true
	}
	return e.ToolUseID != ""
}

// unwilling says why c is not put before the console. It is "" for a call that is taken.
func (q *questions) unwilling(c *call) string {
	switch {
	case q.closed:
		return "aoctl: the session is being ended."
	case len(q.open) >= maxCalls || q.bytes+c.size > maxCallBytes:
		q.out.note("crowd", "the agent asks more at once than is taken in; what is beyond is refused")
		return "aoctl: too many calls wait at once."
	}
	return ""
}

// put puts c before the console. The serial tells its answer from one that is still on its
// way to an earlier call with the same id.
func (q *questions) put(id string, c *call, a ask) {
	q.serial++
	c.serial, a.serial = q.serial, q.serial
	q.open[id] = c
	q.bytes += c.size
	q.out.do(a)
}

// forget takes a call out of those that wait.
func (q *questions) forget(id string) *call {
	c := q.open[id]
	if c != nil {
		delete(q.open, id)
		q.bytes -= c.size
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
//
// The console's answer goes to the agent as it came. It is read only for the ledger.
func (q *questions) answered(id string, a answer) {
	// An answer to an earlier ask with the same id is dropped here.
	c := q.open[id]
	if c == nil || c.serial != a.serial {
		return
	}
	q.forget(id)
	switch {
	case c.permit:
		q.answerPermission(id, c, a)
	case a.err != nil:
		// A call that is refused shows in the conversation; an event that was not told shows
		// nowhere else.
		if c.name != gateEvent {
			q.out.note("event "+c.name, c.name+" was not told to the console: "+cut(a.err.Error(), maxReason))
		}
		q.reply(id, json.RawMessage(failed(c.name, "aoctl: "+a.err.Error())))
	// hookclient has checked it; what goes to the agent is checked once more where it leaves.
	case !plainObject(a.json):
		q.reply(id, json.RawMessage(failed(c.name, "aoctl: the console's answer is no JSON object")))
	default:
		if c.name == gateEvent {
			q.ledger.enter(c, a)
		}
		q.reply(id, json.RawMessage(a.json))
	}
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

// cancelled takes back a request of the agent's: nobody waits for its answer any more. The agent
// hears nothing of it: it said itself that it does not wait.
func (q *questions) cancelled(id string) {
	if q.forget(id) != nil {
		q.out.do(drop{id})
	}
}

// close refuses what waits, and from now on whatever comes. The console hears that each was taken
// back.
func (q *questions) close() {
	q.closed = true
	n := 0
	for id, c := range q.open {
		q.out.do(drop{id})
		switch {
		// A person was about to be asked, so the turn is ended with the refusal.
		case c.permit:
			n++
			q.denyPermission(id, "aoctl: the session is being ended.", true)
		default:
			if c.name == gateEvent {
				n++
			}
			q.reply(id, json.RawMessage(failed(c.name, "aoctl: the session is being ended.")))
		}
		q.forget(id)
	}
	if n > 0 {
		q.out.step("refused %d waiting calls", n)
	}
}

// drop takes what waits back from the console: the agent is gone.
func (q *questions) drop() {
	for id := range q.open {
		q.cancelled(id)
	}
}

// plainObject reports whether raw is one JSON object.
func plainObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}
