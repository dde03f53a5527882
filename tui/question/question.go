// Package question is the form on the card of a call with which an agent asks its user something.
// Its answers go to the agent as the call's own input, by one enter at the end.
//
// The form stands on a card of the first screen and is open while that card has the whole screen, or
// its pane has the focus. What was answered belongs to the card (board.Card.Ask), so that a form
// which is left is still filled in when it is opened again. Here are its keys, and what each does:
// enter picks what the cursor is on, goes on to the next question, and sends on the last one.
//
// Sending lets a call go on, so it is judged as every key that allows: the end of each question must
// have been on the screen, its previews too, and a step that just came up is deaf for a moment.
package question

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

// Place is where the form stands.
type Place interface {
	// DrawnCard is the card on the screen, nil for none.
	DrawnCard() *board.Card
	// Sheet is a card laid out, and the room for it in rows.
	Sheet(c *board.Card) (d *callview.Doc, height int)
	// Scrolled is the first row of the card on the screen, which may be changed.
	Scrolled() *int
	// InForm reports whether keys are for the form on card c.
	InForm(c *board.Card) bool
	// AskReason asks why a card is declined.
	AskReason(c *board.Card) tea.Cmd
	// LeaveForm goes back to the list.
	LeaveForm()
	// Answered hands the decision about a card to the broker, and moves on.
	Answered(k guard.Drawn, d broker.Decision) tea.Cmd
}

// Form takes the keys of the form on the drawn card.
type Form struct {
	*desk.Desk
	place  Place
	opened guard.Drawn // the card whose form was open at the last settling, zero for none
}

// New makes the form of a place.
func New(d *desk.Desk, p Place) *Form { return &Form{Desk: d, place: p} }

// Settle notes whether the form on c is open, and makes the keys that decide deaf for a moment when
// it has just been opened; opened says that it was.
func (f *Form) Settle(c *board.Card) (opened bool) {
	in := guard.Drawn{}
	if f.place.InForm(c) {
		in = c.Key()
	}
	opened = in != f.opened && in != (guard.Drawn{})
	if opened {
		f.deafen()
	}
	f.opened = in
	return opened
}

// Open reports whether keys are for the form on card c.
func (f *Form) Open(c *board.Card) bool { return f.place.InForm(c) }

// deafen makes the keys that decide deaf after a move of the operator's own.
func (f *Form) deafen() {
	f.Guard.Doubt(f.At)
	f.Guard.Own = true
}

// pick moves among a question's options and picks some.
func (f *Form) pick(c *board.Card, msg tea.KeyMsg) tea.Cmd {
	a := c.Ask
	q, _ := a.Question()
	at := a.Cursor[a.Step]
	switch {
	case key.Matches(msg, Other):
		return f.other(c)
	case key.Matches(msg, Digit):
		if at = int(msg.Runes[0] - '1'); at >= len(q.Options) {
			return f.Say(draw.Muted, fmt.Sprintf("there is no option %d", at+1))
		}
		a.Pick(at)
	case key.Matches(msg, Pick) && at == callview.OwnWords(q):
		return f.other(c)
	case key.Matches(msg, Pick):
		a.Pick(at)
	default:
		a.Cursor[a.Step] = desk.Moved(msg, at, len(q.Options)+1, 0)
		a.Rev++
	}
	f.showCursor(c)
	return nil
}

// next takes enter: it picks what is not picked yet, goes on, and on the last step sends. It is
// judged as every key that decides.
func (f *Form) next(c *board.Card) tea.Cmd {
	wait, refusal := f.Guard.Press("enter", f.At)
	a := c.Ask
	switch {
	case refusal != "":
		return f.Say(draw.Warn, "… "+refusal)
	case !a.Seen[a.Step]:
		return f.Say(draw.Warn, "read to the end first: ctrl+d shows more", "read on: ctrl+d")
	case !a.Overview():
		if cmd, missing := f.missing(c); missing {
			return cmd
		}
	}
	if a.Last() {
		return f.InAMoment(wait, f.send)
	}
	f.step(c, a.Step+1)
	return nil
}

