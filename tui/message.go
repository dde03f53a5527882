package tui

import (
	"context"
	"errors"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/external"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// compose is the next message of a managed session's user, being written. It lies below
// the panes, and while it is open every key is for it.
type compose struct {
	gen      int // tells answers for this text from those for one before
	session  string
	text     text.Area
	replaces string // id of the message that waits, as far as the operator knows; "" for none
	state    composeState
	hint     string // why the last key did nothing; safe to draw
	top      int    // first row on the screen
}

// composeState is where a message stands.
type composeState int

// The states.
const (
	composing     composeState = iota
	composeEditor              // the operator's editor has the terminal
	composeSent                // on its way to the broker
)

const (
	maxMessage     = 64 << 10 // characters that may be written: no more bytes than the broker takes
	unsentMessages = 64       // texts that are remembered for their sessions
)

// saidMsg is the answer to a message.
type saidMsg struct {
	gen       int
	id, label string // of the session; the label is safe to draw
	text      string // "" takes the message back that waits
	session   broker.Session
	err       error
}

// wroteMsg says that the operator's editor is done with a message.
type wroteMsg struct {
	gen int
	run *external.Run
	err error
}

// openMessage takes m: it opens the message that waits for the session, or an empty one.
func (m *model) openMessage(s *broker.Session) tea.Cmd {
	switch {
	case s == nil:
		return m.sayNoSession()
	case s.Run == nil:
		return m.Say(draw.Warn, m.notManaged(s, "type there"))
	case m.Guard.Burst():
		return m.Say(draw.Warn, "… keys came too fast to be typed")
	}
	m.composeGen++
	c := &compose{gen: m.composeGen, session: s.ID, text: text.NewArea("", maxMessage)}
	if s.Message != nil {
		c.replaces = s.Message.ID
		c.text = text.NewArea(s.Message.Text, maxMessage)
	}
	if draft, ok := m.unsent[s.ID]; ok {
		if c.replaces != "" && draft != c.text.String() {
			c.hint = "this was not sent; it takes the place of what waits: " + safe.Head(s.Message.Text, 40)
		}
		c.text = text.NewArea(draft, maxMessage)
	}
	m.compose, m.note = c, note{}
	m.enter.takeBack()
	return nil
}

// notManaged says why a session takes nothing from here, and what does.
func (m *model) notManaged(s *broker.Session, there string) string {
	label := m.Board.Label(s.ID)
	return m.Fitting(
		label+" is only watched: "+there+", in its own terminal (o goes to it); n or aoctl run start one that takes it from here",
		label+" is only watched: "+there+" in its own terminal (o); aoctl run holds one",
		"only watched: "+there+" in its terminal (o)",
		"only watched: o goes to it",
	)
}

// composeKey takes a key for the message that is being written.
func (m *model) composeKey(msg tea.KeyMsg) tea.Cmd {
	c := m.compose
	if c.state == composeEditor {
		return nil
	}
	m.note, c.hint = note{}, ""
	behindEnter := m.enter.takeBack()
	leaves := key.Matches(msg, m.keys.Back, m.keys.Interrupt) && !msg.Paste
	switch {
	case leaves:
		return m.leaveMessage()
	case c.state == composeSent:
		c.hint = "already on its way"
		return nil
	}
	if behindEnter && m.Guard.Burst() { // the enter was part of a text that came at once
		c.hint = c.text.Insert([]rune{'\n'})
	}
	switch {
	case key.Matches(msg, m.keys.SendLine) && !msg.Paste:
		return m.pressSend(&c.hint, &c.text)
	case key.Matches(msg, m.keys.InEditor) && !msg.Paste:
		return m.writeInEditor()
	}
	if refused := c.text.Edit(msg, m.editorKeys.Keys, m.textKeys); refused != "" {
		c.hint = refused
	}
	return nil
}

// pressSend takes enter. Where no person pressed it, it is a line break in t, which may
// be nil.
func (m *model) pressSend(hint *string, t *text.Area) tea.Cmd {
	burst := m.Guard.Burst()
	cmd, refusal := m.enter.press(burst, m.At)
	switch {
	case refusal == "":
		return cmd
	case burst && t != nil:
		*hint = t.Insert([]rune{'\n'})
	default:
		*hint = refusal
	}
	return nil
}

// leaveMessage closes the text and keeps it for the session.
func (m *model) leaveMessage() tea.Cmd {
	c := m.compose
	m.compose = nil
	m.Guard.Leaves(m.At)
	text, waits := c.text.String(), m.Board.Sessions[c.session]
	if strings.TrimSpace(text) == "" || waits != nil && waits.Message != nil && waits.Message.Text == text {
		delete(m.unsent, c.session)
		return nil
	}
	m.keepUnsent(c.session, text)
	if c.state == composeSent {
		return nil
	}
	return m.Say(draw.Muted, "not sent; m shows what you wrote to "+m.Board.Label(c.session)+" again", "not sent; m shows it again")
}

func (m *model) keepUnsent(session, text string) {
	if m.unsent == nil || len(m.unsent) >= unsentMessages && m.unsent[session] == "" {
		m.unsent = map[string]string{}
	}
	m.unsent[session] = text
}

// sendMessage hands the text to the broker, unless it is empty or what it takes the place
// of is not what the operator knows.
func (m *model) sendMessage() tea.Cmd {
	c := m.compose
	s := m.Board.Sessions[c.session]
	if c.state != composing {
		return nil
	}
	if s == nil {
		c.hint = "the broker no longer knows this session; esc keeps the text"
		return nil
	}
	text := trimmed(c.text.String())
	waits := broker.Message{}
	if s.Message != nil {
		waits = *s.Message
	}
	switch {
	case text == "" && waits.ID == "":
		c.hint = "nothing is written yet; esc leaves"
		return nil
	case text == "":
		return m.askTakeBack(s)
	case text == waits.Text && waits.ID == c.replaces && waits.Failures == 0:
		m.compose = nil
		m.Guard.Leaves(m.At)
		delete(m.unsent, s.ID)
		return m.Say(draw.Muted, "unchanged: "+words.WhenTold(s))
	case waits.ID != c.replaces:
		gone := c.replaces != "" && waits.ID == ""
		c.replaces = waits.ID
		c.hint = "another message waits now; enter replaces it: " + safe.Head(waits.Text, 40)
		if gone {
			c.hint = "what waited was told meanwhile; enter sends this as the next message"
		}
		return nil
	}
	c.state = composeSent
	m.keepUnsent(s.ID, c.text.String())
	return m.tell(s.ID, text, c.gen)
}

// trimmed is a text as it is sent: without the blanks behind it and empty lines before.
func trimmed(text string) string {
	return strings.TrimLeft(strings.TrimRight(text, " \t\n"), "\n")
}

func (m *model) askTakeBack(s *broker.Session) tea.Cmd {
	id, label := s.ID, m.Board.Label(s.ID)
	m.compose = nil
	delete(m.unsent, id)
	m.askYes("take back the message that waits for "+label+"?", "take the message back?", func() tea.Cmd { return m.tell(id, "", 0) })
	return nil
}

// tell hands text to the broker as the session's next message.
func (m *model) tell(id, text string, gen int) tea.Cmd {
	ctx, console, by, label := m.Ctx, m.console, m.Operator, m.Board.Label(id)
	return func() tea.Msg {
		s, err := console.Say(ctx, id, text, by)
		return saidMsg{gen: gen, id: id, label: label, text: text, session: s, err: err}
	}
}

// said tells what became of a message. A text that was not taken is still there.
func (m *model) said(msg saidMsg) tea.Cmd {
	open := m.compose != nil && m.compose.gen == msg.gen && msg.gen > 0
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil && open:
		m.compose.state, m.compose.hint = composing, "not sent: "+runError(msg.err)
		return nil
	case msg.err != nil && msg.text == "":
		return m.Say(draw.Danger, msg.label+": the message was not taken back: "+runError(msg.err))
	case msg.err != nil:
		return m.Say(draw.Danger, msg.label+": not sent: "+runError(msg.err)+"; m shows your text again", "not sent, m shows it again: "+runError(msg.err))
	case open:
		m.compose = nil
		m.Guard.Leaves(m.At)
	}
	if msg.text == "" {
		return m.Say(draw.OK, msg.label+": the message was taken back")
	}
	if trimmed(m.unsent[msg.id]) == msg.text {
		delete(m.unsent, msg.id)
	}
	if msg.session.Message == nil {
		return m.Say(draw.OK, "told "+msg.label)
	}
	if msg.session.Run != nil && msg.session.Run.Turn == broker.TurnIdle {
		return m.Say(draw.OK, msg.label+": "+words.WhenTold(&msg.session), words.WhenTold(&msg.session))
	}
	return m.Say(draw.OK, msg.label+": "+words.WhenTold(&msg.session)+"; m edits it", words.WhenTold(&msg.session))
}

