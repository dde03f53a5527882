package message

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/sessionview"
	"github.com/aoctl/aoctl/tui/words"
)

// saidMsg is the answer to a message. gen is 0 when no text was open for it.
type saidMsg struct {
	gen       int
	id, label string // of the session; the label is safe to draw
	text      string // "" takes the message back that waits
	session   broker.Session
	err       error
}

// send hands the text to the broker, unless it is empty or what it takes the place of
// is not what the operator knows.
func (x *Screen) send() tea.Cmd {
	c := x.compose
	s := x.Board.Sessions[c.session]
	if c.state != composing {
		return nil
	}
	if s == nil {
		// The text is not lost: it is kept for the session's id, should that come
		// back.
		c.hint = "the broker no longer knows this session; esc keeps the text"
		return nil
	}
	text := words.Trimmed(c.text.String())
	waits := broker.Message{}
	if s.Message != nil {
		waits = *s.Message
	}
	switch {
	// Nothing is written and nothing waits, so enter has nothing to do.
	case text == "" && waits.ID == "":
		c.hint = "nothing is written yet; esc leaves"
		return nil
	case text == "":
		return x.askTakeBack(s)
	// Sending the same text again would only make it wait longer.
	case text == waits.Text && waits.ID == c.replaces && waits.Failures == 0:
		delete(x.unsent, s.ID)
		return tea.Batch(x.close(), x.Say(draw.Muted, "unchanged: "+sessionview.WhenTold(s)))
	// A message came in between. Sending now would drop it unread.
	case waits.ID != c.replaces:
		c.otherWaits(waits)
		return nil
	}
	// The text is kept until the broker has it: an answer may never come.
	c.state = sent
	x.keepUnsent(s.ID, c.text.String())
	return x.tell(s.ID, text, c.gen)
}

// otherWaits says that another message waits than the operator knew, or none any more.
// The next enter is about that one.
func (c *compose) otherWaits(waits broker.Message) {
	gone := c.replaces != "" && waits.ID == ""
	c.replaces = waits.ID
	c.hint = "another message waits now; enter replaces it: " + safe.Head(waits.Text, 40)
	if gone {
		c.hint = "what waited was told meanwhile; enter sends this as the next message"
	}
}

// askTakeBack asks whether the message that waits is to be taken back.
func (x *Screen) askTakeBack(s *broker.Session) tea.Cmd {
	id, label := s.ID, x.Board.Label(s.ID)
	x.compose = nil
	delete(x.unsent, id)
	closed := x.Back()
	x.Ask("take back the message that waits for "+label+"?", "take the message back?", func() tea.Cmd { return x.tell(id, "", 0) })
	return closed
}

// tell hands text to the broker as the session's next message.
func (x *Screen) tell(id, text string, gen int) tea.Cmd {
	ctx, b, by, label := x.Ctx, x.broker, x.Operator, x.Board.Label(id)
	return func() tea.Msg {
		s, err := b.Say(ctx, id, text, by)
		return saidMsg{gen: gen, id: id, label: label, text: text, session: s, err: err}
	}
}

// said tells what became of a message. A text that was not taken is still there.
func (x *Screen) said(msg saidMsg) tea.Cmd {
	// An answer for a text that was left must not close the one that is open now.
	open := x.compose != nil && x.compose.gen == msg.gen && msg.gen > 0
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	// The text goes back to being written, with the reason above it.
	case msg.err != nil && open:
		x.compose.state, x.compose.hint = composing, "not sent: "+words.RunError(msg.err)
		return nil
	case msg.err != nil && msg.text == "":
		return x.Say(draw.Danger, msg.label+": the message was not taken back: "+words.RunError(msg.err))
	case msg.err != nil:
		why := words.RunError(msg.err)
		return x.Say(draw.Danger, msg.label+": not sent: "+why+"; "+x.Called("m")+" shows your text again", "not sent, "+x.Called("m")+" shows it again: "+why)
	case open:
		return tea.Batch(x.close(), x.taken(msg))
	}
	return x.taken(msg)
}

// taken says what becomes of a message that the broker took. A draft that was changed
// meanwhile stays.
func (x *Screen) taken(msg saidMsg) tea.Cmd {
	if msg.text == "" {
		return x.Say(draw.OK, msg.label+": the message was taken back")
	}
	// What was written since belongs to another message.
	if words.Trimmed(x.unsent[msg.id]) == msg.text {
		delete(x.unsent, msg.id)
	}
	when := sessionview.WhenTold(&msg.session)
	switch {
	case msg.session.Message == nil:
		return x.Say(draw.OK, "told "+msg.label)
	case msg.session.Run != nil && msg.session.Run.Turn == broker.TurnIdle:
		return x.Say(draw.OK, msg.label+": "+when, when)
	}
	return x.Say(draw.OK, msg.label+": "+when+"; m edits it", when)
}
