package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tuitest"
)

var ruleWalkKeys = []string{
	"A", "r", "h", "x", "y", "n", " ", "K", "J", "t", "F", "/", "enter", "enter", "enter", "esc", "tab", "shift+tab",
	"left", "right", "right", "ctrl+n", "ctrl+p", "backspace", "ctrl+u", "a", "*", "=", "j", "k", "G", "pgdown", "e", "q", "?", "ctrl+s",
}

// Keys in any order, fast and slow, on all screens about rules: what allows is saved
// only by a key that found the question on the screen for a while, one key saves once,
// and the window is always drawn.
func TestRuleKeysAtRandom(t *testing.T) {
	type step struct{ Key, Wait int }
	gen := rapid.Custom(func(t *rapid.T) step {
		return step{
			rapid.IntRange(0, len(ruleWalkKeys)-1).Draw(t, "key"),
			rapid.OneOf(rapid.IntRange(0, 60), rapid.IntRange(400, 1200), rapid.IntRange(600, 900)).Draw(t, "wait"),
		}
	})
	allows := 0
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(gen, 20, 60).Draw(rt, "steps")
		size := rapid.SampledFrom(sizes).Draw(rt, "size")
		problem := ""
		synctest.Test(t, func(t *testing.T) {
			r := bookRig(t)
			r.c.mu.Lock()
			r.c.offers = offered("npm run test", "npm run *")
			r.c.mu.Unlock()
			r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			r.wait(time.Second)
			var asked time.Time // since when the question was on the screen
			r.seen = func() {
				switch {
				case !r.inQuestion():
					asked = time.Time{}
				case asked.IsZero():
					asked = time.Now()
				}
			}
			for _, s := range steps {
				r.drain()
				before, since, keyAt := len(r.c.saved()), asked, time.Now()
				created := r.editing()
				r.send(keyMsg(ruleWalkKeys[s.Key]))
				r.wait(time.Duration(s.Wait) * time.Millisecond)
				fresh := r.c.saved()[before:]
				if len(fresh) > 1 {
					problem = "one key saved twice"
				}
				if len(fresh) > 0 && fresh[0].Decision == rules.Allow && fresh[0].Enabled && created {
					allows++
					if since.IsZero() || keyAt.Sub(since) < guard.DeafFor {
						problem = "saved without the question: " + ruleLine(fresh[0])
					}
				}
				if p := tuitest.Misfit(r.view(), size[0], size[1]); p != "" {
					problem = p + "\n" + r.view()
				}
				if r.quit || problem != "" {
					break
				}
			}
		})
		if problem != "" {
			var names []string
			for _, s := range steps {
				names = append(names, ruleWalkKeys[s.Key])
			}
			rt.Fatalf("%s after %s", problem, strings.Join(names, " "))
		}
	})
	t.Logf("%d rules that allow were saved", allows)
}
