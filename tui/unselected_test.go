package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
)

// Attack: nothing waits and the window has no room for the sessions, so nobody sees which session a key
// would be about. It is about none; with the bar it acts.
func TestKeysNeedABar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake([]broker.Session{heldSession(broker.TurnWorking)})
		r := newRig(t, c, 40, 12)
		for _, key := range []string{"i", "m", "F", "E", "T", "o", "s", "M", "ctrl+k"} {
			r.press(key)
			r.shows("select a session first (3)")
			r.press("esc")
		}
		for _, key := range []string{"x", "t", "X", "O"} {
			r.press(key, "esc")
		}
		if did := r.noted(); did != "" || len(c.stopped)+len(c.noted)+len(c.observed) > 0 {
			t.Errorf("keys without a bar did %q %q %q %q", did, c.stopped, c.noted, c.observed)
		}
		r.wait(2 * time.Second) // m opened no input: words might follow
		r.press("3", "i")
		r.shows("▌")
		r.expect(`interrupt s1`)
	})
}

// While nothing waits and the sessions are drawn, keys are about the one with the bar. A key that comes
// right after the last card went was meant for that.
func TestKeysOnTheBarWhileNothingWaits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		synctest.Test(t, func(t *testing.T) {
			two := heldSession(broker.TurnWorking)
			two.ID, two.Name = "s2", "two"
			c := newFake([]broker.Session{heldSession(broker.TurnWorking), two})
			r := newRig(t, c, size[0], size[1])
			r.wait(time.Second)
			on := r.m.first().Subject().Session
			r.press("j")
			if now := r.m.first().Subject().Session; now == on || now == "" {
				t.Fatalf("j moved from %q to %q:\n%s", on, now, r.view())
			}
			r.press("k", "i")
			r.expect("interrupt " + on)

			call := bash("r1", "s2", time.Now(), "make")
			c.publish(call)
			r.wait(time.Second)
			if at := r.m.first().Subject().Session; at != "s2" {
				t.Errorf("a call of s2 is drawn, and keys are about %q:\n%s", at, r.view())
			}
			c.publish(settled(call, broker.Denied, broker.Actor{Kind: broker.ByProcess}, "", time.Now()))
			r.wait(100 * time.Millisecond)
			r.send(keyMsg("i"))
			r.wait(100 * time.Millisecond)
			if did := r.noted(); did != "" {
				t.Errorf("a key right after the card went did %q:\n%s", did, r.view())
			}
			r.shows("the screen just changed")
		})
	}
}

// Attack: a call of another session comes, or a session that was started here is listed, just before a key that was
// meant for the one with the bar. The key acts on neither; once that can have been seen, it acts.
func TestKeysRightAfterTheirSessionChanged(t *testing.T) {
	for _, key := range []string{"F", "M", "i"} {
		for name, change := range map[string]func(r *rig, c *fakeConsole, other string){
			"a call comes": func(_ *rig, c *fakeConsole, other string) { c.publish(bash("r1", other, time.Now(), "make")) },
			"another starts": func(r *rig, c *fakeConsole, other string) {
				s := c.sessions[other]
				s.ID, s.Name, s.LastSeenAt = "s3", "three", time.Now()
				r.send(desk.Launched{Session: s})
				c.tell(s)
			},
		} {
			t.Run(key+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					two := heldSession(broker.TurnWorking)
					two.ID, two.Name = "s2", "two"
					c := newFake([]broker.Session{heldSession(broker.TurnWorking), two})
					r := newRig(t, c, 120, 40)
					r.wait(time.Second)
					on := r.m.first().Subject().Session
					change(r, c, map[string]string{"s1": "s2", "s2": "s1"}[on])
					r.wait(100 * time.Millisecond)
					r.send(keyMsg(key))
					r.wait(100 * time.Millisecond)
					if did := r.noted(); did != "" || strings.Contains(r.view(), "muted") {
						t.Errorf("did %q:\n%s", did, r.view())
					}
					r.shows("look first, then press " + key + " again")
					r.wait(time.Second)
					r.press(key)
					if did := r.noted(); did == "" && !strings.Contains(r.view(), "muted") {
						t.Errorf("once it was seen, it did nothing:\n%s", r.view())
					}
				})
			})
		}
	}
}

// When the last call goes while its own pane has the keys, they are about the bar as well: j and k move it.
func TestBarMovesAfterTheCallThatWasScrolled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		two := heldSession(broker.TurnWorking)
		two.ID, two.Name = "s2", "two"
		c := newFake([]broker.Session{heldSession(broker.TurnWorking), two})
		r := newRig(t, c, 120, 40)
		call := bash("r1", "s2", time.Now(), "make")
		c.publish(call)
		r.wait(time.Second)
		r.press("2")
		c.publish(settled(call, broker.Denied, broker.Actor{Kind: broker.ByProcess}, "", time.Now()))
		r.wait(time.Second)
		r.press("k", "k")
		first := r.m.first().Subject().Session
		if r.press("j"); first == r.m.first().Subject().Session {
			t.Errorf("j stays at %s:\n%s", first, r.view())
		}
	})
}

// Attack: the call goes just before enter, which was to show it whole. No filter is left that hides the
// calls of other sessions which come then.
func TestEnterHidesNothingThatComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := broker.Session{ID: "s1", Name: "api", Agent: "claude", State: broker.SessionActive, StartedAt: time.Now(), LastSeenAt: time.Now()}
		two := one
		two.ID, two.Name = "s2", "two"
		c := newFake([]broker.Session{one, two})
		r := newRig(t, c, 120, 30)
		call := bash("r1", "s1", time.Now(), "make")
		c.publish(call)
		r.wait(time.Second)
		c.publish(settled(call, broker.Cancelled, broker.Actor{Kind: broker.ByAgent, ID: broker.WithdrawnID}, "", time.Now()))
		r.wait(100 * time.Millisecond)
		r.press("enter")
		c.publish(bash("r2", "s2", time.Now(), "make all"))
		r.wait(time.Second)
		r.shows("make all")
		r.press("3", "enter") // in their own pane it lists the calls of the session with the bar
		r.shows("Waiting 0 of 1")
	})
}

// Without any session there is nothing to select.
func TestKeysWithoutSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil), 80, 24)
		r.press("F")
		r.shows("there is no session yet")
	})
}
