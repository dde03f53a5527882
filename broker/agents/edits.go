package agents

import (
	"bytes"
	"encoding/json"
)

// trialInput is an input that no agent has.
var trialInput = json.RawMessage(`{"command":"aoctl-trial"}`)

// Edits reports whether a call that agent asks for with event may be allowed with
// another input: whether the answer that the agent would get has that input in it. An
// empty event is a caller of the plain API, which is told everything.
func Edits(agent, event string) bool {
	d, ok := dialects[agent]
	if !ok || event == "" {
		return TraitsOf(agent).Edit
	}
	if !d.Traits().Edit {
		return false
	}
	said := d.Encode(event, json.RawMessage(`{"command":"true"}`), Answer{Verdict: Allow, UpdatedInput: trialInput})
	return bytes.Contains(said, []byte("aoctl-trial"))
}
