package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/tuitest"
)

func (r *rig) health(h broker.Health) {
	r.c.mu.Lock()
	for _, w := range r.c.watches {
		w <- broker.Update{Health: &h}
	}
	r.c.mu.Unlock()
	r.wait(time.Second)
}

func TestObserveASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("O")
		r.shows("O observes a session")
		r.press("shift+tab", "O")
		r.shows("only observe api and hold none of its calls")
		r.wait(3 * time.Second)
		r.press("n")
		if len(r.c.observed) > 0 {
			t.Fatalf("n switched observing: %v", r.c.observed)
		}
		r.press("O", "y")
		if got := strings.Join(r.c.observed, ", "); got != "s1 true" {
			t.Fatalf("observed %q", got)
		}
		r.shows("observed 3")
		r.shows("observing api: none of its calls is held")
		r.press("O")
		if got := strings.Join(r.c.observed, ", "); got != "s1 true, s1 false" {
			t.Errorf("observed %q", got)
		}
		r.shows("api: calls are held again")
	})
}

// The yes that lets everything run is no burst, no paste and no key held down.
func TestObserveQuestion(t *testing.T) {
	for name, play := range map[string]func(*rig){
		"at once":         func(r *rig) { r.send(keyMsg("O")); r.wait(100 * time.Millisecond); r.send(keyMsg("y")) },
		"a burst":         func(r *rig) { r.send(keyMsg("O")); r.send(keyMsg("y")) },
		"an O in a burst": func(r *rig) { r.send(keyMsg("j")); r.send(keyMsg("O")); r.wait(time.Second); r.press("y") },
		"in one":          func(r *rig) { r.send(keyMsg("Oy")) },
		"a paste":         func(r *rig) { r.press("O"); r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y"), Paste: true}) },
		"esc":             func(r *rig) { r.press("O", "esc", "y") },
		"focus":           func(r *rig) { r.press("O"); r.send(tea.FocusMsg{}); r.send(keyMsg("y")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := three(t)
				r.press("shift+tab")
				play(r)
				r.wait(3 * time.Second)
				if len(r.c.observed) > 0 {
					t.Errorf("observed %v", r.c.observed)
				}
			})
		})
	}
}

func TestObservingAllIsUnmistakable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession), 80, 24)
		r.health(broker.Health{Observing: true})
		left := settled(bash("r1", "s1", time.Now(), "git push"), broker.Answered, broker.Actor{Kind: broker.ByObserve}, "a person would have been asked: no rule allows git push", time.Now())
		r.c.publish(left)
		r.wait(time.Second)
		for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
			r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			r.shows("OBSERVING: nothing is held")
			r.shows("nothing is held, so nothing waits")
			r.shows("○")
			r.shows("git push")
			if strings.Contains(r.view(), "late") {
				t.Errorf("an observed call is listed as late:\n%s", r.view())
			}
		}
		r.press("h", "enter")
		r.shows("this call was left to the agent (observing), at ")
		r.shows("reason     a person would have been asked: no rule allows git push")
		r.press("esc", "esc", "shift+tab", "O")
		r.shows("hold the calls of all sessions again?")
		r.press("y")
		if got := strings.Join(r.c.observed, ", "); got != " false" {
			t.Errorf("observed %q", got)
		}
		if strings.Contains(r.view(), "OBSERVING") {
			t.Error("still says that nothing is held")
		}
	})
}

func TestLogBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.send(tea.WindowSizeMsg{Width: 120, Height: 24})
		r.health(broker.Health{LogBroken: "row 812 \x1b[2J"})
		r.shows(`the log was changed by another program: row 812 \x1b[2J; rules allow nothing`)
		r.shows("log ✗ changed")
	})
}

func TestEndedByARule(t *testing.T) {
	for id, want := range map[string]string{
		"0197aa00-5c4e-7000-8000-0000facade01": "was allowed by rule facade01",
		"builtin:read-only":                    "was allowed by rule read-only",
		"\x1b[2J":                              `was allowed by rule \x1b[2J`,
	} {
		r := settled(bash("r1", "s1", tuitest.Noon, "ls"), broker.Allowed, broker.Actor{Kind: broker.ByRule, ID: id}, "", tuitest.Noon)
		if got := callview.Ended(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
