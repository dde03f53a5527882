package calls

import (
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Only the last calls count, however many there were.
func TestTookForgets(t *testing.T) {
	var cs RuleTimes
	at := time.Now()
	r := broker.Request{CreatedAt: at, Outcome: &broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByRule}, At: at}}
	for range mostTook {
		cs.note(r, time.Hour)
	}
	if got := cs.RuleTook(); got.Calls != mostTook || got.P50 < time.Hour {
		t.Fatalf("%+v", got)
	}
	for range mostTook {
		cs.note(r, time.Second)
	}
	if got := cs.RuleTook(); got.Calls != mostTook || got.P95 >= time.Hour {
		t.Errorf("what was long ago counts still: %+v", got)
	}
	r.Outcome.At = at.Add(time.Second)
	early := RuleTimes{}
	early.note(r, time.Second)
	if got := early.RuleTook(); got.Calls != 0 {
		t.Errorf("it had waited: %+v", got)
	}
}
