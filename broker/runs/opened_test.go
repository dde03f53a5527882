package runs

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// deferring is an engine in which one call of every session is deferred.
type deferring struct {
	View

	call string
	err  error // what is in the way
}

func (d *deferring) Tell(engine.Input) {}
func (d *deferring) Do(engine.Input) engine.Reply {
	return engine.Reply{Call: broker.Request{ID: d.call}, Err: d.err}
}
func (d *deferring) Session(string) (broker.Session, bool)     { return broker.Session{}, true }
func (d *deferring) ResumedBy(sessionID string) broker.Process { return broker.Process{} }

// What the keyboard opens is that session, for the call that is deferred then, and for some minutes.
func TestOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &deferring{call: "one"}
		rs := New(Options{Engine: e, View: e})
		is := func(when, session string, want bool) {
			t.Helper()
			if got, _ := rs.OpenToResume(session); got != want {
				t.Errorf("%s: %s is open: %v", when, session, got)
			}
		}
		is("before", "s", false)
		if err := rs.open("s", broker.Actor{Kind: broker.ByOperator}); err != nil {
			t.Fatal(err)
		}
		is("opened", "s", true)
		is("opened", "other", false)
		e.call = "two"
		is("another call is deferred", "s", false)
		e.err = broker.TakenError{Why: "a process has it"}
		is("and its agent still runs", "s", false)
		if _, err := rs.OpenToResume("s"); !errors.Is(err, broker.ErrConflict) {
			t.Errorf("what is in the way is not said: %v", err)
		}
		e.call, e.err = "one", nil
		time.Sleep(broker.ResumeOpen - time.Second)
		is("in time", "s", true)
		time.Sleep(time.Second)
		is("late", "s", false)
	})
}
