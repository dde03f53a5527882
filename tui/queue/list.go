package queue

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/sheet"
)

// list is which of the calls that wait is selected, and where it stands.
type list struct {
	*desk.Desk
	sheets   *sheet.Sheets
	newcomer newcomer
	selected string // id of the selected card
	top      int    // first listed card on the screen
	at       int    // the selected card's place, when it was last there
	went     string // id of the card that the key just pressed moved to
	line     Quiet  // beside nothing that waits
}

// card is the selected card, nil when there is none.
func (x *list) card() *board.Card {
	c := x.Board.Cards[x.selected]
	if x.Board.Place(c) < 0 {
		return nil
	}
	return c
}

// place is where the selected card stands in the list.
func (x *list) place() int { return x.Board.Place(x.card()) }

// selectRow selects the card at place i of the list, or the one nearest to it.
func (x *list) selectRow(i int) {
	n := x.Board.Rows()
	if n == 0 {
		x.selected = ""
		return
	}
	x.selected = x.Board.Row(min(max(i, 0), n-1)).Req.ID
}

// goTo is selectRow for a move of the operator's own.
func (x *list) goTo(i int) {
	x.selectRow(i)
	x.went = x.selected
}

// mouse goes some cards on, or else to the one that was clicked on.
func (x *list) mouse(l layout, msg tea.MouseMsg, step int) {
	if step != 0 {
		x.goTo(x.place() + step)
		return
	}
	_, height := l.Inner(l.queue, 0)
	if y := msg.Y - l.queue.Y - 1; y >= 0 && y < height && x.top+y < x.Board.Rows() {
		x.goTo(x.top + y)
	}
}

// keep selects the card that took the selected one's place when that one is no longer listed. One that
// is listed stays selected whatever arrives, a late one too: an arrival must never move what a key
// decides. So the card of a late call says how many wait, and which key goes on to them.
// ended is the call that was selected, when it is known how it ended; else its Outcome is nil.
func (x *list) keep() (ended broker.Request) {
	if at := x.place(); at >= 0 {
		x.at = at
		return ended
	}
	had := x.selected
	x.selectRow(x.at)
	x.at = max(0, x.place())
	for _, r := range x.Board.Recent {
		if had != "" && r.ID == had {
			return r
		}
	}
	return ended
}

// next is the place of the listed call that waits and comes next, from the top again behind the last one;
// n is how many wait for an answer.
func (x *list) next() (at, n int) {
	selected, first, behind := x.place(), -1, -1
	for i, c := range x.Board.Shown {
		if c.Sending != "" || c.PutOff() {
			continue
		}
		if n++; first < 0 {
			first = i
		}
		if behind < 0 && i > selected {
			behind = i
		}
	}
	if behind >= 0 {
		return behind, n
	}
	return first, n
}

// moveOn selects the neighbour that nobody has decided yet: the next one that waits, else the one
// before, else a late one.
func (x *list) moveOn() {
	at, waiting := x.place(), len(x.Board.Shown)
	for i := at + 1; i < waiting; i++ {
		if x.selectOpen(i) {
			return
		}
	}
	for i := min(at, waiting) - 1; i >= 0; i-- {
		if x.selectOpen(i) {
			return
		}
	}
	for i := waiting; i < x.Board.Rows(); i++ {
		if x.selectOpen(i) {
			return
		}
	}
}

// selectOpen selects the card at place i, unless it was decided already.
func (x *list) selectOpen(i int) bool {
	if x.Board.Row(i).Sending != "" {
		return false
	}
	x.selectRow(i)
	return true
}

// passed moves on from the card of that id, if it is the selected one.
func (x *list) passed(id string) {
	if x.selected == id {
		x.moveOn()
	}
}

// drop takes a card away and keeps the place.
func (x *list) drop(c *board.Card) {
	at := x.place()
	x.Board.Drop(c)
	if x.card() == nil {
		x.selectRow(at)
	}
}

func (x *list) filterBy(f board.Filter) {
	at := x.place()
	x.Board.SetFilter(f)
	if x.card() == nil {
		x.selectRow(at)
	}
}

// settle keeps the selected card on the screen, and notes which calls are there as a whole.
func (x *list) settle(l layout, drawn bool) {
	width, height := l.Inner(l.queue, 0)
	x.top = desk.Window(x.top, x.place(), height, x.Board.Rows())
	if !drawn || l.queue.H <= 0 {
		return
	}
	cols := x.columns(width, x.top, min(x.top+height, x.Board.Rows()))
	for i := x.top; i < min(x.top+height, len(x.Board.Shown)); i++ {
		if c := x.Board.Row(i); !c.SeenRow {
			c.SeenRow = x.rowTells(c, cols, width)
		}
	}
}

// view draws the calls that wait, worst risk first and then oldest, and the late
// ones below. When there are none it shows what was decided last.
func (x *list) view(l layout, a draw.Area, focus bool) []string {
	width, height := l.Inner(a, 0)
	b := x.Board
	off := b.Waiting.PutOff()
	f := draw.Caption{Title: "Waiting " + figures.Count(len(b.Waiting)-off), Focus: focus}
	if b.Filter.Active() {
		f.Title = fmt.Sprintf("Waiting %s of %s", figures.Count(len(b.Shown)), figures.Count(len(b.Waiting)))
	} else if off > 0 {
		f.Title += " · deferred " + figures.Count(off)
	}
	f.Note, f.NoteInk = x.note()
	if b.Rows() == 0 {
		return l.Framed(a, f, 0, x.quiet(width, height))
	}
	to := min(x.top+height, b.Rows())
	cols := x.columns(width, x.top, to)
	f.Right = cols.heads()
	if n := b.Rows(); n > height && height > 0 {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(x.top+1), figures.Count(to), figures.Count(n)) + " ─ " + cols.heads()
	}
	rows := make([]string, 0, height)
	for i := x.top; i < to; i++ {
		rows = append(rows, x.row(b.Row(i), cols, width))
	}
	if l.beside { // the list has all rows of a wide window, and seldom needs them
		rows = append(rows, x.before(width, height-len(rows))...)
	}
	return l.Framed(a, f, 0, rows)
}

// note says what is special about the listed calls.
func (x *list) note() (string, draw.Ink) {
	b := x.Board
	var notes []string
	i := draw.Muted
	if n := len(b.Marks); n > 0 {
		notes, i = append(notes, figures.Count(n)+" marked"), draw.Key
	}
	if n := b.Shown.Dangerous(); n > 0 {
		notes, i = append(notes, figures.Count(n)+" dangerous"), draw.Danger
	}
	if n := x.elsewhereNote(); n != "" {
		notes, i = append(notes, n), max(i, draw.Warn)
	}
	if b.Filter.Active() {
		notes = append(notes, x.filterText())
	}
	return strings.Join(notes, " · "), i
}

func (x *list) filterText() string {
	f := x.Board.Filter
	text := ""
	if f.SessionID != "" {
		text = "of " + x.Board.Label(f.SessionID)
	}
	if m := x.Board.Fleet.By(f.Machine); m != nil {
		text = "of " + m.Label
	}
	if f.Text != "" {
		if text != "" {
			text += " "
		}
		text += "/" + draw.SafeLine(f.Text)
	}
	return text
}
