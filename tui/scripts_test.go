package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// step is one thing that happens in a script.
type step struct {
	Kind int
	Arg  int
	Wait int // ms that go by after it
}

var stepGen = rapid.Custom(func(t *rapid.T) step {
	return step{
		Kind: rapid.IntRange(0, 49).Draw(t, "kind"),
		Arg:  rapid.IntRange(0, 9).Draw(t, "arg"),
		Wait: rapid.OneOf(rapid.IntRange(0, 60), rapid.IntRange(400, 620), rapid.IntRange(500, 1500)).Draw(t, "wait"),
	}
})

// witness watches a screen from outside and knows what a decision may be about.
type witness struct {
	r       *rig
	begin   time.Time
	n       int       // calls made so far
	drawn   string    // the id whose call is on the screen
	since   time.Time // when it came there
	at      time.Time // of the last key
	atDrawn string    // what was drawn when it went down
	atSince time.Time
	spent   bool   // that key has decided already
	name    string // of that key
	before  press  // the key before it
	problem string // the first thing that went wrong
	decided int
	codes   int // of decided: dangerous calls that were allowed
	story   []string
}

// press is one key and what it was pressed on.
type press struct {
	name, drawn string
	at, since   time.Time
}

func (w *witness) tell(format string, args ...any) {
	w.story = append(w.story, time.Since(w.begin).String()+"  "+fmt.Sprintf(format, args...))
}

// callOnScreen finds a call's name on the edge of its pane, where it stands however
// far the call is scrolled. The scripts' tools are called as their calls are.
var callOnScreen = regexp.MustCompile(`[╭─][ ▸](c\d{3}) `)

func (w *witness) look() {
	id := ""
	if m := callOnScreen.FindStringSubmatch(w.r.view()); m != nil && w.r.m.fits() {
		id = m[1]
	}
	if id != w.drawn {
		w.drawn, w.since = id, time.Now()
		w.tell("drawn %q", id)
	}
}

func (w *witness) key(name string) {
	w.r.drain()
	w.tell("key %s", name)
	w.before = press{w.name, w.atDrawn, w.at, w.atSince}
	w.name, w.at, w.atDrawn, w.atSince, w.spent = name, time.Now(), w.drawn, w.since, false
	w.r.send(keyMsg(name))
}

// drain lets all happen that can happen now: decisions of earlier keys reach the broker.
func (r *rig) drain() {
	for {
		synctest.Wait()
		select {
		case msg := <-r.msgs:
			r.send(msg)
		default:
			return
		}
	}
}

func (w *witness) fail(format string, args ...any) {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
}

func (w *witness) decide(id string) {
	w.decided++
	w.tell("decided %s", id)
	switch {
	case w.spent:
		w.fail("one key decided twice, now %s", id)
	case id != w.atDrawn:
		w.fail("%s was decided while %q was drawn", id, w.atDrawn)
	case w.at.Sub(w.atSince) < guard.DeafFor:
		w.fail("%s was decided after %v on the screen", id, w.at.Sub(w.atSince))
	}
	w.spent = true
	d := w.r.c.decided[len(w.r.c.decided)-1]
	if a := w.r.c.requests[id].Assessment; d.Verdict != broker.Allow || a == nil || a.Class != risk.Dangerous {
		return
	}
	w.codes++
	if b := w.before; w.name != codeInTests[1:] || b.name != codeInTests[:1] || b.drawn != id || w.at.Sub(b.at) >= guard.CodeFor || b.at.Sub(b.since) < guard.DeafFor {
		w.fail("%s is dangerous and was allowed by %s on %s, %s", id, b.name, b.drawn, w.name)
	}
}

var (
	keysPressed = []string{"a", "d", "a", "d", "a", "j", "k", "G", "esc", "enter"}
	keysRare    = []string{"D", "D", "tab", "h", "?", "/", "x", "q", "S", "ctrl+d"}
	windows     = [][2]int{{80, 24}, {120, 40}, {40, 12}, {39, 12}, {80, 11}, {100, 30}, {50, 20}, {30, 6}, {80, 24}, {72, 14}}
)

