package queue

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/fleet"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/orders"
	"github.com/aoctl/aoctl/tui/safe"
)

// decider says what a deciding key does now.
type decider struct{ *Screen }

// sender sends what was decided to the broker, and says what came of it.
type sender struct {
	*desk.Desk
	broker Broker
	orders *orders.Orders
	list   *list
	reader *reader
}

// decidedMsg is the answer to a decision about one call.
type decidedMsg struct {
	key     guard.Drawn
	verdict broker.Verdict
	req     broker.Request
	err     error
}

// judgeAllow says what a does now, on the drawn card; refusal is what the guard has against it.
func (q decider) judgeAllow(msg tea.KeyMsg, wait time.Duration, refusal string) tea.Cmd {
	if q.marks.any() {
		return q.marks.judge(msg, refusal)
	}
	c := q.DrawnCard()
	switch {
	case c == nil:
		return q.sayNone()
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return q.saySent()
	case c.Held():
		return q.sayHeld(c)
	case locked(c):
		return q.sayReadOn()
	case c.Dangerous():
		return q.sayCode(c)
	}
	return q.hold(broker.Allow, wait)
}

// judgeDeny is the same of d. A plan is refused with words only.
func (q decider) judgeDeny(msg tea.KeyMsg, wait time.Duration, refusal string) tea.Cmd {
	if q.marks.any() {
		return q.marks.judge(msg, refusal)
	}
	c := q.DrawnCard()
	switch {
	case c == nil:
		return q.sayNone()
	case mustBeSaid(c) && q.mayAskReason(c):
		return q.AskReason(c)
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return q.saySent()
	}
	return q.hold(broker.Deny, wait)
}

// judgeDenyWhy is the same of D. It asks also while the keys are deaf: it decides nothing yet, and
// what is typed next must not be taken for keys.
func (q decider) judgeDenyWhy(msg tea.KeyMsg, _ time.Duration, refusal string) tea.Cmd {
	if q.marks.any() {
		return q.marks.judge(msg, refusal)
	}
	c := q.DrawnCard()
	switch {
	case c == nil:
		return q.sayNone()
	case q.mayAskReason(c):
		return q.AskReason(c)
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return q.saySent()
	}
	return q.Say(draw.Muted, "this call was refused already; "+q.Called("a")+" lets its retry pass once, "+q.Called("d")+" dismisses it")
}

func (q decider) mayAskReason(c *board.Card) bool {
	return !q.Guard.Burst() && c.Sending == "" && !c.Late()
}

// hold keeps a verdict about the drawn card for a moment, then sends it.
func (q decider) hold(v broker.Verdict, wait time.Duration) tea.Cmd {
	k := q.Guard.Drawn
	return q.InAMoment(wait, func() tea.Cmd { return q.sender.send(k, v, "") })
}

// send hands a verdict to the broker and moves the cursor on.
func (q sender) send(key guard.Drawn, v broker.Verdict, reason string) tea.Cmd {
	c := q.Board.Still(key)
	if c == nil || c.Sending != "" {
		return q.Say(draw.Warn, "this call is no longer waiting: nothing was decided")
	}
	if c.Late() && v == broker.Deny {
		q.list.drop(c)
		return q.Say(draw.Muted, "dismissed: it had already expired")
	}
	return q.sent(c, broker.Decision{Verdict: v, By: q.Operator, Reason: reason, Digest: key.Digest})
}

// sent marks a card as decided, moves the cursor on and hands the decision to the broker.
func (q sender) sent(c *board.Card, d broker.Decision) tea.Cmd {
	if texts := refuses(q.Desk, c); texts != nil && d.Verdict == broker.Allow {
		return q.Say(draw.Warn, texts...)
	}
	k := c.Key()
	c.Sending = d.Verdict
	delete(q.Board.Marks, k.ID)
	q.list.passed(k.ID)
	return q.decide(k, d)
}

// decide hands a decision about the call of k to the broker.
func (q sender) decide(k guard.Drawn, d broker.Decision) tea.Cmd {
	ctx, b := q.Ctx, q.broker
	return func() tea.Msg {
		req, err := b.Decide(ctx, k.ID, d)
		return decidedMsg{key: k, verdict: d.Verdict, req: req, err: err}
	}
}

