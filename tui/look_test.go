package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
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
		r := newRig(t, newFake(someSessions()), 60, 14)
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
	s.draw(120, 30, "3")
	if s.m.first().Subject().Session != "new" {
		t.Errorf("%q is marked", s.m.first().Subject().Session)
	}
}

// A deferred call in a freeze says since when it is deferred; no freeze holds it.
func TestDeferredInAFreeze(t *testing.T) {
	r := putOffCall(bash("r1", "s1", seconds(60), "make deploy"), 2*time.Second, "claude")
	r.Held = "everything is frozen"
	s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: []broker.Request{r}, Health: broker.Health{Frozen: true}}, nil, termenv.Ascii)
	if view := s.draw(120, 30); strings.Contains(view, "helddeferred") || !strings.Contains(view, "deferred 0s") {
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
		if !r.m.listed() {
			t.Errorf("the next card fills the window:\n%s", r.view())
		}
	})
}

// m writes to the session of the events screen, whatever step is selected; where it opens nothing,
// the words behind it are no keys.
func TestMessageFromTheEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.c.moments = longSession(30)
		r.wait(3 * time.Second)
		r.press("E")
		r.wait(2 * time.Second)
		if r.press("m"); r.m.open() != r.m.rooms[desk.Message] {
			t.Errorf("m opens no message:\n%s", r.view())
		}
		r.press("esc", "esc", "h")
		r.wait(2 * time.Second)
		r.send(keyMsg("m"))
		if r.m.Guard.Words == "" {
			t.Error("behind an m that opened nothing words are keys")
		}
	})
}

// A token that is made late does not come over a form: what is typed stays the form's.
func TestLateTokenWaitsBelowAForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.c.mintTakes = 6 * time.Second
		r.press("r", "t", "n", "c", "i", "enter", "esc", "n")
		r.wait(8 * time.Second)
		r.press("f", "o", "x")
		if r.m.Board.Health.Frozen || r.m.prompt != nil || !r.editing() {
			t.Errorf("what is typed into the form are keys of what came over it:\n%s", r.view())
		}
		r.press("esc")
		r.wait(time.Second)
		if r.m.prompt != nil { // the form asks whether to leave what was written
			r.press("y")
		}
		r.shows("aoctl_0123456789abcdef")
	})
}

// A rule that is told late to be saved moves the cursor; a key that was meant for the rule before
// does nothing then.
func TestLateSavedRuleMakesKeysDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "j")
		r.wait(2 * time.Second)
		r.m.Update(desk.RuleSaved{Saved: broker.SavedRule{Rule: r.c.book.Rules[2]}})
		r.send(keyMsg(" "))
		r.wait(time.Second)
		if list := r.c.saved(); len(list) > 0 {
			t.Errorf("a key acted on a rule that had just come below the cursor: %+v", list)
		}
	})
}
