package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// asked lists what the console was asked for beside decisions.
func (r *rig) asked() string {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	return strings.Join(r.c.noted, ", ")
}

// f freezes at once, whatever is on the screen; the next f asks, and y lets them go on.
func TestFreezeKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("f")
		if got := r.asked(); got != `freeze "" true` {
			t.Fatalf("after f: %s", got)
		}
		r.shows("FROZEN: every agent waits at its next call, 3 calls frozen")
		r.shows("╔")
		r.shows("frozen · refused in 9:")
		r.shows("3 frozen")
		r.wait(3 * time.Second)
		r.press("a")
		r.shows("frozen: f lifts it")
		if got := r.decisions(); got != "" {
			t.Errorf("a decided %s", got)
		}
		r.press("f")
		r.shows("let all agents go on?")
		r.press("n")
		r.press("f", "y")
		if got := r.asked(); got != `freeze "" true, freeze "" false` {
			t.Errorf("asked for %s", got)
		}
		if view := r.view(); strings.Contains(view, "FROZEN") || strings.Contains(view, "╔") || strings.Contains(view, "held") {
			t.Errorf("the screen still tells of a freeze:\n%s", view)
		}
	})
}

// It is a key for an emergency: it works on every screen, in a hurry, and takes back a
// decision that was just pressed.
func TestFreezeInAHurry(t *testing.T) {
	for name, play := range map[string]func(*rig){
		"history":          func(r *rig) { r.press("h"); r.send(keyMsg("f")) },
		"help":             func(r *rig) { r.press("?"); r.send(keyMsg("f")) },
		"rules":            func(r *rig) { r.press("r"); r.send(keyMsg("f")) },
		"right behind a":   func(r *rig) { r.send(keyMsg("a")); r.send(keyMsg("f")) },
		"a card just come": func(r *rig) { r.c.publish(bash("r9", "s1", time.Now(), "make")); r.send(keyMsg("f")) },
		"too small":        func(r *rig) { r.send(tea.WindowSizeMsg{Width: 20, Height: 5}); r.send(keyMsg("f")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				play(r)
				r.wait(3 * time.Second)
				if got := r.asked(); got != `freeze "" true` {
					t.Errorf("asked for %q", got)
				}
				if got := r.decisions(); got != "" {
					t.Errorf("decided %s", got)
				}
			})
		})
	}
}

// What lets agents go on is no burst, no paste and no key held down.
func TestUnfreezeQuestion(t *testing.T) {
	for name, play := range map[string]func(*rig){
		"at once":      func(r *rig) { r.send(keyMsg("f")); r.wait(100 * time.Millisecond); r.send(keyMsg("y")) },
		"a burst":      func(r *rig) { r.send(keyMsg("f")); r.send(keyMsg("y")) },
		"f and f":      func(r *rig) { r.send(keyMsg("f")); r.send(keyMsg("f")); r.send(keyMsg("y")) },
		"in one":       func(r *rig) { r.send(keyMsg("fy")) },
		"a paste":      func(r *rig) { r.press("f"); r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y"), Paste: true}) },
		"another key":  func(r *rig) { r.press("f", "x", "y") },
		"F on the one": func(r *rig) { r.press("shift+tab", "F", "y") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				r.press("f")
				r.wait(5 * time.Second)
				play(r)
				r.wait(3 * time.Second)
				if got := r.asked(); got != `freeze "" true` {
					t.Errorf("asked for %q", got)
				}
			})
		})
	}
}

// On a screen that draws no session of its own, F freezes none.
func TestFreezeOneNeedsItOnTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bookRig(t)
		r.press("r", "F")
		r.shows("Rules files 2")
		r.press("F", "?", "F")
		if got := r.asked(); got != "" {
			t.Errorf("asked for %s", got)
		}
	})
}

// F freezes the session in view alone, and lets it go on after a question.
func TestFreezeOneSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("shift+tab", "F")
		if got := r.asked(); got != `freeze "s1" true` {
			t.Fatalf("after F: %s", got)
		}
		r.shows("frozen 3")
		r.shows("1 session frozen")
		if strings.Contains(r.view(), "FROZEN") {
			t.Error("says that everything is frozen")
		}
		r.press("tab", "a")
		r.shows("frozen: F on its session lifts it")
		r.press("shift+tab", "F")
		r.shows("let api go on?")
		r.press("y")
		if got := r.asked(); got != `freeze "s1" true, freeze "s1" false` {
			t.Errorf("asked for %s", got)
		}
		r.shows("api goes on")
	})
}

