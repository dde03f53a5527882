package trust

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// enter saves what is ticked, in a moment. It loosens what holds, so the guard judges it as it judges
// a decision, and nothing is saved that was not on the screen.
func (x *Screen) enter(tea.KeyMsg) tea.Cmd {
	wait, refusal := x.Press("enter")
	if refusal == "" {
		refusal = x.unready()
	}
	if refusal != "" {
		return x.Say(draw.Warn, "… "+refusal)
	}
	return x.InAMoment(wait, x.save)
}

// unready says why nothing can be saved from the form as it is; "" when something can.
func (x *Screen) unready() string {
	switch {
	case x.Small:
		return x.TooSmallText()
	case x.saving:
		return "it is being saved"
	case !x.looked:
		return "the project is being looked at"
	case x.project.Path == "":
		return "nothing can be saved here; " + x.Called("esc") + " goes back"
	case x.ticks == 0 && x.old.ID != "":
		return "nothing is ticked; to take the rule back: " + x.Called("r") + ", then x"
	case x.ticks == 0:
		return "nothing is ticked"
	case !x.preview.fresh():
		return "the past calls are being looked at: look, then press enter again"
	case !x.seen:
		return "read to the end first: " + x.Called("G")
	}
	return ""
}

// save hands the rule to the broker. It is called a moment after the key.
func (x *Screen) save() tea.Cmd {
	if why := x.unready(); why != "" {
		return x.Say(draw.Warn, "… "+why)
	}
	x.saving = true
	ctx, b, by, r, editor := x.Ctx, x.broker, x.Operator, x.rule(), x.editor()
	return func() tea.Msg {
		saved, err := b.SaveRule(ctx, r, by)
		return desk.RuleSaved{Editor: editor, Saved: saved, Err: err}
	}
}

// editor tells this form's rules from those of the rule editor, whose numbers are above 0.
func (x *Screen) editor() int { return -x.gen }

// saved tells what became of the rule.
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
	x.done = true
	x.Guard.Doubt(x.At)
	may := x.name() + ": agents may " + msg.Saved.Rule.Effects.String()
	text := may
	if n := len(msg.Saved.Decided); n > 0 {
		text += "; " + figures.Plural(n, "waiting call") + " went on"
	}
	answered := x.asks.answer(x.asked.ID, &msg.Saved)
	x.asked = broker.Proposal{}
	return tea.Batch(answered, x.Say(draw.OK, text, may, "saved"))
}
