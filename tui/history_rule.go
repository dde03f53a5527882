package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// ruleOf is the rule that decided a past call; why says, safe to draw, why it cannot be
// changed.
func (m *model) ruleOf(r broker.Request) (rule rules.Rule, why string) {
	o := r.Outcome
	switch {
	case o == nil || o.By.Kind != broker.ByRule:
		return rule, "no rule decided this call"
	case o.By.ID == rules.BuiltinReadOnly:
		return rule, "the built-in rule for tools that only read decided this; it cannot be changed"
	}
	rule, ok := m.Book.Rule(o.By.ID)
	if !ok {
		return rule, "the rule " + draw.SafeLine(draw.LastOf(o.By.ID, 8)) + " that decided this was removed"
	}
	return rule, words.Fixed(rule)
}

// openRuleOf opens the rule that decided a past call.
func (m *model) openRuleOf(r broker.Request) tea.Cmd {
	rule, why := m.ruleOf(r)
	if why != "" {
		return m.Say(draw.Muted, why)
	}
	return m.Open(desk.RuleEdit, desk.Subject{Rule: rule.ID})
}

// revokeRuleOf switches off the rule that allowed a past call, at once: it only makes
// more calls ask.
func (m *model) revokeRuleOf(r broker.Request) tea.Cmd {
	rule, why := m.ruleOf(r)
	switch {
	case why != "":
		return m.Say(draw.Muted, why)
	case rule.Decision != rules.Allow:
		return m.Say(draw.Warn, "this rule allows nothing; enter on the call opens it")
	case !rule.Enabled:
		return m.Say(draw.Muted, "rule "+words.RuleTitle(rule)+" is off already")
	}
	rule.Enabled = false
	return m.putRule(rule, "rule "+words.RuleTitle(rule)+" is off; calls like this ask again")
}

// putRule makes a rule hold that was changed on a screen about rules; told is what to say then.
func (m *model) putRule(r rules.Rule, told string) tea.Cmd {
	ctx, console, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		_, err := console.SaveRule(ctx, r, by)
		return ruleSavedMsg{told: told, err: err}
	}
}

// ruleSaved tells what became of a rule that was switched off.
func (m *model) ruleSaved(msg ruleSavedMsg) tea.Cmd {
	if msg.err == nil {
		return m.Say(draw.OK, msg.told)
	}
	if why := words.NotSaved(msg.err); why != "" {
		return m.Say(draw.Danger, why)
	}
	return nil
}

// justSaved reports whether a call was ended by the rule that was saved last; which
// calls those are is said when it is saved.
func (m *model) justSaved(a broker.Actor) bool {
	return a.Kind == broker.ByRule && a.ID != "" && a.ID == m.savedRule
}
