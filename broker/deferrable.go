package broker

import (
	"fmt"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
)

// AsWaiting is what a says of the call of r as a person reads it: a rule that puts it off asks
// where its agent cannot be told so. headless says whether its agent has no user. The reason goes
// on the card: the operator sees that a rule wanted to put the call off, and why it waits all the
// same.
func AsWaiting(a rules.Assessment, r Request, headless bool) rules.Assessment {
	if a.Verdict != rules.Defer {
		return a
	}
	if why := WhyWaits(r, headless); why != "" {
		return AskInstead(a, a.Reason+"; but "+why)
	}
	return a
}

// WhyWaits says why the agent of r cannot be told that its call is put off; "" when it can.
// It is about what does not change. Deferring ends the agent's process. That is right only for an
// agent without a user before it, which asks for the same call again by its id when it is
// resumed.
func WhyWaits(r Request, headless bool) string {
	t := agents.TraitsOf(r.Agent)
	switch {
	case !t.Defer:
		return "its agent cannot be told so: it waits as before"
	case r.Event == "" || r.Event != t.Gate || r.ToolUseID == "":
		return "its agent would not ask again: it waits as before"
	case r.SubagentID != "":
		return "a sub-agent's call would be lost: it waits as before"
	case DialogOf(r) != "":
		return "its agent asks the user, and would not ask again: it waits as before"
	case !headless:
		return "its user may sit before the agent: it waits as before"
	}
	return ""
}

// CannotDefer is ErrCannotDefer with the reason.
func CannotDefer(why string) error { return fmt.Errorf("%w: %s", ErrCannotDefer, why) }

// FirstProcess is the first of list that is one. Its result is the zero Process when no entry
// names one.
func FirstProcess(list ...Process) Process {
	for _, p := range list {
		if p.PID != 0 {
			return p
		}
	}
	return Process{}
}

// PutOffAnswer is what the hook of a call is told that is put off. Its agent's process ends with
// this answer, so the words are for those who read the transcript.
func PutOffAnswer() agents.Answer {
	return agents.Answer{Verdict: agents.Defer, Reason: "Deferred in aoctl: a person will answer later."}
}

// BesideID is the id of the actor that refuses calls beside one that is put off. An agent may
// make several calls in one turn. When one of them is put off the process ends, so the others
// cannot wait for an answer.
const BesideID = "beside-deferred"

// BesideReason is the reason of a refusal beside a call that is put off.
const BesideReason = "another call of this turn is deferred until a person answers"

// besideWords are what the model reads.
const besideWords = "Not run: another call of this turn was deferred in aoctl until a person answers it. Nobody has refused this call. " +
	"Make it again once the deferred call is answered."

// CheckpointsOf are the saved checkpoints by request id. A request has one at most.
func CheckpointsOf(saved Saved) map[string]*Checkpoint {
	m := make(map[string]*Checkpoint, len(saved.Checkpoints))
	for _, cp := range saved.Checkpoints {
		m[cp.RequestID] = &cp
	}
	return m
}

// GivesUp reports whether what ends a call that is put off also ends that its session is to
// be resumed for it. A stop says that nothing of the session is to run, so it is not started only
// to hear a refusal.
func GivesUp(o Outcome) bool { return o.By.Kind == ByStop }
