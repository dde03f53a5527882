// Package suggest is the rules that would have saved a person's last decisions: a quiet line on the first
// screen once there are some (Line), and the screen that shows them one below the other, each with
// what it would have done. One key makes the selected one hold, one takes the last one back.
//
// How it comes about: the line counts the decisions that a person makes here. After thirty, and no more
// often than once a minute or before ten more decisions, the broker is asked for suggestions in a
// command (line.go). It goes by the recorded calls, and never offers what would have allowed anything
// that somebody denied, anything dangerous, or anything that nobody knows. Whoever opens the screen has
// seen them: the line goes until thirty more decisions were made.
//
// The screen asks for suggestions anew when it opens and after each rule that is saved or taken back.
// The selected one is unfolded: its sentence, how often and when, what it would let go on now, and
// examples. For that the broker tries it on the past and the waiting calls (package trial).
//
// Enter loosens what holds, so the guard judges it as a decision, and it acts once all of that was
// on the screen. The rule is saved as those of the rule editor are, under the operator's name.
// A suggestion that is not wanted is put away until the console starts anew.
//
// suggest.go has the screen, keys.go its keys, view.go how it is drawn.
package suggest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/trial"
)

// Broker is what the screen needs of it beside the suggestions. All of them are called in commands and may
// take their time.
type Broker interface {
	trial.Broker
	RemoveRule(ctx context.Context, id string, by broker.Actor) error
}

// Screen is the list of suggestions.
type Screen struct {
	*desk.Desk
	broker  Broker
	line    *Line
	gen     int // tells answers for this opening from those for one before
	version int // of what the line found that is on the screen
	list    []history.Suggestion
	at      int // the selected one
	top     int
	taking  bool         // a rule is being taken back
	made    []rules.Rule // saved since the screen was opened, and not taken back
	trial   *trial.Trial // of the selected one
}

// New makes the screen. It shows what l found.
func New(d *desk.Desk, b Broker, l *Line) *Screen {
	x := &Screen{Desk: d, broker: b, line: l}
	x.trial = trial.New(d, b, func() (rules.Rule, bool) { s, ok := x.selected(); return s.Rule, ok })
	return x
}

// Opens looks anew.
func (x *Screen) Opens(desk.Subject) tea.Cmd {
	x.gen++
	x.at, x.top, x.taking, x.made = 0, 0, false, nil
	x.trial.Begin()
	x.line.looked()
	return x.anew()
}

// anew has the broker look again; until then nothing is listed.
func (x *Screen) anew() tea.Cmd {
	x.version, x.list = 0, nil
	x.trial.Changed()
	return x.line.ask()
}

// Update takes the broker's answers and news.
func (x *Screen) Update(msg tea.Msg) tea.Cmd {
	x.trial.Update(msg)
	switch msg := msg.(type) {
	case desk.RuleSaved:
		return x.saved(msg)
	case removedMsg:
		return x.removed(msg)
	case tea.MouseMsg:
		steps, _ := desk.Wheel(msg)
		x.choose(x.at + steps)
	case desk.Settle:
		return x.settle()
	}
	return nil
}

// Subject is nothing: no call counts as drawn.
func (x *Screen) Subject() desk.Subject { return desk.Subject{} }

// looking reports whether the broker has not answered yet.
func (x *Screen) looking() bool { return x.version == 0 }

// selected is the selected suggestion.
func (x *Screen) selected() (s history.Suggestion, ok bool) {
	if x.at >= len(x.list) {
		return s, false
	}
	return x.list[x.at], true
}

// choose selects another suggestion.
func (x *Screen) choose(at int) {
	at = max(0, min(at, len(x.list)-1))
	if at == x.at {
		return
	}
	x.at = at
	x.trial.Changed()
}

// settle takes in what the line found, keeps the selected one on the screen, and notes whether all of
// it was there.
func (x *Screen) settle() tea.Cmd {
	if v := x.line.found.version; !x.line.asking && v != x.version {
		x.takeIn(v)
	}
	width, height := x.Inner()
	rows, from, to := x.rows(width, height)
	x.top = desk.Window(desk.Window(x.top, to, height, len(rows)), from, height, len(rows))
	return x.trial.Settle(to < x.top+height)
}

// takeIn lists what was found. What stands in a place may be another one now, so keys are deaf for a
// moment.
func (x *Screen) takeIn(version int) {
	x.version, x.list = version, x.line.list()
	x.at = max(0, min(x.at, len(x.list)-1))
	x.trial.Changed()
	x.Guard.Doubt(x.At)
}

// says tells rules apart by what they say.
func says(r rules.Rule) string {
	text := fmt.Sprint(r.Decision, "\x00", r.Tool, "\x00", r.Effects, "\x00", r.Scope)
	for _, name := range slices.Sorted(maps.Keys(r.Where)) {
		text += "\x00" + name + "\x00" + r.Where[name]
	}
	return text
}
