package suggest

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// removedMsg says what became of a rule that was taken back.
type removedMsg struct {
	gen  int
	rule rules.Rule
	err  error
}

// enter saves the selected rule.
func (x *Screen) enter(tea.KeyMsg) tea.Cmd {
	return x.trial.Enter(x.unready, "the window is too low to show what it would do: make it higher")
}

// unready says why there is no rule that could be saved now; "" when there is one.
func (x *Screen) unready() string {
	switch {
	case x.taking:
		return "a rule is being taken back"
	case len(x.list) == 0:
		return "nothing is selected"
	}
	return ""
}

// saved tells what became of the rule, and looks anew.
func (x *Screen) saved(msg desk.RuleSaved) tea.Cmd {
	ok, cmd := x.trial.Saved(msg)
	if !ok {
		return cmd
	}
	x.made = append(x.made, msg.Saved.Rule)
	what := "saved: " + words.RuleSays(msg.Saved.Rule, x.Board, x.At)
	back := " · " + x.Called("u") + " takes it back"
	wentOn, ink := x.trial.WentOn(msg.Saved.Decided)
	return tea.Batch(x.anew(), x.Say(ink, what+wentOn+back, "saved"+wentOn+back, what, "saved"+back, "saved"))
}

// takeBack removes the rule that was saved last.
func (x *Screen) takeBack(tea.KeyMsg) tea.Cmd {
	if len(x.made) == 0 || x.taking || x.trial.Saving() {
		return nil
	}
	x.taking = true
	ctx, b, by, gen, r := x.Ctx, x.broker, x.Operator, x.gen, x.made[len(x.made)-1]
	return func() tea.Msg { return removedMsg{gen, r, b.RemoveRule(ctx, r.ID, by)} }
}

// removed tells what became of that, and looks anew.
func (x *Screen) removed(msg removedMsg) tea.Cmd {
	if msg.gen != x.gen {
		return nil
	}
	x.taking = false
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
