package broker

import (
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
)

// Some tools are themselves a question to the user: no rule allows one (rules.Personal).
// What allowing means depends on what the agent's hook can say. A question that it can
// answer takes the answers as its input; without them the agent asks in its own terminal.
// A plan is approved by an answer that carries its input. Neither ever changes the agent's
// permission mode: Claude Code goes back to the mode that it had before it planned.
//
// A question that the hook cannot answer is left to the agent at once, since holding it
// would only keep the person from it: Session.Asks tells of it until it was answered.

// Asks is a question that an agent asks its user in its own terminal, where the console
// cannot answer it.
type Asks struct {
	RequestID  string    `json:"request_id"`
	Text       string    `json:"text"` // the first question; the agent's words, cut
	At         time.Time `json:"at"`
	SubagentID string    `json:"subagent_id,omitempty"`
	ToolUseID  string    `json:"tool_use_id,omitempty"`
}

// dialog is the common name of r's tool when it is a question to the user, else "".
func dialog(r Request) string {
	switch tool, _ := r.Call(); tool {
	case agents.AskUserQuestion, agents.ExitPlanMode:
		return tool
	}
	return ""
}

// asksElsewhere reports whether r is a question that only its agent's own terminal can
// answer.
func asksElsewhere(r Request) bool {
	return r.Event != "" && dialog(r) == agents.AskUserQuestion && !agents.TraitsOf(r.Agent).Answers
}

// approval is the input that an allowed plan must carry to count as approved, nil for
// all other calls.
func approval(r Request) json.RawMessage {
	if dialog(r) == agents.ExitPlanMode && agents.TraitsOf(r.Agent).Answers {
		return r.ToolInput
	}
	return nil
}

func firstInput(list ...json.RawMessage) json.RawMessage {
	for _, in := range list {
		if len(in) > 0 {
			return in
		}
	}
	return nil
}

// sendBackWords are what the model reads when a person refused a plan or a question, ""
// for all other calls.
func sendBackWords(r Request, o Outcome) string {
	switch dialog(r) {
	case agents.ExitPlanMode:
		if o.Reason == "" {
			return "The user did not approve the plan and gave no reason. Do not carry it out; ask what to change."
		}
		return "The user wants changes to the plan: " + o.Reason
	case agents.AskUserQuestion:
		if o.Reason == "" {
			return "The user declined to answer and gave no reason. Do not ask the same again; go on without the answer only where it is safe to."
		}
		return "The user declined to answer: " + o.Reason
	}
	return ""
}

// leftToAgent is the end of a question that its agent asks in its own terminal.
func leftToAgent() *Outcome {
	return &Outcome{State: Answered, By: Actor{Kind: ByAgent}, Reason: "its agent asks in its own terminal"}
}

// asking notes that se's agent asks r in its own terminal. Caller holds mu.
func (se *sessionEntry) asking(r Request) {
	se.s.Asks = &Asks{
		RequestID: r.ID, Text: excerpt(forms.Gist(r.ToolInput)), At: r.CreatedAt, SubagentID: r.SubagentID, ToolUseID: r.ToolUseID,
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
