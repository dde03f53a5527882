package queue

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/words"
)

// reasonHelp is what the keys do while a reason is typed.
const reasonHelp = "enter sends · esc cancels"

// denial is a call that a reason is being written for.
type denial struct {
	of   guard.Drawn
	gone string // how it ended meanwhile, safe to draw
}

// news takes in that a call has ended.
func (d *denial) news(r broker.Request, book *words.Book) {
	if d.of.ID == r.ID && r.State.Terminal() && d.gone == "" {
		d.gone = book.Ended(r)
	}
}

// AskReason asks why a card is denied; the agent reads it.
func (q *Screen) AskReason(c *board.Card) tea.Cmd {
	q.Guard.Words = "" // they are for this
	q.denying = denial{of: c.Key()}
	lead := reasonLead(c)
	if lead == "" {
		lead = "deny " + c.Summary().Tool + ", because: "
	}
	l := desk.Line{
		Lead: lead, Help: reasonHelp,
		Gone: func() string { return q.denying.gone },
		May:  decider{q}.mayDeny,
		Send: decider{q}.denyWith,
	}
	if q.instead == c.Key() {
		l.Text = insteadOf(c)
	}
	q.Read(l)
	return nil
}

// mayDeny says why the denial that is being written cannot be sent now.
func (q decider) mayDeny() string {
	if !q.Guard.Drawn.SameCall(q.denying.of) {
		return "the call is not on the screen"
	}
	return tooFast(q.Desk)
}

// tooFast says that an enter came too fast to be meant.
func tooFast(d *desk.Desk) string {
	if d.Guard.Burst() || d.Guard.Deaf(d.At) {
		return "too fast: press enter again"
	}
	return ""
}

// denyWith denies the call that the reason was written for.
func (q decider) denyWith(reason string) tea.Cmd {
	if q.denying.gone != "" {
		return q.Say(draw.Warn, "nothing was denied: this call "+q.denying.gone)
	}
	q.Guard.MayGoOn()
	return q.sender.send(q.Guard.Drawn, broker.Deny, reason)
}

// reasonLead is what stands before the words with which a question or a plan is refused.
func reasonLead(c *board.Card) string {
	switch c.Dialog() {
	case agents.AskUserQuestion:
		return "decline to answer, because: "
	case agents.ExitPlanMode:
		return "changes to the plan: "
	}
	return ""
}

// mustBeSaid reports whether c is refused with words only.
func mustBeSaid(c *board.Card) bool { return c.Dialog() == agents.ExitPlanMode }

// LeaveForm goes back to the list.
func (q *Screen) LeaveForm() { q.goTo(paneQueue) }

// InForm reports whether keys are for the form on card c: it has the whole screen, or its pane has
// the focus.
func (q *Screen) InForm(c *board.Card) bool {
	if c == nil || c.Ask == nil || c.Late() || q.Small {
		return false
	}
	return q.full || q.focus == paneDetail
}

// Answered hands the answers of a form to the broker.
func (q *Screen) Answered(k guard.Drawn, d broker.Decision) tea.Cmd {
	c := q.Board.Still(k)
	if c == nil {
		return q.Say(draw.Warn, "this question no longer waits: nothing was sent")
	}
	return q.sender.sent(c, d)
}