// decided says what the broker made of a decision.
func (q sender) decided(msg decidedMsg) tea.Cmd {
	c := q.Board.Cards[msg.key.ID]
	name := "the call"
	if c != nil {
		name = c.Summary().Tool
		if msg.err != nil {
			c.Sending = "" // else it stays until the broker's own word takes the card away
		}
	}
	p, later := fleet.Waits(msg.err)
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case later && msg.verdict == broker.Deny:
		return q.deniedLater(c, p, name)
	case msg.err != nil:
		return q.notDecided(msg, c, name)
	case msg.key.Late:
		q.list.drop(c)
		return q.Say(draw.OK, name+": allowed late; when the agent asks again for exactly this, it passes once")
	}
	return q.answered(msg.req)
}

// notDecided says why a decision was not taken.
func (q sender) notDecided(msg decidedMsg, c *board.Card, name string) tea.Cmd {
	switch err := msg.err; {
	case errors.Is(err, broker.ErrFrozen):
		return q.Say(draw.Warn, name+": frozen; nothing was allowed", "frozen")
	case errors.Is(err, broker.ErrTwo):
		text := safe.Line(broker.Plain(err))
		_, short, _ := strings.Cut(text, ": ")
		return q.Say(draw.Warn, name+": "+text, name+": "+cmp.Or(short, text), cmp.Or(short, text))
	case errors.Is(err, broker.ErrAlreadyDecided):
		return q.Say(draw.Warn, name+": too late, this call "+q.Book.Ended(msg.req))
	case errors.Is(err, broker.ErrChanged), errors.Is(err, broker.ErrReadAnew):
		return q.lookAgain(msg, name)
	case errors.Is(err, broker.ErrNotRecorded):
		return q.Say(draw.Danger, name+": the decision could not be recorded, so the agent was told no", "not recorded: the agent was told no")
	case errors.Is(err, broker.ErrStale):
		return q.Say(draw.Danger, name+": the call is not the one that was shown; nothing was decided")
	case errors.Is(err, broker.ErrNotFound):
		q.list.drop(c)
		return q.Say(draw.Warn, name+": the broker no longer knows this call")
	}
	return q.Say(draw.Danger, name+": "+safe.Line(broker.Plain(msg.err)))
}

// lookAgain has a call drawn anew that is not what it was when it was decided.
func (q sender) lookAgain(msg decidedMsg, name string) tea.Cmd {
	if msg.req.ID == msg.key.ID && msg.req.State == broker.Pending {
		q.Board.Request(msg.req, q.At)
	}
	q.reader.lookAgain(msg.key)
	if errors.Is(msg.err, broker.ErrReadAnew) {
		return q.Say(draw.Warn, name+": this card was drawn anew: look again", "drawn anew: look again")
	}
	return q.Say(draw.Warn, name+": a file of this call changed while it waited: look again", "a file changed while it waited: look again", "a file changed: look again")
}

// sayEnded says how a call ended that was selected.
func (q decider) sayEnded(r broker.Request) tea.Cmd {
	return q.Say(draw.Warn, draw.SafeLine(r.ToolName)+": "+q.Book.Ended(r))
}

// sayNone says why there is no call to decide.
func (q decider) sayNone() tea.Cmd {
	if q.list.card() != nil {
		return q.Say(draw.Warn, q.noRoom())
	}
	return q.Say(draw.Muted, "nothing waits")
}

// noRoom says why a call that waits is not drawn.
func (q *Screen) noRoom() string {
	if q.Small {
		return q.TooSmallText()
	}
	return q.Fitting("no room to show the call: make the window higher", "no room to show the call")
}

func (q decider) saySent() tea.Cmd {
	if c := q.DrawnCard(); c != nil && c.Later {
		return q.Say(draw.Muted, q.Board.MachineOf(c).Waits()...)
	}
	return q.Say(draw.Muted, "already sent; waiting for the record")
}

// sayHeld tells why a card cannot be allowed now.
func (q decider) sayHeld(c *board.Card) tea.Cmd {
	lift, d := q.Called("F")+" on its session", q.Called("d")
	if q.Board.Health.Frozen {
		lift = q.Called("f")
	}
	return q.Say(draw.Warn,
		"frozen, "+draw.SafeLine(c.Req.Held)+": it can be denied, and allowed once "+lift+" has lifted that",
		"frozen: "+lift+" lifts it, "+d+" denies the call",
		"frozen: "+lift+" lifts it")
}
