package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// Attack: a plan is approved on its whole screen, and the next call takes that place at once, so a
// second press of the same key looks as if it were about the plan. The screen goes back to the list,
// and the next call is deaf as any new one.
func TestWholeScreenEndsWithItsCall(t *testing.T) {
	for name, leave := range map[string]func(*rig){
		"approved": func(r *rig) { r.send(keyMsg("a")); r.wait(100 * time.Millisecond) },
		"its agent went": func(r *rig) {
			r.c.publish(settled(r.c.requests["r1"], broker.Answered, broker.Actor{Kind: broker.ByAgent}, "", time.Now()))
			r.wait(100 * time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				plan := tuitest.NewCall("r1", "s1", "ExitPlanMode", time.Now().Add(-time.Second), map[string]string{"plan": "# Do it\n"})
				r := newRig(t, newFake(someSessions(), plan, bash("r2", "s1", time.Now(), "make")), 80, 24)
				r.press("enter")
				if r.m.listed() {
					t.Fatalf("the plan has not the whole screen:\n%s", r.view())
				}
				leave(r)
				before := r.decisions()
				if !r.m.listed() || r.m.selected() != "r2" {
					t.Errorf("the next call has the place of the plan:\n%s", r.view())
				}
				r.send(keyMsg("a"))
				r.wait(time.Second)
				if r.decisions() != before {
					t.Errorf("a second press decided the next call: %s", r.decisions())
				}
			})
		})
	}
}