// A held card can be denied, marked ones cannot be allowed, and a freeze that cannot be
// recorded says so.
func TestHeldCards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("f")
		r.wait(2 * time.Second)
		r.press(" ", "j", " ", "a")
		r.shows("none of them can be allowed")
		r.press("esc")
		r.wait(2 * time.Second)
		r.press("d")
		if got := r.decisions(); !strings.HasPrefix(got, "deny ") {
			t.Errorf("d decided %q", got)
		}
		r.c.failFreeze = fmt.Errorf("%w: disk full", broker.ErrNotRecorded)
		r.wait(2 * time.Second)
		r.press("f", "y")
		r.shows("still frozen")
		r.m.Board.Health.Frozen = false
		r.press("f")
		r.shows("until this console ends")
	})
}

// Who froze from elsewhere is named, and a held call says why when its time is over.
func TestFrozenByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.send(tea.WindowSizeMsg{Width: 160, Height: 30})
		r.health(broker.Health{Frozen: true, FrozenBy: broker.Actor{Kind: broker.ByProcess, PID: 4711, Exe: "/usr/bin/curl"}})
		r.shows("FROZEN by curl (process 4711): every agent")
		r.health(broker.Health{Frozen: true, FrozenBy: broker.Actor{Kind: broker.ByBroker}})
		r.shows("FROZEN by aoctl, because the log was changed: every agent")
	})
	late := settled(bash("r1", "s1", tuitest.Noon, "make"), broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "held by a freeze until its time ran out", tuitest.Noon)
	if got := callview.Ended(late); got != "expired: held by a freeze until its time ran out" {
		t.Errorf("%q", got)
	}
}

func TestGoldenFrozen(t *testing.T) {
	held := mixedCalls()
	for i := range held {
		if held[i].State == broker.Pending {
			held[i].Held = "everything is frozen"
		}
	}
	one := someSessions()
	one[1].Frozen = true
	ofOne := mixedCalls()
	for i := range ofOne {
		if ofOne[i].SessionID == "s2" && ofOne[i].State == broker.Pending {
			ofOne[i].Held = "its session is frozen"
		}
	}
	all := someSessions()
	for i := range all {
		all[i].Frozen = true
	}
	you := broker.Health{Frozen: true, FrozenBy: broker.Actor{Kind: broker.ByOperator}}
	for name, sc := range map[string]struct {
		snap broker.Snapshot
		keys []string
	}{
		"frozen":       {broker.Snapshot{Sessions: all, Requests: held, Health: you}, nil},
		"frozen allow": {broker.Snapshot{Sessions: all, Requests: held, Health: you}, []string{"j", "a"}},
		"frozen asked": {broker.Snapshot{Sessions: all, Requests: held, Health: you}, []string{"f"}},
		"frozen quiet": {broker.Snapshot{Sessions: all, Health: you}, nil},
		"frozen one":   {broker.Snapshot{Sessions: one, Requests: ofOne}, []string{"j", "j"}},
	} {
		t.Run(name, func(t *testing.T) {
			goldenScene(t, name, func(width, height int) *still {
				s := newStill(t, sc.snap, pastCalls(), termenv.Ascii)
				s.draw(width, height, sc.keys...)
				s.pass(tuitest.Noon.Sub(s.at))
				return s
			})
		})
	}
	s := newStill(t, broker.Snapshot{Sessions: all, Requests: held, Health: you}, nil, termenv.TrueColor)
	s.draw(80, 24)
	s.pass(tuitest.Noon.Sub(s.at))
	tuitest.Golden(t, "styled-frozen", strings.ReplaceAll(s.m.View(), "\x1b", "␛")+"\n")
}

// Who lifts the freeze of all hears how many sessions are still frozen by themselves, not how many
// were as long as all was frozen.
func TestWhatStaysFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake([]broker.Session{
			{ID: "s1", Agent: "claude", Name: "api", State: broker.SessionActive, StartedAt: time.Now()},
			{ID: "s2", Agent: "claude", Name: "docs", State: broker.SessionActive, StartedAt: time.Now()},
			{ID: "s3", Agent: "claude", Name: "infra", State: broker.SessionActive, StartedAt: time.Now()},
		}, bash("r1", "s1", time.Now(), "ls")), 120, 30)
		r.wait(2 * time.Second)
		r.press("F", "f", "f", "y")
		r.wait(time.Second)
		r.shows("Unfrozen. 1 session is still frozen (F)")
		r.press("F", "y", "f", "f", "y")
		r.wait(time.Second)
		r.shows("Unfrozen: the agents go on")
	})
}
