package broker

import (
	"cmp"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
)

// AnswerTo turns a request's end into what its agent is told. Every way of ending
// has words of its own, because an agent that knows why does not just try again.
//
// It is the only place that makes an agent's verdict of an end. Anything that it does not know is
// a refusal.
func AnswerTo(r Request) agents.Answer {
	if r.Outcome == nil {
		return agents.Answer{Verdict: agents.Deny, Reason: "aoctl: no decision was made."}
	}
	o := *r.Outcome
	if o.State == Allowed && o.By.Kind == ByRule && o.By.ID == RuleReadOnly && agents.TraitsOf(r.Agent).AllowWins {
		// An agent whose hook's allow overrules its user's own rules must not be told one that no
		// person and no rule of theirs gave.
		return agents.Answer{Verdict: agents.Leave, Reason: allowWords(o)} // nobody said so: its own rules decide
	}
	if o.State == Allowed {
		return agents.Answer{Verdict: agents.Allow, Reason: allowWords(o), UpdatedInput: firstInput(o.UpdatedInput, approval(r))}
	}
	if AsksElsewhere(r) && o.State == Answered {
		return agents.Answer{Verdict: agents.Leave, Reason: "Ask the user in your own terminal."}
	}
	if o.State == Answered && o.By.Kind == ByObserve {
		return agents.Answer{Verdict: agents.Leave, Reason: "Not held: aoctl only observes. In its place " + o.Reason + "."}
	}
	if o.HandedOver() {
		return agents.Answer{Verdict: agents.Ask, Reason: askWords(r, o)}
	}
	words := denyWords(r, o)
	if r.Unrecorded {
		words += " " + UnrecordedWords
	}
	return agents.Answer{Verdict: agents.Deny, Reason: words, StopTurn: o.By.Kind == ByStop}
}

// UnrecordedWords are told beside the end of a call that could not be recorded yet.
const UnrecordedWords = "(aoctl could not write this down yet. If it crashes now, it may ask again.)"

// allowWords says to the agent's model who allowed its call. Only the operator's reason is
// foreign text in it.
func allowWords(o Outcome) string {
	switch {
	case o.By.Kind == ByRule:
		return "Allowed by aoctl's rule " + o.By.ID + "."
	case o.By.Once() && o.Reason != "":
		return "Allowed with a single-use token of aoctl: " + o.Reason
	case o.By.Once():
		return "Allowed with a single-use token of aoctl."
	case o.By.Token() != "" && o.Reason != "":
		return "Allowed with an operator token of aoctl: " + o.Reason
	case o.By.Token() != "":
		return "Allowed with an operator token of aoctl."
	case o.Reason != "":
		return "Allowed by a person in aoctl: " + o.Reason
	}
	return "Allowed by a person in aoctl."
}

// askWords says to the agent's user why their own prompt asks them.
func askWords(r Request, o Outcome) string {
	switch {
	case o.By.Kind == ByDeadline:
		return fmt.Sprintf("Nobody answered in aoctl within %s: decide here.", o.At.Sub(r.CreatedAt).Round(time.Second))
	case o.Reason != "":
		return "aoctl leaves this to you: " + o.Reason
	}
	return "aoctl leaves this to you."
}

// denyWords says to the agent's model why its call does not run, and what to do next: a model
// that is only told no tends to try the same thing in another way. It says so when no person has
// seen the call, so that nobody is blamed for it.
func denyWords(r Request, o Outcome) string {
	switch o.State {
	case Expired:
		next := "ask the user before trying again."
		if limit := HardWait(r); limit != "" {
			next = limit + ", and a person may need longer: give them time, then make exactly the same call again. If they have allowed it meanwhile, it runs at once."
		}
		if o.Reason == HeldTillEnd {
			return "Everything is held in aoctl at the moment, and this call's time ran out, so it was not run. Nobody has refused it; " + next
		}
		return fmt.Sprintf("Nobody answered in aoctl within %s, so this call was not run. Nobody has refused it; %s",
			max(o.At.Sub(r.CreatedAt), r.ExpiresAt.Sub(r.CreatedAt)).Round(time.Second), next)
	case Cancelled:
		if o.Interrupted() { // its reason speaks to the operator
			return "aoctl closed this call: your turn was interrupted."
		}
		return "aoctl closed this call: " + o.Reason + "."
	case Answered:
		return "This call was already answered in the agent's own terminal."
	case Pending, Allowed, Denied:
	}
	switch o.By.Kind {
	case ByOperator, ByProcess:
		if words := sendBackWords(r, o); words != "" {
			return words
		}
		who := "A person denied this call in aoctl"
		if o.By.Kind == ByProcess {
			who = "This call was denied with an aoctl command"
		}
		if o.Reason == "" {
			return who + ", without a reason. Do not try it again as it is; ask what to do instead."
		}
		return who + ": " + o.Reason
	case ByRule:
		return "A rule in aoctl denied this call" + withReason(o.Reason) + " (rule " + o.By.ID + "; no person was asked, and asking again changes nothing)"
	case ByStop:
		return "Stopped by the user in aoctl. Do not go on until the user speaks again."
	case ByFreeze:
		return "Everything is held in aoctl at the moment" + withReason(o.Reason)
	case ByBroker:
		if o.By.ID == AsideID {
			return asideWords
		}
		if o.By.ID == BesideID {
			return besideWords
		}
		return "aoctl refused this call because " + cmp.Or(o.Reason, "something failed in aoctl") + ". No person has seen or denied it."
	case ByDeadline, ByAgent, ByObserve:
	}
	return "Denied in aoctl" + withReason(o.Reason)
}

// withReason ends a sentence, with the reason where there is one.
func withReason(s string) string {
	if s == "" {
		return "."
	}
	return ": " + s
}
