package trust

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
)

// enter saves what is ticked.
func (x *Screen) enter(tea.KeyMsg) tea.Cmd {
	return x.trial.Enter(x.unready, "read to the end first: "+x.Called("G"))
}

// unready says why the form says no rule that could be saved; "" when it does.
func (x *Screen) unready() string {
	switch {
	case !x.looked:
		return "the project is being looked at"
	case x.project.Path == "":
		return "nothing can be saved here; " + x.Called("esc") + " goes back"
	case x.ticks == 0 && x.old.ID != "":
		return "nothing is ticked; to take the rule back: " + x.Called("r") + ", then x"
	case x.ticks == 0:
		return "nothing is ticked"
	}
	return ""
}

// saved tells what became of the rule.
func (x *Screen) saved(msg desk.RuleSaved) tea.Cmd {
	ok, cmd := x.trial.Saved(msg)
	if !ok {
		return cmd
	}
	x.done = true
	may := x.name() + ": agents may " + msg.Saved.Rule.Effects.String()
	wentOn, ink := x.trial.WentOn(msg.Saved.Decided)
	answered := x.asks.answer(x.asked.ID, &msg.Saved)
	x.asked = broker.Proposal{}
	return tea.Batch(answered, x.Say(ink, may+wentOn, "saved"+wentOn, may, "saved"))
}
