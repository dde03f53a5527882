package queue

import (
	"context"
	"errors"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
)

type (
	deferredMsg struct { // the answer to putting a call off
		key guard.Drawn
		req broker.Request
		err error
	}
)

// judgePutOff says what such a key does now, on the drawn card.
func (q decider) judgePutOff(msg tea.KeyMsg, wait time.Duration, refusal string) tea.Cmd {
	if on := q.Board.Sessions[q.chosen()]; key.Matches(msg, resume) && (q.focus == paneSessions && !q.full || on != nil && on.Deferred > 0) {
		if on == nil { // nothing that is seen says which session it would be
			return q.NoSession()
		}
		return q.setup.Orders.Resume(on.ID, wait, refusal)
	}
	c := q.DrawnCard()
	switch {
	case key.Matches(msg, resume) && q.nothingToDraw() && q.setup.Orders.Resumable("") != "": // its card is gone once it has its answer
		return q.setup.Orders.Resume("", wait, refusal)
	case c == nil && key.Matches(msg, resume) && q.list.card() == nil:
		return q.sayNoneDeferred()
	case c == nil:
		return q.sayNone()
	case key.Matches(msg, resume):
		return q.setup.Orders.Resume(c.Req.SessionID, wait, refusal)
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return q.saySent()
	case c.Late():
		return q.Say(draw.Muted, "this call was refused already")
	case key.Matches(msg, reject):
		if !c.PutOff() {
			return q.Say(draw.Muted, q.Called("X")+" denies a deferred call, and ends its session with it: here "+q.Called("d")+" denies, and "+q.Called("s")+" stops", q.Called("X")+" is for deferred calls")
		}
		k := q.Guard.Drawn
		return q.InAMoment(wait, func() tea.Cmd { return q.sender.denyForGood(k) })
	case c.PutOff():
		return q.Say(draw.Muted, "it is deferred already: nobody waits for it")
	case !c.Req.Deferrable:
		return q.Say(draw.Muted, "this call cannot be deferred: only Claude Code without a user before it (claude -p, aoctl run) ends and asks again", "cannot be deferred: only claude -p and aoctl run can")
	}
	k := q.Guard.Drawn
	return q.InAMoment(wait, func() tea.Cmd {
		q.Ask("defer this call: its agent ends, and the call waits for you without a deadline?", "defer this call, and end its agent?", func() tea.Cmd { return q.sender.sendPutOff(k) })
		return nil
	})
}

// nothingToDraw reports whether no call is drawn because there is none, and not because it has no room.
func (q decider) nothingToDraw() bool { return q.list.card() == nil && !q.Small }

// sayNoneDeferred says where the sessions are that R lets go on.
func (q decider) sayNoneDeferred() tea.Cmd {
	for _, s := range q.Board.Sessions {
		if s.Deferred > 0 {
			return q.Say(draw.Muted, "nothing to resume here; deferred sessions are listed in Sessions (3)", "nothing here: see Sessions (3)")
		}
	}
	return q.Say(draw.Muted, "nothing to resume: no session is deferred", "no session is deferred")
}

// sendPutOff puts the call of k off, if it is still the one that was drawn.
func (q sender) sendPutOff(k guard.Drawn) tea.Cmd {
	c := q.Board.Still(k)
	if c == nil || c.Sending != "" {
		return q.Say(draw.Warn, "this call is no longer waiting: nothing was deferred")
	}
	ctx, b, by := q.Ctx, q.broker, q.Operator
	return func() tea.Msg {
		r, err := b.Defer(ctx, k.ID, by)
		return deferredMsg{key: k, req: r, err: err}
	}
}

// denyForGood denies the call of k, which is put off, and ends its session.
func (q sender) denyForGood(k guard.Drawn) tea.Cmd {
	c := q.Board.Still(k)
	if c == nil || c.Sending != "" {
		return q.Say(draw.Warn, "this call is no longer waiting: nothing was decided")
	}
	return q.sent(c, broker.Decision{Verdict: broker.Deny, By: q.Operator, Digest: k.Digest, End: true})
}

func (q sender) deferred(msg deferredMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrAlreadyDecided):
		return q.Say(draw.Warn, "too late, this call "+q.Book.Ended(msg.req))
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return q.Say(draw.Danger, "that it is deferred could not be recorded: the agent waits as before", "not recorded: it waits as before")
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return q.Say(draw.Warn, safe.Line(broker.Plain(msg.err)))
	}
	return q.Say(draw.OK, "deferred: its agent ends, and the call waits for you without a deadline", "deferred: it waits for you")
}

// answered follows an answer to a call that was put off: its agent hears of it only when
// its session is resumed.
func (q sender) answered(r broker.Request) tea.Cmd {
	s := q.Board.Sessions[r.SessionID]
	if r.Checkpoint == nil || !r.State.Terminal() || s == nil || s.Run != nil {
		return nil
	}
	return q.orders.GoOn(r.SessionID)
}

// offSince is what a row says of c, which is put off, in at most room cells.
func offSince(c *board.Card, now time.Time, room int) string {
	if text := "deferred " + figures.Ago(now.Sub(c.Req.Checkpoint.At)); draw.Cells(text) <= room {
		return text
	}
	return "deferred"
}
