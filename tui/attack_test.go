package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

// typed sends one key after another as a person types words.
func (r *rig) typed(text string) {
	for _, k := range strings.Split(text, "") {
		r.wait(250 * time.Millisecond)
		r.send(keyMsg(k))
	}
	r.wait(3 * time.Second)
}

// D is pressed where no input can open, and its author goes on typing the reason:
// nothing in it may decide, stop or quit.
func TestWordsBehindADThatOpensNothing(t *testing.T) {
	const words = "the session Sy asks for all: quit, do it by make instead, say so and add a date"
	for name, lead := range map[string]func(*rig){
		"history":             func(r *rig) { r.press("h", "D") },
		"help":                func(r *rig) { r.press("?", "D") },
		"one decided call":    func(r *rig) { r.press("h", "enter", "D") },
		"a burst":             func(r *rig) { r.send(keyMsg("Dno")) },
		"right behind a":      func(r *rig) { r.send(keyMsg("a")); r.send(keyMsg("D")) },
		"too small a window":  func(r *rig) { r.send(tea.WindowSizeMsg{Width: 30, Height: 9}); r.send(keyMsg("D")); r.grow() },
		"a late card":         func(r *rig) { r.lateOnly(); r.press("D") },
		"a card being sent":   func(r *rig) { r.stuck(); r.press("d", "D") },
		"sessions, no calls":  func(r *rig) { r.empty(); r.press("tab", "tab", "D") },
		"nothing, calls come": func(r *rig) { r.empty(); r.send(keyMsg("D")); r.c.publish(bash("n1", "s1", time.Now(), "rm -rf /")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				r.c.history = append(r.c.history, settled(bash("h1", "s1", time.Now(), "ls"), broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
				lead(r)
				before := r.decisions()
				r.typed(words)
				if got := r.decisions(); got != before {
					t.Errorf("the words decided %q", strings.TrimPrefix(got, before))
				}
				if len(r.c.stopped) > 0 || r.c.stopAlls > 0 || r.quit {
					t.Errorf("the words stopped %v, stopped all %d times, quit: %v", r.c.stopped, r.c.stopAlls, r.quit)
				}
			})
		})
	}
}

// After a pause, or esc, keys are keys again.
func TestWordsEnd(t *testing.T) {
	for name, end := range map[string]func(*rig){
		"pause": func(r *rig) { r.wait(2 * time.Second) },
		"esc":   func(r *rig) { r.press("esc") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				r.press("h", "D", "n")
				r.shows("D opened no input here")
				end(r)
				r.press("esc", "a")
				if got := r.decisions(); got != "allow r1;" {
					t.Errorf("decided %q, want r1", got)
				}
			})
		})
	}
}

func (r *rig) grow() { r.send(tea.WindowSizeMsg{Width: 80, Height: 24}) }

// empty has all calls settled elsewhere.
func (r *rig) empty() { r.settleAll(broker.Denied) }

func (r *rig) lateOnly() { r.settleAll(broker.Expired) }

func (r *rig) settleAll(s broker.State) {
	for _, id := range r.c.order {
		r.c.publish(settled(r.c.requests[id], s, broker.Actor{Kind: broker.ByProcess}, "", time.Now()))
	}
	r.wait(time.Second)
}

// stuck leaves one card whose decision never comes back from the broker.
func (r *rig) stuck() {
	for _, id := range []string{"r2", "r3"} {
		r.c.publish(settled(r.c.requests[id], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
	}
	r.wait(time.Second)
	r.m.console = silent{r.c, r.t.Context().Done()}
}

type silent struct {
	*fakeConsole
	done <-chan struct{}
}

func (s silent) Decide(_ context.Context, id string, d broker.Decision) (broker.Request, error) {
	s.mu.Lock()
	s.ids, s.decided = append(s.ids, id), append(s.decided, d)
	s.mu.Unlock()
	<-s.done
	return broker.Request{}, errors.New("the console ends")
}

// A q that is held down while calls wait repeats after half a second and more.
func TestHeldQDoesNotQuit(t *testing.T) {
	for _, delay := range []int{250, 500, 660, 1000, 1800} {
		for _, interval := range []int{15, 33, 40, 91} {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				r.send(keyMsg("q"))
				r.wait(time.Duration(delay) * time.Millisecond)
				for range 100 {
					r.send(keyMsg("q"))
					r.wait(time.Duration(interval) * time.Millisecond)
					if r.quit {
						t.Fatalf("a q held down, after %d ms every %d ms, quit", delay, interval)
					}
				}
			})
		}
	}
}

// The broker never sends another call under a known id. If it did, what was read of
// the one must not count for the other.
func TestAnotherCallUnderTheSameID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession, bash("r1", "s1", time.Now(), "ls")), 80, 24)
		r.c.publish(bash("r1", "s1", time.Now().Add(-time.Minute), "ls"+strings.Repeat("\n# nothing", 99)+"\nrm -rf ~"))
		r.wait(30 * time.Millisecond)
		r.send(keyMsg("a"))
		r.wait(time.Second)
		r.press("a")
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q, which was not read", got)
		}
		r.press("G", "a")
		if got := r.decisions(); got != "allow r1;" {
			t.Fatalf("decided %q after reading", got)
		}
		if n := r.m.Board.Rows(); n != 0 {
			t.Errorf("%d cards are left", n)
		}
	})
}

// A call that the broker does not know any more does not stay as one that waits.
func TestCallUnknownToTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.c.failWith = broker.ErrNotFound
		r.press("a")
		r.shows("no longer knows this call")
		r.shows("Waiting 2")
		if c := r.m.card(); c == nil || c.Req.ID != "r2" {
			t.Errorf("selected is %v", c)
		}
	})
}

// The window shrinks while a reason is being typed: enter must not deny a call that
// is no longer drawn, and must say why it does nothing.
func TestReasonForACallThatIsNotDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("D", "n", "o")
		r.send(tea.WindowSizeMsg{Width: 60, Height: 11})
		r.wait(time.Second)
		r.press("enter")
		r.shows("not on the screen")
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q, which was not drawn", got)
		}
		r.grow()
		r.wait(time.Second)
		r.press("enter")
		if got := r.decisions(); got != "deny r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

// s ends the drawn call; the sentence about the stop is not replaced by one about it.
func TestStopIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("s")
		r.send(keyMsg("y"))
		r.c.publish(settled(r.c.requests["r1"], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
		r.wait(time.Second)
		r.shows("stopping api")
		r.wait(noteFor)
		r.c.publish(settled(r.c.requests["r2"], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
		r.wait(time.Second)
		r.shows("Bash: was stopped by you")
	})
}
