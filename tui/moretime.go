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
		return m.Say(draw.Warn, m.tooSmallText())
	case c == nil:
		return m.Say(draw.Muted, "nothing waits")
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case c.Late():
		return m.Say(draw.Muted, "its time is over, and its agent was told no: a lets its retry pass once", "its time is over: a lets its retry pass")
	case c.PutOff():
		return m.Say(draw.Muted, "it is put off: it waits for you without a deadline", "it is put off: it has no deadline")
	}
	k := m.Guard.Drawn
	return m.Guard.Hold(guard.Held{Do: func() tea.Cmd { return m.giveTime(k) }}, wait, m.At)
}

// giveTime gives the call of k more time, if it is still the one that was drawn.
func (m *model) giveTime(k guard.Drawn) tea.Cmd {
	c := m.Board.Still(k)
	if c == nil || c.Sending != "" {
		return m.Say(draw.Warn, "this call is no longer waiting: it was given no more time")
	}
	ctx, console, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		r, err := console.Extend(ctx, k.ID, by)
		return moreTimeMsg{req: r, err: err}
	}
}

func (m *model) moreTime(msg moreTimeMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrNoMoreTime):
		_, why, _ := strings.Cut(msg.err.Error(), broker.ErrNoMoreTime.Error()+": ")
		return m.Say(draw.Warn, "no more time: "+safe.Line(why))
	case errors.Is(msg.err, broker.ErrAlreadyDecided):
		return m.Say(draw.Warn, "too late, this call "+m.Book.Ended(msg.req))
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return m.Say(draw.Danger, "more time could not be recorded: the call has the time that it had", "not recorded: it has the time it had")
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return m.Say(draw.Warn, safe.Line(msg.err.Error()))
	}
	text := "more time: " + figures.Left(msg.req.ExpiresAt.Sub(m.At)) + " left"
	whole := text + " to answer"
	if r := msg.req; !r.MayWaitUntil.IsZero() && r.MayWaitUntil.Sub(r.ExpiresAt) < time.Second {
		whole = text + ", which is as long as its asker waits"
	}
	return m.Say(draw.OK, whole, text)
}
