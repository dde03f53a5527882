package rulebook

import (
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/words"
)

// The broker's answers to changes that are made in the list.
type (
	savedMsg struct {
		told string // what the change means; safe to draw
		err  error
	}
	removedMsg struct {
		told string // what it means; safe to draw
		err  error
	}
)

// toggle switches a rule on or off. Either may let more calls run, so it takes a press
// of its own. A rule that may allow dangerous calls is not switched on here: that
// takes a typed code, which the editor asks for.
func (l *Rules) toggle(r rules.Rule) tea.Cmd {
	// Press asks the guard about the key that was pressed just now.
	wait, refusal := l.Press("space")
	switch {
	case refusal != "":
		return l.Say(draw.Warn, "… "+refusal)
	case r.ID == rules.BuiltinLook:
		return l.toggleLook(wait)
	}
	// The change is made to the rule as it was drawn, and carries its version.
	next := r
	next.Enabled = !r.Enabled
	if next.Enabled && r.Dangerous {
		return l.Say(draw.Warn, "dangerous: enter opens it; there a typed code can switch it on")
	}
	// The sentence is made before the change, from the rule as the person sees it.
	told := offWords(next)
	if next.Enabled {
		told = "on: " + words.RuleSays(next, l.Board, l.At)
	}
	// The rule is changed only when the guard's moment is over and no other key came.
	return l.InAMoment(wait, func() tea.Cmd { return l.change(next, told) })
}

// offWords say what it means that a rule is off, which depends on what it decided. The
// result is safe to draw.
func offWords(r rules.Rule) string {
	switch r.Decision {
	case rules.Deny:
		return "off: " + words.RuleTitle(r) + " is no longer refused by this rule"
	case rules.Ask:
		return "off: this rule no longer makes a person answer " + words.RuleTitle(r)
	case rules.Defer:
		return "off: this rule no longer defers " + words.RuleTitle(r)
	case rules.Allow:
	}
	return "off: calls like " + words.RuleTitle(r) + " ask again"
}

// change saves a changed rule, with the version that was on the screen: when somebody
// has changed the rule in between, the broker refuses. told is what to say when it was
// saved.
func (l *Rules) change(r rules.Rule, told string) tea.Cmd {
	// When the book shows this version, it is our own change and no reason for doubt.
	l.sent = ruleVersion{r.ID, r.Version + 1}
	ctx, b, by := l.Ctx, l.broker, l.Operator
	return func() tea.Msg {
		_, err := b.SaveRule(ctx, r, by)
		return savedMsg{told: told, err: err}
	}
}

// saved tells what became of a change. An error that says nothing to a person is
// passed over, as when the console closes.
func (l *Rules) saved(msg savedMsg) tea.Cmd {
	if msg.err == nil {
		return l.Say(draw.OK, msg.told)
	}
	if why := words.NotSaved(msg.err); why != "" {
		return l.Say(draw.Danger, why)
	}
	return nil
}

// earlier and later move a rule in the order in which rules speak.
func (l *Rules) earlier(r rules.Rule) tea.Cmd { return l.reorder(r, -1) }
func (l *Rules) later(r rules.Rule) tea.Cmd   { return l.reorder(r, 1) }

// reorder lets a rule speak before its neighbour above, or after the one below: its
// priority becomes one less, or one more, than that one's. by is -1 or 1.
//
// The neighbours are those of the whole list and not of the filtered one, for the
// order is that of all rules.
func (l *Rules) reorder(r rules.Rule, by int) tea.Cmd {
	list := l.book.Rules
	at, _ := l.book.Place(r.ID)
	at += by
	if at < 0 || at >= len(list) {
		return l.Say(draw.Muted, "there is no rule in that direction")
	}
	next := r
	next.Priority = list[at].Priority + by
	if next.Priority < 0 || next.Priority > rules.MaxPriority {
		return l.Say(draw.Warn, fmt.Sprintf("its neighbour has priority %d, and there is none beyond", list[at].Priority))
	}
	// The order decides which rule speaks, so a key that was not meant must not change
	// it.
	switch {
	case l.Guard.Burst():
		return l.Say(draw.Warn, "… keys came too fast: nothing was changed")
	case l.Guard.Deaf(l.At):
		return l.Say(draw.Warn, "… the list has just changed: look first, then press the key again")
	}
	word := "before"
	if by > 0 {
		word = "after"
	}
	told := fmt.Sprintf("priority %d → %d: it speaks %s %s", r.Priority, next.Priority, word, words.RuleTitle(list[at]))
	return l.InAMoment(guard.HoldFor, func() tea.Cmd { return l.change(next, told) })
}

// askDelete asks before a rule is removed. The answer is about the rule as it was
// named: one that was changed meanwhile stays.
func (l *Rules) askDelete(r rules.Rule) tea.Cmd {
	l.Ask("delete "+draw.SafeLine(string(r.Decision))+" rule "+words.RuleTitle(r)+"?", "delete it?", func() tea.Cmd {
		if now, ok := l.Book.Rule(r.ID); ok && now.Version != r.Version {
			return l.Say(draw.Warn, "the rule was changed meanwhile: it stays; look, then press x again")
		}
		return l.remove(r, "removed: "+words.RuleTitle(r))
	})
	return nil
}

// remove has the broker end a rule. The log keeps it. told is what to say then.
func (l *Rules) remove(r rules.Rule, told string) tea.Cmd {
	ctx, b, by := l.Ctx, l.broker, l.Operator
	return func() tea.Msg { return removedMsg{told: told, err: b.RemoveRule(ctx, r.ID, by)} }
}

// removed tells what became of it. A rule that somebody else removed is no failure.
func (l *Rules) removed(msg removedMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrNotFound):
		return l.Say(draw.Warn, "the rule was removed already")
	case msg.err != nil:
		return l.Say(draw.Danger, "not removed: "+draw.SafeLine(msg.err.Error()))
	}
	return l.Say(draw.OK, msg.told)
}