// runError is what the broker has against an order to a session; safe to draw.
func runError(err error) string {
	for known, text := range map[error]string{
		broker.ErrNotFound:     "the broker knows no such session",
		broker.ErrNotManaged:   "aoctl only watches this session",
		broker.ErrSessionEnded: "it has ended",
		broker.ErrNotRecorded:  "it could not be recorded",
	} {
		if errors.Is(err, known) {
			return text
		}
	}
	return safe.Line(words.WhatIsWrong(err))
}

// writeInEditor gives the text to the operator's editor.
func (m *model) writeInEditor() tea.Cmd {
	c := m.compose
	c.state = composeEditor
	gen := c.gen
	return m.outside.Open(m.Ctx, "message.md", c.text.String(), func(run *external.Run, err error) tea.Msg { return wroteMsg{gen: gen, run: run, err: err} })
}

// wrote takes the text back from the editor. It is not sent before enter.
func (m *model) wrote(msg wroteMsg) tea.Cmd {
	m.Guard.Doubt(m.At)
	again := tea.EnableMouseCellMotion // the terminal came back without
	c := m.compose
	if c == nil || c.gen != msg.gen {
		return again
	}
	c.state = composing
	got := text.NewArea("", maxMessage)
	refused := got.Insert([]rune(strings.TrimSuffix(strings.TrimPrefix(msg.run.Got, "\ufeff"), "\n")))
	switch {
	case refused != "":
		c.hint = refused
	default:
		c.text = got
	}
	if msg.err != nil {
		c.hint = safe.Line(msg.err.Error())
	}
	return again
}
