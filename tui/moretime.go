package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
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

// moreTimeHint is list, which has the keys of a call that waits, with the one for more time.
func moreTimeHint(c *board.Card, k keyMap, list []hint) []hint {
	if c.Late() || c.PutOff() {
		return list
	}
	after := slices.IndexFunc(list, func(h hint) bool { return h.key == k.Edit.Help().Key })
	return slices.Insert(slices.Clone(list), after+1, hint{k.MoreTime.Help().Key, "more time"})
}

// moreTimeKey reports whether msg is the key for more time.
func (m *model) moreTimeKey(msg tea.KeyMsg) bool {
	return (m.screen == screenMain || m.screen == screenFull) && key.Matches(msg, m.keys.MoreTime)
}

// judgeMoreTime says what t does now, on the drawn card c, which may be nil.
func (m *model) judgeMoreTime(c *board.Card, wait time.Duration, refusal string) tea.Cmd {
	switch {
	case c == nil && m.tooSmall() && m.card() != nil:
		return m.say(draw.Warn, m.tooSmallText())
	case c == nil:
		return m.say(draw.Muted, "nothing waits")
	case refusal != "":
		return m.say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return m.say(draw.Muted, "already sent; waiting for the record")
	case c.Late():
		return m.sayFitting(draw.Muted, "its time is over, and its agent was told no: a lets its retry pass once", "its time is over: a lets its retry pass")
	case c.PutOff():
		return m.sayFitting(draw.Muted, "it is put off: it waits for you without a deadline", "it is put off: it has no deadline")
	}
	k := m.guard.Drawn
	return m.guard.Hold(guard.Held{Do: func() tea.Cmd { return m.giveTime(k) }}, wait, m.at)
}

// giveTime gives the call of k more time, if it is still the one that was drawn.
func (m *model) giveTime(k guard.Drawn) tea.Cmd {
	c := m.board.Still(k)
	if c == nil || c.Sending != "" {
		return m.say(draw.Warn, "this call is no longer waiting: it was given no more time")
	}
	ctx, console, by := m.ctx, m.console, m.opts.Operator
	return func() tea.Msg {
		r, err := console.Extend(ctx, k.ID, by)
		return moreTimeMsg{req: r, err: err}
	}
}

func (m *model) moreTime(msg moreTimeMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrNoMoreTime):
		_, why, _ := strings.Cut(msg.err.Error(), broker.ErrNoMoreTime.Error()+": ")
		return m.say(draw.Warn, "no more time: "+safe.Line(why))
	case errors.Is(msg.err, broker.ErrAlreadyDecided):
		return m.say(draw.Warn, "too late, this call "+m.ended(msg.req))
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return m.sayFitting(draw.Danger, "more time could not be recorded: the call has the time that it had", "not recorded: it has the time it had")
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return m.say(draw.Warn, safe.Line(msg.err.Error()))
	}
	text := "more time: " + figures.Left(msg.req.ExpiresAt.Sub(m.at)) + " left"
	whole := text + " to answer"
	if r := msg.req; !r.MayWaitUntil.IsZero() && r.MayWaitUntil.Sub(r.ExpiresAt) < time.Second {
		whole = text + ", which is as long as its asker waits"
	}
	return m.sayFitting(draw.OK, whole, text)
}
