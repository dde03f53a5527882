package tui

import (
	"context"
	"errors"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
)

// editKey takes a key for the open edit. While the editor has the terminal, and until it
// was seen to give it back, keys are not for us.
func (m *model) editKey(msg tea.KeyMsg, tookBack bool) tea.Cmd {
	e := m.edit
	if e.state == editOpen {
		return nil
	}
	m.note = note{}
	digit := e.digit(msg)
	switch {
	case msg.Paste || len(msg.Runes) > 1:
		m.Guard.Doubt(m.At)
		return m.Say(draw.Warn, "pasted text and bursts of keys never decide: nothing was done", "pasted or a burst: nothing was done")
	case tookBack && digit == "" && !key.Matches(msg, m.keys.Allow):
		m.Guard.Doubt(m.At)
		return m.Say(draw.Warn, "keys came too fast to be typed: nothing was decided", "too fast: nothing was decided")
	case e.state == editSending:
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case key.Matches(msg, m.keys.Back, m.keys.Interrupt):
		return m.backFromEdit()
	case digit != "":
		return m.editDigit(digit)
	case key.Matches(msg, m.keys.Allow):
		return m.editAllow(msg.String())
	case key.Matches(msg, m.keys.Edit):
		return m.editAgain()
	case key.Matches(msg, m.keys.AsAsked):
		delete(m.drafts, e.card.Digest)
		m.edit = nil
		m.Guard.Doubt(m.At)
		return m.Say(draw.Muted, "the edited input is gone: the call waits as it was asked")
	case key.Matches(msg, m.keys.Deny, m.keys.DenyWhy):
		return m.Say(draw.Muted, "esc goes back to the call; there it can be denied")
	}
	width, height := m.editRoom()
	rows, _ := m.editRows(width)
	switch {
	case key.Matches(msg, m.keys.PageDown):
		e.top += max(1, height/2)
	case key.Matches(msg, m.keys.PageUp):
		e.top -= max(1, height/2)
	default:
		e.top = m.moved(msg, e.top, len(rows))
	}
	return nil
}

func (m *model) backFromEdit() tea.Cmd {
	gone := m.edit.gone
	m.leaveEdit()
	if gone != "" {
		return nil
	}
	return m.Say(draw.Muted, "back to the call as it was asked; e shows what you edited again", "e shows what you edited again")
}

// editAgain opens the editor on the edited text.
func (m *model) editAgain() tea.Cmd {
	wait, refusal := m.Press("e")
	if refusal != "" {
		return m.Say(draw.Warn, "… "+refusal)
	}
	gen := m.edit.gen
	return m.InAMoment(wait, func() tea.Cmd {
		if e := m.edit; e == nil || e.gen != gen || e.state == editSending {
			return nil
		}
		return m.runEdit()
	})
}

// mayAllowEdit says why the edited call cannot be allowed now, and how gravely.
func (m *model) mayAllowEdit() (draw.Ink, string) {
	e := m.edit
	switch c := m.Board.Cards[e.card.ID]; {
	case e.gone != "":
		return draw.Warn, "nothing to allow: this call " + e.gone
	case c == nil || c.Late():
		return draw.Warn, "this call is no longer waiting"
	case c.Sending != "":
		return draw.Muted, "already sent; waiting for the record"
	case e.state != editAsking:
		return draw.Muted, "there is nothing to allow yet"
	case m.tooSmall():
		return draw.Warn, m.tooSmallText()
	case e.judged.Deny != "":
		return draw.Danger, "a rule refuses this: e edits again, esc goes back"
	case !e.seen:
		return draw.Warn, "read to the end to allow: G or ctrl+d"
	}
	return draw.Text, ""
}

// editAllow takes the key that allows the call with its new input.
func (m *model) editAllow(name string) tea.Cmd {
	wait, refusal := m.Guard.Press(name, m.At)
	if refusal != "" {
		return m.Say(draw.Warn, "… "+refusal)
	}
	if i, why := m.mayAllowEdit(); why != "" {
		return m.Say(i, why)
	}
	if code := m.edit.code; code != "" {
		return m.Say(draw.Danger, "dangerous: type "+code+" to allow it as you edited it", "dangerous: type "+code+" to allow")
	}
	return m.InAMoment(wait, m.sendEdit)
}

