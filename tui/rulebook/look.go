package rulebook

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// askLook is the rule that switches the built-in grant off. It speaks as late as that one, so that rules
// of the operator go on to allow what they name.
func askLook() rules.Rule {
	return rules.Rule{Enabled: true, Priority: rules.MaxPriority, Tool: rules.EffectsTool, Effects: effects.Of(effects.Look), Decision: rules.Ask}
}

// toggleLook switches the built-in grant off with a rule that asks about looking, or on again by taking that
// rule away. Another rule that asks about looking is the operator's, and is switched off itself.
func (l *Rules) toggleLook(wait time.Duration) tea.Cmd {
	asks, off := l.Book.LookAsked(l.At)
	want := askLook()
	switch {
	case !off:
		return l.InAMoment(wait, func() tea.Cmd { return l.change(want, "off: calls that only look ask as well, by a rule of yours") })
	case asks.Source != "" || asks.Decision != want.Decision || asks.Effects != want.Effects:
		return l.Say(draw.Warn, "it is off because of your rule "+string(asks.Decision)+" "+words.RuleTitle(asks)+": switch that one off")
	}
	return l.InAMoment(wait, func() tea.Cmd {
		return l.remove(asks, "on: calls that only look, inside the project, run without a question")
	})
}

// lookHolds says what the built-in grant does, and how it is switched.
func (l *Rules) lookHolds() string {
	if asks, off := l.Book.LookAsked(l.At); off {
		return "off, as your rule " + string(asks.Decision) + " " + words.RuleTitle(asks) + " asks everywhere; " + l.Called("space") + " switches it on"
	}
	return "calls that only look, inside the project, run everywhere without a question; " + l.Called("space") + " switches that off"
}
