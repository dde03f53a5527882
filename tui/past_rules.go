package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/history"
	"github.com/aoctl/aoctl/tui/words"
)

// pastRules does something about the rule that decided a past call.
type pastRules struct {
	*desk.Desk
	broker interface {
		SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error)
	}
}

// ruleSavedMsg is the answer to a change of such a rule.
type ruleSavedMsg struct {
	told string // what it comes to; safe to draw
	err  error
}

// update takes the broker's answer.
func (p *pastRules) update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(ruleSavedMsg); ok {
		return p.saved(msg)
	}
	return nil
}

// of is the rule that decided a past call; why says, safe to draw, why it cannot be
// changed.
func (p *pastRules) of(r broker.Request) (rule rules.Rule, why string) {
	o := r.Outcome
	switch {
	case o == nil || o.By.Kind != broker.ByRule:
		return rule, "no rule decided this call"
	case o.By.ID == rules.BuiltinReadOnly:
		return rule, "the built-in rule for tools that only read decided this; it cannot be changed"
	}
	if o.By.ID == rules.BuiltinLook {
		return rule, "the built-in grant decided this, as the call only looks; " + p.Called("r") + " lists it, and space there switches it off"
	}
	rule, ok := p.Book.Rule(o.By.ID)
	if !ok {
		return rule, "the rule " + draw.SafeLine(draw.LastOf(o.By.ID, 8)) + " that decided this was removed"
	}
	return rule, words.Fixed(rule)
}

// open opens the rule that decided a past call.
func (p *pastRules) open(r broker.Request) tea.Cmd {
	rule, why := p.of(r)
	if why != "" {
		return p.Say(draw.Muted, why)
	}
	return p.Open(desk.RuleEdit, desk.Subject{Rule: rule.ID})
}

// make opens the editor with rules that would cover a past call, also one of a session that was only
// observed.
func (p *pastRules) make(r broker.Request) tea.Cmd {
	return p.Open(desk.RuleEdit, desk.Subject{Session: r.SessionID, Call: &r})
}

// revoke switches off the rule that allowed a past call, at once: it only makes
// more calls ask.
func (p *pastRules) revoke(r broker.Request) tea.Cmd {
	rule, why := p.of(r)
	switch {
	case why != "":
		return p.Say(draw.Muted, why)
	case rule.Decision != rules.Allow:
		return p.Say(draw.Warn, "this rule allows nothing; enter on the call opens it")
	case !rule.Enabled:
		return p.Say(draw.Muted, "rule "+words.RuleTitle(rule)+" is off already")
	}
	rule.Enabled = false
	return p.put(rule, "rule "+words.RuleTitle(rule)+" is off; calls like this ask again")
}

// put makes a rule hold that was changed on a screen about rules; told is what to say then.
func (p *pastRules) put(r rules.Rule, told string) tea.Cmd {
	ctx, b, by := p.Ctx, p.broker, p.Operator
	return func() tea.Msg {
		_, err := b.SaveRule(ctx, r, by)
		return ruleSavedMsg{told: told, err: err}
	}
}

// saved tells what became of a rule that was switched off.
func (p *pastRules) saved(msg ruleSavedMsg) tea.Cmd {
	if msg.err == nil {
		return p.Say(draw.OK, msg.told)
	}
	if why := words.NotSaved(msg.err); why != "" {
		return p.Say(draw.Danger, why)
	}
	return nil
}

// does is it, for the screens that show past calls.
func (p *pastRules) does() history.Rules {
	return history.Rules{Open: p.open, Make: p.make, Revoke: p.revoke}
}
