package editcall

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

// The keys of the screen. They are those of a card, so that nobody has to learn others
// for this.
var (
	allowKey   = desk.Bind("a", "allow the call with the edited input", "a")
	againKey   = desk.Bind("e", "edit it again", "e")
	asAskedKey = desk.Bind("u", "give the edited input up: the call as it was asked", "u")
	backKey    = desk.Bind("esc", "back to the call; the edited input is kept", "esc", "ctrl+c")
	denyKey    = desk.Bind("d", "", "d", "D")
)

// Writes reports whether every key is for this screen, as it comes: always while it is
// open.
func (x *Screen) Writes() bool { return x.edit != nil }

// Write takes a key. While the editor has the terminal, and until it was seen to give
// it back, keys are not for us. tookBack says that the guard took the key for one of a
// burst.
func (x *Screen) Write(msg tea.KeyMsg, tookBack bool) tea.Cmd {
	e := x.edit
	if e.state == editOpen {
		return nil
	}
	digit := e.digit(msg)
	switch {
	// A paste may hold an a. It neither allows nor edits.
	case msg.Paste || len(msg.Runes) > 1:
		x.Guard.Doubt(x.At)
		return x.Say(draw.Warn, "pasted text and bursts of keys never decide: nothing was done", "pasted or a burst: nothing was done")
	// Keys that decide are left to the guard, which words its own refusal.
	case tookBack && digit == "" && !key.Matches(msg, allowKey):
		x.Guard.Doubt(x.At)
		return x.Say(draw.Warn, "keys came too fast to be typed: nothing was decided", "too fast: nothing was decided")
	case e.state == editSending:
		return x.Say(draw.Muted, "already sent; waiting for the record")
	case key.Matches(msg, backKey):
		return x.backOut()
	case digit != "":
		return x.typeDigit(digit)
	case key.Matches(msg, allowKey):
		return x.allow(msg.String())
	case key.Matches(msg, againKey):
		return x.editAgain()
	case key.Matches(msg, asAskedKey):
		return x.asAsked()
	case key.Matches(msg, denyKey):
		return x.Say(draw.Muted, "esc goes back to the call; there it can be denied")
	}
	width, height := x.Inner()
	rows, _ := x.rows(width)
	e.top = desk.Scrolled(msg, e.top, len(rows), height)
	return nil
}

// asAsked gives the edited input up. The draft goes as well.
func (x *Screen) asAsked() tea.Cmd {
	delete(x.drafts, x.edit.card.Digest)
	x.close()
	x.Guard.Doubt(x.At)
	return x.Say(draw.Muted, "the edited input is gone: the call waits as it was asked")
}

// backOut goes back to the card and keeps the draft.
func (x *Screen) backOut() tea.Cmd {
	gone := x.edit.gone
	x.leave()
	if gone != "" {
		return nil
	}
	return x.Say(draw.Muted, "back to the call as it was asked; "+x.Called("e")+" shows what you edited again", x.Called("e")+" shows what you edited again")
}

// editAgain opens the editor on the edited text.
func (x *Screen) editAgain() tea.Cmd {
	wait, refusal := x.Guard.Press("e", x.At)
	if refusal != "" {
		return x.Say(draw.Warn, "… too fast: look first, then press "+x.Called("e")+" again")
	}
	gen := x.edit.gen
	return x.inAMoment(wait, func() tea.Cmd {
		if e := x.edit; e == nil || e.gen != gen || e.state == editSending {
			return nil
		}
		return x.runEditor()
	})
}

// mayAllow says why the edited call cannot be allowed now, and how gravely; "" when it
// can. It is asked when the key is pressed and once more when its moment is over.
func (x *Screen) mayAllow() (draw.Ink, string) {
	e := x.edit
	// The card is looked up each time: it may have ended since the question was drawn.
	switch c := x.Board.Cards[e.card.ID]; {
	case e.gone != "":
		return draw.Warn, "nothing to allow: this call " + e.gone
	case c == nil || c.Late():
		return draw.Warn, "this call is no longer waiting"
	case c.Sending != "":
		return draw.Muted, "already sent; waiting for the record"
	case x.Board.MachineOf(c).Out():
		return draw.Warn, x.Fitting(x.Board.MachineOf(c).Refuses(x.At, x.Called("d"))...)
	case e.state != editAsking:
		return draw.Muted, "there is nothing to allow yet"
	case x.Small:
		return draw.Warn, x.TooSmallText()
	case e.judged.Deny != "":
		return draw.Danger, "a rule refuses this: e edits again, esc goes back"
	case !e.seen:
		return draw.Warn, "read to the end to allow: G or ctrl+d"
	}
	return draw.Text, ""
}

// allow takes the key that allows the call with its new input. A dangerous one takes
// its digits instead.
func (x *Screen) allow(name string) tea.Cmd {
	wait, refusal := x.Guard.Press(name, x.At)
	if refusal != "" {
		return x.Say(draw.Warn, "… "+refusal)
	}
	// The guard is asked first, because it counts every press, also those that could
	// not act.
	if i, why := x.mayAllow(); why != "" {
		return x.Say(i, why)
	}
	if code := x.edit.code; code != "" {
		return x.Say(draw.Danger, "dangerous: type "+code+" to allow it as you edited it", "dangerous: type "+code+" to allow")
	}
	return x.inAMoment(wait, x.send)
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

// typeDigit takes a digit of the code; both must pass the guard. The first one holds
// for a short time, and then it has to be typed again.
func (x *Screen) typeDigit(digit string) tea.Cmd {
	e := x.edit
	first, wait, refusal := x.Guard.Digit(digit, x.At)
	if refusal != "" {
		return x.Say(draw.Warn, "… "+refusal)
	}
	if i, why := x.mayAllow(); why != "" {
		return x.Say(i, why)
	}
	switch {
	case first == "" && digit == e.code[:1]:
		x.Guard.Begin(digit, x.At)
		return tea.Tick(guard.CodeFor, func(time.Time) tea.Msg { return awakeMsg{} })
	case first != "" && first+digit == e.code:
		return x.inAMoment(wait, x.send)
	}
	return x.Say(draw.Warn, "that is not the code of this call: type "+e.code+" to allow it, esc goes back", "wrong digit: "+e.code+" allows")
}

// inAMoment does what a key asks for unless another key comes right behind it.
func (x *Screen) inAMoment(wait time.Duration, do func() tea.Cmd) tea.Cmd {
	return x.Guard.Hold(guard.Held{Do: do}, wait, x.At)
}
