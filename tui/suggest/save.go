package suggest

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// removedMsg says what became of a rule that was taken back.
type removedMsg struct {
	gen  int
	rule rules.Rule
	err  error
}

// enter saves the selected rule, in a moment. It loosens what holds, so the guard judges it as it judges
// a decision, and nothing is saved that was not on the screen.
func (x *Screen) enter(tea.KeyMsg) tea.Cmd {
	wait, refusal := x.Press("enter")
	if refusal == "" {
		refusal = x.unready()
	}
	if refusal != "" {
		return x.Say(draw.Warn, "… "+refusal)
	}
	s, _ := x.selected()
	of := says(s.Rule)
	return x.InAMoment(wait, func() tea.Cmd { return x.save(of) })
}

// unready says why the selected rule cannot be saved now; "" when it can.
func (x *Screen) unready() string {
	switch {
	case x.Small:
		return x.TooSmallText()
	case x.saving:
		return "it is being saved"
	case len(x.list) == 0:
		return "nothing is selected"
	case !x.preview.known:
		return "the past calls are being looked at: look, then press enter again"
	case x.preview.err != nil:
		return "it could not be tried, so it is not saved here"
	case !x.seen:
		return "the window is too low to show what it would do: make it higher"
	}
	return ""
}

// save hands the rule to the broker. It is called a moment after the key, and saves the one that was
// selected then or nothing.
func (x *Screen) save(of string) tea.Cmd {
	s, ok := x.selected()
	if !ok || says(s.Rule) != of {
		return x.Say(draw.Warn, "… the list just changed: look first, then press enter again")
	}
	if why := x.unready(); why != "" {
		return x.Say(draw.Warn, "… "+why)
	}
	x.saving = true
	ctx, b, by, editor := x.Ctx, x.broker, x.Operator, x.editor()
	return func() tea.Msg {
		saved, err := b.SaveRule(ctx, s.Rule, by)
		return desk.RuleSaved{Editor: editor, Saved: saved, Err: err}
	}
}

// editor tells this screen's rules from those of the rule editor, whose numbers are above 0, and those of
// the project's form, which count down from 0.
func (x *Screen) editor() int { return -1<<30 - x.gen }

// saved tells what became of the rule, and looks anew.
func (x *Screen) saved(msg desk.RuleSaved) tea.Cmd {
	if msg.Editor != x.editor() || !x.saving {
		return nil
	}
	x.saving = false
	if msg.Err != nil {
		if why := words.NotSaved(msg.Err); why != "" {
			return x.Say(draw.Danger, why)
		}
		return nil
	}
	x.made = append(x.made, msg.Saved.Rule)
	x.Guard.Doubt(x.At)
	what := "saved: " + words.RuleSays(msg.Saved.Rule, x.Board, x.At)
	back := " · " + x.Called("u") + " takes it back"
	text := what
	if n := len(msg.Saved.Decided); n > 0 {
		text += "; " + figures.Plural(n, "waiting call") + " went on"
	}
	return tea.Batch(x.anew(), x.Say(draw.OK, text+back, text, what, "saved"+back, "saved"))
}

// takeBack removes the rule that was saved last.
func (x *Screen) takeBack(tea.KeyMsg) tea.Cmd {
	if len(x.made) == 0 || x.saving {
		return nil
	}
	x.saving = true
	ctx, b, by, gen, r := x.Ctx, x.broker, x.Operator, x.gen, x.made[len(x.made)-1]
	return func() tea.Msg { return removedMsg{gen, r, b.RemoveRule(ctx, r.ID, by)} }
}

// removed tells what became of that, and looks anew.
func (x *Screen) removed(msg removedMsg) tea.Cmd {
	if msg.gen != x.gen {
		return nil
	}
	x.saving = false
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil && !errors.Is(msg.err, broker.ErrNotFound):
		return x.Say(draw.Danger, "not taken back: "+draw.SafeLine(msg.err.Error()))
	}
	x.made = x.made[:len(x.made)-1]
	what := "taken back: " + words.RuleTitle(msg.rule)
	return tea.Batch(x.anew(), x.Say(draw.OK, what+"; calls like these ask again", what, "taken back"))
}
