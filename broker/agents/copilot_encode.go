package agents

import "encoding/json"

// What Copilot reads on stdout, as far as aoctl says it. Flat keys mean the same under
// both spellings; nested ones, and values that it does not know, let the call run.
type (
	copilotGate struct {
		Decision string          `json:"permissionDecision"`
		Reason   string          `json:"permissionDecisionReason,omitempty"`
		Args     json.RawMessage `json:"modifiedArgs,omitempty"` // replace the whole arguments
	}
	copilotPermission struct {
		Behavior  string `json:"behavior"`
		Message   string `json:"message,omitempty"`
		Interrupt bool   `json:"interrupt,omitempty"` // ends the turn
	}
)

// Encode writes the answer to event. An allow beats the user's own --deny-tool, so it is
// said only where a person or a rule of theirs allowed; see Traits.AllowWins. A call that is
// left to Copilot gets {}, which has its own rules speak.
func (d copilot) Encode(event string, input json.RawMessage, a Answer) []byte {
	if copilotEvents[event] != Gate {
		return []byte(nothing)
	}
	stop := a.StopTurn
	a = settled(a, func(updated json.RawMessage) bool { return d.takes(event, a.Tool, input, updated) })
	switch {
	case a.Verdict == Leave:
		return []byte(nothing)
	case event == "PermissionRequest" && a.Verdict == Allow:
		return oneLine(copilotPermission{Behavior: "allow"})
	case event == "PermissionRequest":
		return oneLine(copilotPermission{Behavior: "deny", Message: a.Reason, Interrupt: stop})
	case a.Verdict == Allow:
		return oneLine(copilotGate{Decision: "allow", Args: copilotArgs(input, a.UpdatedInput)})
	}
	return oneLine(copilotGate{Decision: "deny", Reason: a.Reason})
}

// copilotArgs is a changed input as the tool takes it: a patch is a bare text again.
func copilotArgs(input, updated json.RawMessage) json.RawMessage {
	if updated == nil || !isPatch(input) || !isPatch(updated) {
		return updated
	}
	text, _ := stringIn(updated, freeText)
	raw, _ := json.Marshal(text) //nolint:errchkjson // strings never fail
	return raw
}

// takes reports whether the answer to event can hold changed arguments. The event before a
// permission has no field for changed arguments.
func (copilot) takes(event, _ string, _, _ json.RawMessage) bool { return event != "PermissionRequest" }
