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

// AsksOf is the question r, which its agent asks in its own terminal. The time is that of the
// call, so that a console which starts later shows the same age.
func AsksOf(r Request) *Asks {
	return &Asks{RequestID: r.ID, Text: Excerpt(forms.Gist(r.ToolInput)), At: r.CreatedAt, SubagentID: r.SubagentID, ToolUseID: r.ToolUseID}
}

// Over reports whether h says that the question is over: the call is done, its agent goes on
// to another, its turn or the session ended. No question is never over.
//
// The agent does not say that its question was answered, so any sign that it went on counts. A
// sub-agent's question is not over because the main agent speaks.
func (a *Asks) Over(h agents.Hook) bool {
	if a == nil {
		return false
	}
	switch h.Kind {
	case agents.ToolDone:
		return h.SubagentID == a.SubagentID && (h.ToolUseID == "" || a.ToolUseID == "" || h.ToolUseID == a.ToolUseID)
	case agents.Gate:
		return h.SubagentID == a.SubagentID && (h.ToolUseID == "" || h.ToolUseID != a.ToolUseID)
	case agents.TurnEnd, agents.Prompt:
		return h.SubagentID == "" && !h.FromApp
	case agents.SubagentStop:
		return h.SubagentID == a.SubagentID
	case agents.SessionStart, agents.SessionEnd:
		return true
	case agents.Observe, agents.SubagentStart, agents.Notify, agents.Settings:
	}
	return false
}

// DialogOf is the common name of r's tool when it is a question to the user, else "".
func DialogOf(r Request) string {
	switch tool, _ := r.Call(); tool {
	case agents.AskUserQuestion, agents.ExitPlanMode:
		return tool
	}
	return ""
}

// AsksElsewhere reports whether r is a question that only its agent's own terminal can
// answer. The plain API has no terminal of an agent's, so its questions are always answered here.
func AsksElsewhere(r Request) bool {
	return r.Event != "" && DialogOf(r) == agents.AskUserQuestion && !agents.TraitsOf(r.Agent).Answers
}

// approval is the input that an allowed plan must carry to count as approved, nil for all other
// calls. Claude Code counts a plan as approved only when the answer carries its input.
func approval(r Request) json.RawMessage {
	if DialogOf(r) == agents.ExitPlanMode && agents.TraitsOf(r.Agent).Answers {
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
	switch DialogOf(r) {
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

// LeftToAgent is the end of a question that its agent asks in its own terminal. It is an end like
// any other: the call is on record, and nobody waits for it here.
func LeftToAgent() *Outcome {
	return &Outcome{State: Answered, By: Actor{Kind: ByAgent}, Reason: "its agent asks in its own terminal"}
}
