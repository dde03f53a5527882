// Package message is the next message of a managed session's user, being written. It
// takes the lower rows of the room, in a low window all of them, and while it is open
// every key is for it.
//
// How a message passes: it opens with what waits for the session already, or with what
// was written and not sent (draft.go). Enter, judged by package send, hands it to the
// broker, unless it is empty or it would take the place of a message that the operator
// has not seen (deliver.go). What the broker did not take is still there, and a text
// that was left is kept for its session, so that nothing that was typed is lost.
//
// Pasted text and keys in bursts are text, with their line breaks: they send nothing.
// A text can be written in the operator's own editor (editor.go) and comes back
// unsent.
//
// A message lifts a stop, so it is more than talk: that it was sent counts as the
// operator's own act and is recorded with them. Who goes on typing after the text was
// left decides nothing by that. message.go has the screen and what a key does, view.go
// how many rows it takes.
package message

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/send"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// Broker is what the screen needs of it. Say with an empty text takes back the message
// that waits.
type Broker interface {
	Say(ctx context.Context, id, text string, by broker.Actor) (broker.Session, error)
}

// Editor has a text changed in the operator's own editor; back makes the message that
// brings it.
type Editor func(file, text string, back func(got string, err error) tea.Msg) tea.Cmd

// Screen is the message, being written or not.
type Screen struct {
	*desk.Desk
	broker  Broker
	editor  Editor
	keys    keys
	enter   send.Key
	gen     int
	compose *compose // nil while the screen is closed
	unsent  drafts
}

// compose is the text while it is open. replaces is what enter is about: a message
// that came since makes enter ask once more.
type compose struct {
	gen      int // tells answers for this text from those for one before
	session  string
	text     text.Area
	replaces string // id of the message that waits, as far as the operator knows; "" for none
	state    state
	hint     string // why the last key did nothing; safe to draw
	top      int    // first row on the screen
}

// state is where a message stands.
type state int

// The states.
const (
	composing state = iota
	inEditor        // the operator's editor has the terminal
	sent            // on its way to the broker
)

// maxMessage is how many characters may be written: no more bytes than the broker
// takes.
const maxMessage = 64 << 10

// New makes the screen.
func New(d *desk.Desk, b Broker, e Editor) *Screen {
	return &Screen{Desk: d, broker: b, editor: e, keys: defaultKeys()}
}

// Opens shows the message that waits for a session, what was not sent to it, or
// nothing yet.
func (x *Screen) Opens(on desk.Subject) tea.Cmd {
	x.compose = nil
	s := x.Board.Sessions[on.Session]
	switch {
	case s == nil:
		return x.refuse("the broker no longer knows this session")
	// A session that aoctl does not hold has nobody to tell it anything.
	case s.Run == nil:
		return x.refuse(words.OnlyWatched(x.Board.Label(s.ID), "type there")...)
	// The rest of the burst would be typed into the message.
	case x.Guard.Burst():
		return x.refuse("… keys came too fast to be typed")
	}
	x.gen++
	c := &compose{gen: x.gen, session: s.ID, text: text.NewArea("", maxMessage)}
	// What waits is shown to be changed, so that a new text does not take its place
	// unseen.
	if s.Message != nil {
		c.replaces = s.Message.ID
		c.text = text.NewArea(s.Message.Text, maxMessage)
	}
	if draft, ok := x.unsent[s.ID]; ok {
		if c.replaces != "" && draft != c.text.String() {
			c.hint = "this was not sent; it takes the place of what waits: " + safe.Head(s.Message.Text, 40)
		}
		c.text = text.NewArea(draft, maxMessage)
	}
	x.compose = c
	x.enter.TakeBack()
	return nil
}

// refuse closes the screen that was just opened, and says why.
func (x *Screen) refuse(why ...string) tea.Cmd {
	return tea.Batch(x.Back(), x.Say(draw.Warn, why...))
}

// close ends the writing: who goes on typing decides nothing by that.
func (x *Screen) close() tea.Cmd {
	x.compose = nil
	x.Guard.Leaves(x.At)
	return x.Back()
}

// Subject is the session.
func (x *Screen) Subject() desk.Subject {
	if x.compose == nil {
		return desk.Subject{}
	}
	return desk.Subject{Session: x.compose.session}
}

// Update takes answers, the editor's text, and the enter that was held for a moment.
func (x *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case desk.Settle:
		x.settle()
	case send.DueMsg:
		ok, again := x.enter.Release(msg, x.At)
		if ok && x.compose != nil {
			return x.send()
		}
		return again
	case saidMsg:
		return x.said(msg)
	case wroteMsg:
		return x.wrote(msg)
	}
	return nil
}

// Writes reports that every key is for the text.
func (x *Screen) Writes() bool { return x.compose != nil }

// Write takes a key for the message that is being written.
func (x *Screen) Write(msg tea.KeyMsg, _ bool) tea.Cmd {
	c := x.compose
	// Keys that come now were typed for the editor.
	if c.state == inEditor {
		return nil
	}
	c.hint = ""
	behindEnter := x.enter.TakeBack()
	switch {
	case key.Matches(msg, x.keys.Leave) && !msg.Paste:
		return x.leave()
	// What is on its way cannot be changed any more.
	case c.state == sent:
		c.hint = "already on its way"
		return nil
	}
	if behindEnter && x.Guard.Burst() { // the enter was part of a text that came at once
		c.hint = c.text.Insert([]rune{'\n'})
	}
	switch {
	case key.Matches(msg, x.keys.Send) && !msg.Paste:
		return x.pressEnter()
	case key.Matches(msg, x.keys.InEditor) && !msg.Paste:
		return x.writeInEditor()
	}
	if refused := c.text.Edit(msg, x.keys.text, x.keys.area); refused != "" {
		c.hint = refused
	}
	return nil
}

// pressEnter takes enter. Where no person pressed it, it is a line break in the text.
func (x *Screen) pressEnter() tea.Cmd {
	// The key is counted in any case, so one that is held down never sends.
	c, burst := x.compose, x.Guard.Burst()
	cmd, refusal := x.enter.Press(burst, x.At)
	switch {
	case refusal == "":
		return cmd
	case burst:
		c.hint = c.text.Insert([]rune{'\n'})
	default:
		c.hint = refusal
	}
	return nil
}
