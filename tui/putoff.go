package tui

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

// putOffKey reports whether msg is one of the keys of what is put off.
func (m *model) putOffKey(msg tea.KeyMsg) bool {
	return (m.screen == screenMain || m.screen == screenFull) && key.Matches(msg, m.keys.PutOff, m.keys.Reject, m.keys.Resume)
}

// judgePutOff says what such a key does now, on the drawn card c, which may be nil.
func (m *model) judgePutOff(msg tea.KeyMsg, c *board.Card, wait time.Duration, refusal string) tea.Cmd {
	if key.Matches(msg, m.keys.Resume) && m.focus == paneSessions {
		return m.orders.Resume(m.session, wait, refusal)
	}
	switch {
	case c == nil && m.tooSmall() && m.card() != nil:
		return m.Say(draw.Warn, m.tooSmallText())
	case c == nil:
		return m.Say(draw.Muted, "nothing waits")
	case key.Matches(msg, m.keys.Resume):
		return m.orders.Resume(c.Req.SessionID, wait, refusal)
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case c.Late():
		return m.Say(draw.Muted, "this call was refused already")
	case key.Matches(msg, m.keys.Reject):
		if !c.PutOff() {
			return m.Say(draw.Muted, "X refuses a call that is put off, and ends its session with it: here d denies, and s stops", "X is for calls that are put off")
		}
		k := m.Guard.Drawn
		return m.Guard.Hold(guard.Held{Do: func() tea.Cmd { return m.reject(k) }}, wait, m.At)
	case c.PutOff():
		return m.Say(draw.Muted, "it is put off already: nobody waits for it")
	case !c.Req.Deferrable:
		return m.Say(draw.Muted, "this call cannot be deferred: only Claude Code without a user before it (claude -p, aoctl run) ends and asks again", "cannot be deferred: only claude -p and aoctl run can")
	}
	k := m.Guard.Drawn
	return m.Guard.Hold(guard.Held{Do: func() tea.Cmd { return m.sendPutOff(k) }}, wait, m.At)
}

// sendPutOff puts the call of k off, if it is still the one that was drawn.
func (m *model) sendPutOff(k guard.Drawn) tea.Cmd {
	c := m.Board.Still(k)
	if c == nil || c.Sending != "" {
		return m.Say(draw.Warn, "this call is no longer waiting: nothing was put off")
	}
	ctx, console, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		r, err := console.Defer(ctx, k.ID, by)
		return deferredMsg{key: k, req: r, err: err}
	}
}

// reject denies the call of k, which is put off, and ends its session.
func (m *model) reject(k guard.Drawn) tea.Cmd {
	c := m.Board.Still(k)
	if c == nil || c.Sending != "" {
		return m.Say(draw.Warn, "this call is no longer waiting: nothing was decided")
	}
	c.Sending = broker.Deny
	if m.selected == k.ID {
		m.moveOn()
	}
	ctx, console := m.Ctx, m.console
	d := broker.Decision{Verdict: broker.Deny, By: m.Operator, Digest: k.Digest, End: true}
	return func() tea.Msg {
		r, err := console.Decide(ctx, k.ID, d)
		return decidedMsg{key: k, verdict: broker.Deny, req: r, err: err}
	}
}

func (m *model) deferred(msg deferredMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrAlreadyDecided):
		return m.Say(draw.Warn, "too late, this call "+m.Book.Ended(msg.req))
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return m.Say(draw.Danger, "that it is put off could not be recorded: the agent waits as before", "not recorded: it waits as before")
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return m.Say(draw.Warn, safe.Line(msg.err.Error()))
	}
	return m.Say(draw.OK, "put off: its agent ends, and the call waits for you without a deadline", "put off: it waits for you")
}

// toldAnswered follows an answer to a call that was put off: its agent hears of it only when
// its session is resumed.
func (m *model) toldAnswered(r broker.Request) tea.Cmd {
	s := m.Board.Sessions[r.SessionID]
	if r.Checkpoint == nil || !r.State.Terminal() || s == nil || s.Run != nil {
		return nil
	}
	return m.orders.GoOn(r.SessionID)
}

// putOffHints are the keys of a call that is put off; list has those of one that waits.
func (m *model) putOffHints(c *board.Card, list []hint) []hint {
	allow := list[0]
	if c.Dangerous() {
		allow = m.codeHint(c)
	}
	here := []hint{allow, list[1], list[2], {"X", "deny, end"}, {"R", "resume"}}
	if m.Board.Held(c.Req.SessionID) {
		here = append(here, hint{"m", "message"})
	}
	return append(here, list[4:]...)
}

// putOffWord is what the line of a session, of which word is the state, says of that.
func putOffWord(s *broker.Session, word string) string {
	if s.Deferred == 0 || word == board.PutOffState {
		return ""
	}
	return " · " + board.PutOffState
}

// offSince is what a row says of c, which is put off, in at most room cells.
func offSince(c *board.Card, now time.Time, room int) string {
	since := figures.Ago(now.Sub(c.Req.Checkpoint.At))
	if text := "off " + since; draw.Cells(text) <= room {
		return text
	}
	return since
}