// missing says what is missing on the question on the screen; ok is false when nothing is.
func (f *Form) missing(c *board.Card) (cmd tea.Cmd, ok bool) {
	a := c.Ask
	q, answer := a.Question()
	then := "goes on"
	if a.Last() {
		then = "sends it"
	}
	at := a.Cursor[a.Step]
	switch {
	case !q.Multi && at == callview.OwnWords(q) && answer.Other == "":
		return f.other(c), true
	case !q.Multi && at < callview.OwnWords(q) && !callview.Picked(*answer, at):
		a.Pick(at)
		f.showCursor(c)
		return f.Say(draw.Text, "picked: "+draw.SafeLine(q.Options[at].Label)+" · enter "+then, "picked · enter "+then), true
	case answer.Empty():
		return f.Say(draw.Warn, "nothing is picked: space picks, o answers in your own words, "+f.Called("D")+" declines", "space picks, o: your own words"), true
	}
	if i := a.Unlooked(); i >= 0 {
		a.Cursor[a.Step] = i
		a.Rev++
		f.showCursor(c)
		return f.Say(draw.Warn, "look at its preview first, then press enter again", "look at its preview first"), true
	}
	return nil, false
}

// decline asks why c is not answered. It does so also while the keys are deaf: it decides nothing yet,
// and what is typed next must not be taken for keys.
func (f *Form) decline(c *board.Card, msg tea.KeyMsg) tea.Cmd {
	_, refusal := f.Guard.Press(msg.String(), f.At)
	switch {
	case c.Sending != "":
		return f.Say(draw.Muted, alreadySent)
	case f.Guard.Burst():
		return f.Say(draw.Warn, "… "+refusal)
	}
	return f.place.AskReason(c)
}

func (f *Form) back(c *board.Card) {
	if c.Ask.Step > 0 {
		f.step(c, c.Ask.Step-1)
		return
	}
	f.place.LeaveForm()
}

// step shows another step. What decides stays deaf for a moment, as for a new card.
func (f *Form) step(c *board.Card, step int) {
	c.Ask.GoTo(step)
	*f.place.Scrolled() = 0
	f.deafen()
}

// showCursor scrolls so that the option with the cursor is on the screen, and the top of the
// question or its end where they have room too.
func (f *Form) showCursor(c *board.Card) {
	d, height := f.place.Sheet(c)
	scroll := f.place.Scrolled()
	q, _ := c.Ask.Question()
	from, to := d.At, d.AtEnd
	if c.Ask.Cursor[c.Ask.Step] == 0 && to <= height {
		from = 0
	}
	if c.Ask.Cursor[c.Ask.Step] == callview.OwnWords(q) && d.CallEnd-from <= height {
		to = d.CallEnd
	}
	if to > *scroll+height {
		*scroll = to - height
	}
	*scroll = min(*scroll, from)
}

// other takes the operator's own words.
func (f *Form) other(c *board.Card) tea.Cmd {
	k, step := c.Key(), c.Ask.Step
	_, answer := c.Ask.Question()
	f.Read(desk.Line{
		Lead: "other: ", Help: "enter keeps it · esc cancels", Text: answer.Other,
		Send: func(text string) tea.Cmd { return f.keep(k, step, text) },
	})
	return nil
}

func (f *Form) keep(k guard.Drawn, step int, text string) tea.Cmd {
	c := f.place.DrawnCard()
	if c == nil || c.Key() != k || c.Ask == nil || c.Ask.Step != step || c.Sending != "" {
		return f.Say(draw.Warn, "this question is no longer on the screen: nothing was kept")
	}
	c.Ask.Say(strings.TrimSpace(text))
	f.showCursor(c)
	return nil
}

// send sends the answers of the form on the drawn card, as the call's own input.
func (f *Form) send() tea.Cmd {
	c := f.place.DrawnCard()
	if !f.place.InForm(c) || c.Sending != "" {
		return f.Say(draw.Warn, "this question no longer waits: nothing was sent")
	}
	k := c.Key()
	filled, err := c.Ask.Form.Fill(c.Ask.Answers)
	if err != nil {
		return f.Say(draw.Warn, draw.SafeLine(err.Error())+": nothing was sent")
	}
	return f.place.Answered(k, broker.Decision{Verdict: broker.Allow, By: f.Operator, UpdatedInput: filled, Digest: k.Digest})
}
