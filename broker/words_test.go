package broker_test

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
)

// A denial without a reason says so of the person, not of the call.
func TestDeniedWithoutAReason(t *testing.T) {
	const next = ", without a reason. Do not try it again as it is; ask what to do instead."
	for kind, want := range map[broker.ActorKind]string{
		broker.ByOperator: "A person denied this call in aoctl" + next,
		broker.ByProcess:  "This call was denied with an aoctl command" + next,
	} {
		r := broker.Request{State: broker.Denied, Outcome: &broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: kind}}}
		if got := broker.AnswerTo(r).Reason; got != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// An agent is not told that it interrupted its own turn: the reason on record speaks to the operator.
func TestInterruptedAgentIsToldSo(t *testing.T) {
	o := broker.Interruption{By: broker.Actor{Kind: broker.ByOperator}}.Outcome(broker.Actor{})
	r := broker.Request{State: o.State, Outcome: &o}
	if got := broker.AnswerTo(r).Reason; got != "aoctl closed this call: your turn was interrupted." {
		t.Errorf("%q", got)
	}
}
