package ruleedit

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
)

// confirm is the question before a rule that allows is saved. What it shows is what is
// saved, to the very moment of its end.
type confirm struct {
	rule rules.Rule
	top  int
	seen bool // its sentence was on the screen to the end
}

// enter takes the key that saves: at once what refuses, after a question what allows,
// and for once the call alone. It is judged as a decision is: a key of a burst, or one
// that was pressed before the screen stood still, does nothing.
func (x *Screen) enter() tea.Cmd {
	e := x.editor
	// Press asks the guard about the key that was pressed just now. wait is how long
	// the decision still has to be held back; a refusal ends it.
	wait, refusal := x.Press("enter")
	r, problem := e.rule(x.At)
	// The order of these reasons is that of their weight: first the guard, then the
	// screen, then the rule.
	switch {
	case refusal != "":
		e.hint = refusal
	case x.Small:
		e.hint = x.TooSmallText()
	case e.unready() != "":
		e.hint = e.unready()
	case e.once():
		return x.saveOnce(wait)
	case problem != nil:
		e.wrong, e.focus = problem, problem.field
	case e.wrong != nil:
		e.hint = "not saved: this rule has a mistake"
		e.showWrong()
	// What saving would decide must have been on the screen.
	case !e.preview.fresh():
		e.hint = "still being tried: enter again in a moment"
	case r.Decision != rules.Allow:
		return x.InAMoment(wait, func() tea.Cmd { return x.saveRule(r) })
	default:
		if e.hint = x.mayAllow(); e.hint == "" {
			e.confirm = &confirm{rule: r}
			// A second enter that was typed ahead must not answer the question.
			x.Guard.Doubt(x.At)
		}
	}
	return nil
}

// showWrong gives the focus to the field that has the mistake, if the form has that
// field now.
func (f *form) showWrong() {
	if slices.Contains(f.fields(), f.wrong.field) {
		f.focus = f.wrong.field
	}
}

// unready says why nothing can be saved from the form as it is; "" when something can.
func (e *editor) unready() string {
	switch {
	case e.once() && (e.verdict() == rules.Ask || e.verdict() == rules.Defer):
		return "this call is being asked already: choose allow or deny"
	case e.once() && e.gone != "":
		return "nothing to decide: this call " + e.gone
	case e.needsCode() && strings.TrimSpace(e.typed.String()) != e.code:
		// The person is taken to the field where the code is typed.
		e.focus = field{kind: fieldCode}
		return "dangerous: type " + e.code + " here to allow"
	}
	return ""
}

// mayAllow says why a rule that allows must not be saved now: it would decide the
// card, which must be the one that was shown, and read. A card that has ended is past
// that. It is asked before the question, before saving and once more when the key has
// waited its moment, because calls change meanwhile.
func (x *Screen) mayAllow() string {
	e := x.editor
	c := x.Board.Cards[e.card.ID]
	switch {
	case e.card.ID == "" || c == nil || c.Late():
		return ""
	case !c.Key().SameCall(e.card):
		return "the call is not the one that was shown: esc, and look again"
	case !c.SeenEnd:
		return "the call was not read to the end: " + x.Called("esc") + ", then " + x.Called("G")
	case c.Sending != "":
		return "the call was sent already; waiting for the record"
	}
	return ""
}

// saveOnce decides the call and makes no rule. The decision goes the way of the
// queue's own keys.
func (x *Screen) saveOnce(wait time.Duration) tea.Cmd {
	e := x.editor
	if e.decided() == broker.Allow {
		if e.hint = x.mayAllow(); e.hint != "" {
			return nil
		}
	}
	return x.InAMoment(wait, func() tea.Cmd {
		c := x.Board.Cards[e.card.ID]
		// The editor closes first: its call may have gone, and then there is nothing
		// left to edit.
		closed := x.close()
		if c == nil || !c.Key().SameCall(e.card) {
			return tea.Batch(closed, x.Say(draw.Warn, "this call is no longer waiting: nothing was decided"))
		}
		return tea.Batch(closed, x.decide(c.Key(), e.decided(), e.onceReason()))
	})
}

// onceReason is what the agent is told of a denial.
func (f *form) onceReason() string {
	if f.verdict() == rules.Deny {
		return f.reason.String()
	}
	return ""
}

// confirmKey takes a key while the question is on the screen. Only enter saves and
// only esc goes back; everything else scrolls or says so.
func (x *Screen) confirmKey(msg tea.KeyMsg) tea.Cmd {
	e, k := x.editor, x.keys
	_, height := x.Inner()
	switch {
	case msg.Paste:
		e.hint = "pasted text saves nothing"
	case key.Matches(msg, k.Save):
		return x.confirmEnter()
	case key.Matches(msg, k.ConfirmDown):
		e.confirm.top += max(1, height/2)
	case key.Matches(msg, k.ConfirmUp):
		e.confirm.top -= max(1, height/2)
	case key.Matches(msg, k.ConfirmBottom):
		// settle brings it back to the last row.
		e.confirm.top += 1 << 20
	case key.Matches(msg, k.ConfirmTop):
		e.confirm.top = 0
	default:
		e.hint = "enter saves the rule, esc goes back"
	}
	return nil
}

// confirmEnter is the second enter. The sentence must have been on the screen to its
// end. What is saved is the rule of the question, whatever the form says.
func (x *Screen) confirmEnter() tea.Cmd {
	e := x.editor
	wait, refusal := x.Press("enter")
	switch {
	case refusal != "":
		e.hint = refusal
	case x.Small:
		e.hint = x.TooSmallText()
	case !e.confirm.seen:
		e.hint = "read to the end first: G"
	default:
		if e.hint = x.mayAllow(); e.hint == "" {
			r := e.confirm.rule
			return x.InAMoment(wait, func() tea.Cmd { return x.saveRule(r) })
		}
	}
	return nil
}
