package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
)

// A key for a session is about one that is on the screen: in a low window without calls the sessions
// are drawn only while they have the focus.
func TestKeysNeedADrawnSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := heldSession(broker.TurnWorking)
		r := newRig(t, newFake([]broker.Session{s}), 60, 14)
		for _, k := range []string{"m", "i", "E", "F"} {
			r.press(k)
			if r.noted() != "" || r.m.open() != nil {
				t.Fatalf("%s acts on a session that is not drawn: %s\n%s", k, r.noted(), r.view())
			}
		}
		r.press("tab")
		r.wait(2 * time.Second)
		r.press("i")
		if r.noted() == "" {
			t.Error("i does nothing where the session is drawn")
		}
	})
}

// Without a call, tab goes to the sessions at once: there is no third pane.
func TestTabSkipsWhatIsNotDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(someSessions()), 120, 30)
		r.press("tab")
		r.shows("▸Sessions")
		r.press("tab")
		r.shows("▸Waiting")
		r.press("shift+tab")
		r.shows("▸Sessions")
	})
}

// The mark among the sessions begins on one that lives.
func TestFirstSessionLives(t *testing.T) {
	s := newStill(t, broker.Snapshot{Sessions: []broker.Session{
		{ID: "old", Name: "old", State: broker.SessionFinished, StartedAt: seconds(9000), SessionEnd: broker.SessionEnd{EndedAt: seconds(540)}},
		{ID: "new", Name: "new", State: broker.SessionIdle, StartedAt: seconds(60), LastSeenAt: seconds(30)},
	}}, nil, termenv.Ascii)
	s.draw(120, 30)
	if s.m.session != "new" {
		t.Errorf("%q is marked", s.m.session)
	}
}

// A deferred call in a freeze says since when it is deferred; no freeze holds it.
func TestDeferredInAFreeze(t *testing.T) {
	r := putOffCall(bash("r1", "s1", seconds(60), "make deploy"), 2*time.Second, "claude")
	r.Held = "everything is frozen"
	s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{r}, Health: broker.Health{Frozen: true}}, nil, termenv.Ascii)
	if view := s.draw(120, 30); strings.Contains(view, "heldoff") || !strings.Contains(view, "off ") {
		t.Errorf("the row reads:\n%s", view)
	}
}

// After a form is sent from the whole window, the next card comes up in the list.
func TestAfterAFormTheListIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := asking(t, goOn)
		r.c.publish(bash("r2", "s1", time.Now(), "ls"))
		r.wait(time.Second)
		r.press("enter", "1", "enter")
		r.wait(time.Second)
		if r.answered() == "0 decisions" {
			t.Fatalf("nothing was answered:\n%s", r.view())
		}
		if r.m.screen != screenMain {
			t.Errorf("the next card fills the window:\n%s", r.view())
		}
	})
}
