package tui

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// putRule makes a rule hold that was changed on a screen about rules; told is what to say then.
func (m *model) putRule(r rules.Rule, told string) tea.Cmd {
	ctx, console, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		_, err := console.SaveRule(ctx, r, by)
		return ruleSavedMsg{told: told, err: err}
	}
}

// ruleSaved tells what became of a rule that was changed on a screen about rules.
func (m *model) ruleSaved(msg ruleSavedMsg) tea.Cmd {
	why := ""
	switch {
	case msg.err == nil:
		return m.Say(draw.OK, msg.told)
	case errors.Is(msg.err, context.Canceled):
		return nil
	case errors.Is(msg.err, broker.ErrConflict):
		why = "the rule was changed meanwhile; look, then press the key again"
	case errors.Is(msg.err, broker.ErrNotRecorded):
		why = "it could not be recorded, so it does not hold"
	case errors.Is(msg.err, broker.ErrNotFound):
		why = "the rule was removed meanwhile"
	default:
		why = draw.SafeLine(msg.err.Error())
	}
	return m.Say(draw.Danger, "not saved: "+why)
}

// ruleWritten selects a rule that the rule editor has saved.
func (m *model) ruleWritten(msg desk.RuleSaved) {
	if msg.Err == nil {
		m.rb.at, m.rb.last = msg.Saved.Rule.ID, msg.Saved.Rule.ID
	}
}

// justSaved reports whether a call was ended by the rule that was saved last; which
// calls those are is said when it is saved.
func (m *model) justSaved(a broker.Actor) bool {
	return a.Kind == broker.ByRule && a.ID != "" && a.ID == m.rb.last
}