func (w *witness) do(s step) {
	r := w.r
	before := r.m.selected()
	switch {
	case s.Kind < 19:
		w.key(keysPressed[s.Arg])
	case s.Kind < 22:
		w.key(keysRare[s.Arg])
	case s.Kind < 32:
		w.n++
		id := fmt.Sprintf("c%03d", w.n)
		at := time.Now().Add(time.Duration(s.Arg-5) * time.Second)
		call := tuitest.NewCall(id, "s1", id, at, map[string]string{"command": "echo # " + strings.Repeat("words ", s.Arg*s.Arg*s.Arg)})
		if s.Arg%2 == 1 {
			call = deadly(call)
		}
		r.c.publish(call)
		r.wait(gatherFor + time.Millisecond)
		if before != "" && r.m.selected() != before && r.m.Board.Cards[before] != nil && w.at.Before(time.Now().Add(-guard.RepeatFor-time.Millisecond)) {
			w.fail("the arrival of %s moved the selection from %s to %s", id, before, r.m.selected())
		}
	case s.Kind < 34:
		if c := r.m.card(); c != nil && !c.Late() && c.Sending == "" {
			state := []broker.State{broker.Denied, broker.Expired, broker.Cancelled, broker.Answered}[s.Arg%4]
			r.c.publish(settled(c.Req, state, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
		}
	case s.Kind == 34:
		r.send(tea.WindowSizeMsg{Width: windows[s.Arg][0], Height: windows[s.Arg][1]})
	case s.Kind == 35:
		r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("ad"), Paste: s.Arg%2 == 0})
	case s.Kind == 36:
		r.send(tea.MouseMsg{X: 8 * s.Arg, Y: 2 + s.Arg, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	case s.Kind == 37:
		r.c.mu.Lock()
		ch := r.c.watches[0]
		r.c.mu.Unlock()
		r.c.cut(ch)
		r.wait(3 * time.Second)
	case s.Kind == 38:
		time.Sleep(time.Duration(s.Arg) * time.Second) // the process is stopped meanwhile
	case s.Kind > 39: // a code, or nearly one
		w.key(codeInTests[:1])
		r.wait(time.Duration(s.Arg) * 40 * time.Millisecond)
		w.key(string(codeInTests[1] - byte(s.Arg/9)))
	default:
		r.send(tea.FocusMsg{})
	}
	r.wait(time.Duration(s.Wait) * time.Millisecond)
}

// Scripts of keys around arrivals, ends, resizes and pauses: a decision is about the
// call that was on the screen when its key went down, for half a second already; a key
// decides once; arrivals leave the selection alone.
func TestScripts(t *testing.T) {
	decided, codes, keys := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		script := rapid.SliceOfN(stepGen, 30, 80).Draw(rt, "script")
		var w *witness
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, newFake(oneSession), 80, 24)
			w = &witness{r: r, begin: time.Now()}
			r.seen, r.c.onDecide = w.look, w.decide
			for _, s := range script {
				w.do(s)
			}
			if problem := tuitest.Misfit(r.view(), r.m.width, r.m.height); problem != "" {
				w.fail("%s: %s", problem, r.view())
			}
			r.wait(time.Second)
		})
		decided += w.decided
		codes += w.codes
		keys += len(script)
		if w.problem != "" {
			rt.Fatalf("%s:\n%s", w.problem, strings.Join(w.story, "\n"))
		}
	})
	t.Logf("%d decisions in %d steps, %d by a code", decided, keys, codes)
	if !t.Failed() && (decided < keys/100 || codes < keys/500) {
		t.Errorf("only %d decisions in %d steps: the scripts test nothing", decided, keys)
	}
}
