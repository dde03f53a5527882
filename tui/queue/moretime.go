package queue

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
)

// moreTimeMsg is the answer to giving a call more time.
type moreTimeMsg struct {
	req broker.Request
	err error
}

// judgeMoreTime says what t does now, on the drawn card.
func (q decider) judgeMoreTime(_ tea.KeyMsg, wait time.Duration, refusal string) tea.Cmd {
	c := q.DrawnCard()
	switch {
	case c == nil:
		return q.sayNone()
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return q.saySent()
	case c.Late():
		return q.Say(draw.Muted, "its time is over, and its agent was told no: "+q.Called("a")+" lets its retry pass once", "its time is over: "+q.Called("a")+" lets its retry pass")
	case c.PutOff():
		return q.Say(draw.Muted, "it is deferred: it waits for you without a deadline", "it is deferred: it has no deadline")
	}
	k := q.Guard.Drawn
	return q.InAMoment(wait, func() tea.Cmd { return q.sender.giveTime(k) })
}

// giveTime gives the call of k more time, if it is still the one that was drawn.
func (q sender) giveTime(k guard.Drawn) tea.Cmd {
	c := q.Board.Still(k)
	if c == nil || c.Sending != "" {
		return q.Say(draw.Warn, "this call is no longer waiting: it was given no more time")
	}
	ctx, b, by := q.Ctx, q.broker, q.Operator
	return func() tea.Msg {
		r, err := b.Extend(ctx, k.ID, by)
		return moreTimeMsg{req: r, err: err}
	}
}

func (q sender) moreTime(msg moreTimeMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrNoMoreTime):
		_, why, _ := strings.Cut(msg.err.Error(), broker.ErrNoMoreTime.Error()+": ")
		return q.Say(draw.Warn, "no more time: "+safe.Line(why))
	case errors.Is(msg.err, broker.ErrAlreadyDecided):
		return q.Say(draw.Warn, "too late, this call "+q.Book.Ended(msg.req))
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return q.Say(draw.Danger, "more time could not be recorded: the call has the time that it had", "not recorded: it has the time it had")
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return q.Say(draw.Warn, safe.Line(broker.Plain(msg.err)))
	}
	text := "more time: " + figures.Left(msg.req.ExpiresAt.Sub(q.At)) + " left"
	whole := text + " to answer"
	if r := msg.req; !r.MayWaitUntil.IsZero() && r.MayWaitUntil.Sub(r.ExpiresAt) < time.Second {
		whole = text + ", which is as long as its asker waits"
	}
	return q.Say(draw.OK, whole, text)
}
