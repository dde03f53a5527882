package agents

import (
	"bytes"
	"encoding/json"
)

// trialInput is an input that no agent has, and that any tool of theirs might be given.
var trialInput = json.RawMessage(`{"command":"aoctl-trial"}`)

// Edits reports whether agent can be told, in answer to event, to run a call of tool with
// another input than it asked for. It is true only when there is something that the agent would
// take; a certain input is for Takes.
func Edits(agent, event, tool string) bool { return Takes(agent, event, tool, nil, trialInput) }

// Takes reports whether agent's answer to event, about a call of tool with the input
// asked, can say that the call is to run with another input: whether it is not the answer
// that an input gets which cannot be passed on, and not that of a call which may run as it
// is. An empty event is a caller of the plain API, which is told everything. It asks the dialect
// itself instead of keeping a second table: an answer that differs from the two that mean "no"
// carries the input.
func Takes(agent, event, tool string, asked, input json.RawMessage) bool {
	d, ok := dialects[agent]
	if !ok || event == "" {
		return TraitsOf(agent).Edit
	}
	if asked == nil {
		asked = json.RawMessage(`{"command":"true"}`)
	}
	said := func(updated json.RawMessage) []byte {
		return d.Encode(event, asked, Answer{Verdict: Allow, UpdatedInput: updated, Tool: tool})
	}
	answer := said(input)
	return TraitsOf(agent).Edit && !bytes.Equal(answer, said(json.RawMessage("x"))) && !bytes.Equal(answer, said(nil))
}
