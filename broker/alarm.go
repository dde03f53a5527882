package broker

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
)

// RunKind says what is wrong about a call that ran.
type RunKind string

// The kinds of alarm.
const (
	RanChanged RunKind = "changed" // with another input than was allowed
	RanRefused RunKind = "refused" // although it was refused, or before it was answered
	RanUnasked RunKind = "unasked" // without having been asked for
)

// Alarm is a call that ran otherwise than it was allowed.
type Alarm struct {
	Kind      RunKind         `json:"kind"`
	SessionID string          `json:"session_id"`
	RequestID string          `json:"request_id,omitempty"` // none when it was never asked for
	ToolName  string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Ran       json.RawMessage `json:"ran,omitempty"` // the input that ran; left out when it is large
	Digest    string          `json:"digest"`        // of what ran, without a folder
	At        time.Time       `json:"at"`
}

// Words say what happened, as the end of a sentence about the call.
func (a Alarm) Words() string {
	switch a.Kind {
	case RanChanged:
		return "what ran was not what was allowed"
	case RanRefused:
		return "ran without being allowed"
	case RanUnasked:
	}
	return "ran without being asked for"
}

// formTools are tools whose input a person completes in the agent's own terminal.
var formTools = map[string]bool{agents.AskUserQuestion: true, agents.ExitPlanMode: true}

// CompareRun is what is wrong about a run of req, "" when nothing is. h is the agent's report.
// Its input may differ from the recorded bytes in the order of members and in white space, so
// values are compared and not bytes. What a person filled in at the agent's own form is no
// difference.
func CompareRun(req Request, h agents.Hook) RunKind {
	switch req.State {
	case Allowed:
	case Answered:
		if req.Outcome == nil || req.Outcome.LetsRun() || AsksElsewhere(req) {
			return ""
		}
		return RanRefused
	case Pending, Denied, Expired, Cancelled:
		return RanRefused
	}
	if DialogOf(req) == agents.ExitPlanMode && req.ToolName == h.ToolName {
		return planKind(req, h)
	}
	// An agent that was given another input completes it with its tool's defaults, so null and
	// false may stand beside what the operator sent.
	want, edited := req.ToolInput, false
	if req.Outcome != nil && len(req.Outcome.UpdatedInput) > 0 {
		want, edited = req.Outcome.UpdatedInput, true
	}
	if req.ToolName != h.ToolName || !sameRun(want, h.ToolInput, func(v json.RawMessage) bool {
		return formTools[h.ToolName] || edited && (string(v) == "null" || string(v) == "false")
	}) {
		return RanChanged
	}
	return ""
}

// planKind is what is wrong about the plan that h reports as approved. Claude Code does
// not report the input that was asked with, but the plan itself as the result.
func planKind(req Request, h agents.Hook) RunKind {
	var was, is struct {
		Plan   *string `json:"plan"`
		Edited bool    `json:"planWasEdited"` // by the person, in the agent's own terminal
	}
	if json.Unmarshal(req.ToolInput, &was) != nil || json.Unmarshal(h.Result, &is) != nil {
		return ""
	}
	if was.Plan != nil && is.Plan != nil && *was.Plan != *is.Plan && !is.Edited {
		return RanChanged
	}
	return ""
}

// sameRun compares the input that was allowed with the one that ran, by value; mayAdd
// says which members the latter may have beside.
func sameRun(allowed, ran json.RawMessage, mayAdd func(v json.RawMessage) bool) bool {
	x, errX := members(allowed)
	y, errY := members(ran)
	if errX != nil || errY != nil {
		return bytes.Equal(allowed, ran)
	}
	for key, v := range y {
		want, ok := x[key]
		if !ok && !mayAdd(v) || ok && !wire.Same(want, v) {
			return false
		}
		// What is left over in the end was allowed and did not run, which is a difference too.
		delete(x, key)
	}
	return len(x) == 0
}

// members reads an object strictly: what two readers could read differently is compared
// byte for byte.
func members(raw json.RawMessage) (map[string]json.RawMessage, error) {
	fields, err := wire.Fields(raw)
	m := make(map[string]json.RawMessage, len(fields))
	for _, f := range fields {
		m[f.Key] = f.Value
	}
	return m, err
}

// ToldToRun reports whether the agent of r was told that the call may run. A question that was
// left to the agent's own terminal counts: its user may have let the call run there.
func ToldToRun(r Request) bool {
	return LetsRun(r) || r.State == Answered && r.Outcome == nil
}

// RanAs reports whether req asked for the call that h reports, as it was allowed. It is for
// agents whose calls have no id, where a report is matched to a call by all that it says. Nothing
// may stand beside what was allowed.
func RanAs(req Request, h agents.Hook) bool {
	if req.SessionID != h.SessionID || req.Agent != h.Agent || req.Event != GateOf(h.Agent) || req.SubagentID != h.SubagentID || req.ToolName != h.ToolName {
		return false
	}
	want := req.ToolInput
	if req.Outcome != nil && len(req.Outcome.UpdatedInput) > 0 {
		want = req.Outcome.UpdatedInput
	}
	return sameRun(want, h.ToolInput, func(json.RawMessage) bool { return false })
}

// MayHaveRun reports whether the call of req may be the one that h reports, leaving its
// input aside. It is wider than RanAs on purpose, and serves to find the candidates of one
// report.
func MayHaveRun(req Request, h agents.Hook) bool {
	return req.SessionID == h.SessionID && req.SubagentID == h.SubagentID && req.ToolName == h.ToolName && req.ToolUseID == "" && req.Event != "" &&
		slices.Contains([]State{Pending, Allowed, Answered}, req.State)
}

// CoversInput reports whether input is what was allowed with r. A second question about the same
// call may repeat a part of its input only; the timeout of a command may be missing. Numbers are
// compared by their digits, so that two readers cannot see two values.
func CoversInput(r Request, input json.RawMessage) bool {
	allowed := r.ToolInput
	if len(r.Outcome.UpdatedInput) > 0 {
		allowed = r.Outcome.UpdatedInput
	}
	was, err1 := members(allowed)
	now, err2 := members(input)
	if err1 != nil || err2 != nil || len(now) == 0 {
		return false
	}
	for key, v := range now {
		if w, ok := was[key]; !ok || !wire.Identical(w, v) {
			return false
		}
		delete(was, key)
	}
	delete(was, "timeout") // of a command: not asked about again
	return len(was) == 0
}

// RanCall reports whether e, an EventPostTool, tells of the call with this id, or of one
// that cannot be told from it. What cannot be read counts as this call: the answer then is not
// given once more, which is the safe side.
func RanCall(e Event, toolUse string) bool {
	var d struct {
		ToolUseID string `json:"tool_use_id"`
	}
	return json.Unmarshal(e.Data, &d) != nil || d.ToolUseID != "" && d.ToolUseID == toolUse
}