// digit is the digit that msg types towards the code; empty when none is asked for.
func (e *edit) digit(msg tea.KeyMsg) string {
	if e.code == "" || e.state != editAsking || msg.Type != tea.KeyRunes || msg.Alt || len(msg.Runes) != 1 {
		return ""
	}
	if r := msg.Runes[0]; r >= '0' && r <= '9' {
		return string(r)
	}
	return ""
}

// editDigit takes a digit of the code; both must pass the guard.
func (m *model) editDigit(digit string) tea.Cmd {
	e := m.edit
	first, wait, refusal := m.Guard.Digit(digit, m.At)
	if refusal != "" {
		return m.Say(draw.Warn, "… "+refusal)
	}
	if i, why := m.mayAllowEdit(); why != "" {
		return m.Say(i, why)
	}
	switch {
	case first == "" && digit == e.code[:1]:
		m.Guard.Begin(digit, m.At)
		return tea.Tick(guard.CodeFor, func(time.Time) tea.Msg { return awakeMsg{} })
	case first != "" && first+digit == e.code:
		return m.InAMoment(wait, m.sendEdit)
	}
	return m.Say(draw.Warn, "that is not the code of this call: type "+e.code+" to allow it, esc goes back", "wrong digit: "+e.code+" allows")
}

// sendEdit allows the call with the input that is on the screen.
func (m *model) sendEdit() tea.Cmd {
	e := m.edit
	if e == nil {
		return nil
	}
	if i, why := m.mayAllowEdit(); why != "" {
		return m.Say(i, why)
	}
	e.state = editSending
	m.Board.Cards[e.card.ID].Sending = broker.Allow
	d := broker.Decision{
		Verdict: broker.Allow, By: m.Operator, Digest: e.card.Digest, UpdatedInput: e.input,
		Seal: e.judged.Seal, Dangerous: e.code != "",
	}
	ctx, console, id, gen := m.Ctx, m.console, e.card.ID, e.gen
	return func() tea.Msg {
		req, err := console.Decide(ctx, id, d)
		return editSentMsg{gen: gen, id: id, req: req, err: err}
	}
}

// editSent tells what became of the decision.
func (m *model) editSent(msg editSentMsg) tea.Cmd {
	c := m.Board.Cards[msg.id]
	if c != nil && msg.err != nil {
		c.Sending = ""
	}
	e := m.edit
	if e == nil || e.gen != msg.gen {
		return nil
	}
	e.state = editAsking
	name := callview.SummaryOf(e.req).Tool
	switch {
	case msg.err == nil:
		delete(m.drafts, e.card.Digest)
		m.edit = nil
		m.Guard.Doubt(m.At)
		if m.selected == msg.id {
			m.moveOn()
		}
		return m.Say(draw.OK, name+": allowed as you edited it; the log has both", name+": allowed as edited")
	case errors.Is(msg.err, context.Canceled):
		return nil
	case errors.Is(msg.err, broker.ErrChanged), errors.Is(msg.err, broker.ErrReadAnew):
		return tea.Batch(m.judgeEdit(), m.Say(draw.Warn, name+": a file of the edited call changed meanwhile: look again", "a file changed: look again"))
	case errors.Is(msg.err, broker.ErrAlreadyDecided) && msg.req.Outcome != nil:
		return m.editGone(m.Book.Ended(msg.req))
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return tea.Batch(m.editGone("could not be recorded, so the agent was told no"), m.Say(draw.Danger, name+": not recorded: the agent was told no"))
	case errors.Is(msg.err, broker.ErrNotFound), errors.Is(msg.err, broker.ErrAlreadyDecided):
		return m.editGone("is no longer waiting")
	}
	// The rules may have changed: what they say now is shown.
	return tea.Batch(m.judgeEdit(), m.Say(draw.Danger, name+": "+safe.Line(withoutPath(msg.err))))
}
