package runner

import "encoding/json"

// verdict is what was answered to a call. The zero verdict lets nothing run.
type verdict int

const (
	unknown  verdict = iota
	allowed          // it may run
	left             // the console left it to the agent, on purpose
	deferred         // it was put off
	refused
)

// entry is a call that came through the gate. input stays only while the call is under way; a
// permission that is asked later compares with it.
type entry struct {
	verdict verdict
	request string          // the console's
	input   json.RawMessage // what was allowed; nil once the call has ended
	event   event           // as it was asked, without its input
}

// ledger has every call of a run that came through the gate, by its id. What ran and is
// not in it as allowed did not come through.
type ledger map[string]*entry

// mayRun reports whether call id came through the gate and may run. A call that was left to the
// agent may run too: the agent's own rules decided.
func (l ledger) mayRun(id string) bool {
	e := l[id]
	return e != nil && (e.verdict == allowed || e.verdict == left)
}

// enter writes down what the console answered to a call at the gate. An answer that cannot be
// read has the verdict unknown, and the agent is not told that it may run.
func (l ledger) enter(c *call, a answer) {
	var g gateAnswer
	e := &entry{request: a.request, input: c.input, event: c.event}
	if json.Unmarshal(a.json, &g) == nil {
		e.verdict = g.verdict()
		// What runs is the input that the operator has put in its place.
		if len(g.Specific.Updated) > 0 {
			e.input = g.Specific.Updated
		}
	}
	e.event.ToolInput = nil
	l[c.event.ToolUseID] = e
}

// allow writes down that a person gave the permission for call id. request is the one that
// asked for it, unless the call is here already, with the request of the gate. A permission may
// come for a call that never passed the gate, as when a hook of the user's has asked.
func (l ledger) allow(id, request string) {
	e := l[id]
	if e == nil {
		e = &entry{request: request}
		l[id] = e
	}
	e.verdict = allowed
}

// ended forgets what is only needed while a call is under way.
func (l ledger) ended(id string) {
	if e := l[id]; e != nil {
		e.input = nil
	}
}

// gateAnswer is what the console answers to a call, in the agent's words. Only what decides is
// read. Raw fields tell "not there" from "something else".
type gateAnswer struct {
	Continue *bool `json:"continue"` // false ends the turn
	Specific struct {
		Event    string          `json:"hookEventName"`
		Decision json.RawMessage `json:"permissionDecision"`
		Updated  json.RawMessage `json:"updatedInput"`
		Behavior struct {
			Behavior  string          `json:"behavior"`
			Message   string          `json:"message"`
			Interrupt bool            `json:"interrupt"`
			Updated   json.RawMessage `json:"updatedInput"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

// verdict reads the answer to gateEvent. An empty one leaves the call to the agent. A word that
// is not known is a refusal.
func (a gateAnswer) verdict() verdict {
	var word string
	switch {
	case a.Continue != nil && !*a.Continue:
		return refused
	case a.Specific.Decision == nil:
		return left
	case json.Unmarshal(a.Specific.Decision, &word) != nil:
		return refused
	}
	switch word {
	case "allow":
		return allowed
	case "defer":
		return deferred
	case "ask":
		return left // the agent asks its user, who is asked here
	}
	return refused
}
