package queue

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/question"
	"github.com/aoctl/aoctl/tui/sheet"
	"github.com/aoctl/aoctl/tui/words"
)

// reader is the drawn call: how far it is scrolled, and what has been on the screen.
type reader struct {
	*desk.Desk
	sheets *sheet.Sheets
	setup  *Setup
	form   *question.Form
	scroll int  // first row of the call on the screen
	own    bool // a key of the operator's own brought it there
}

// settle takes in which card is going to be drawn, and notes when its end is on the screen. What a
// new one would change is read.
func (x *reader) settle(c *board.Card, own bool, width, height int) tea.Cmd {
	if c == nil {
		x.own = false
		return nil
	}
	var cmd tea.Cmd
	if c.Key() != x.Guard.Drawn {
		x.scroll, x.own = 0, own
		c.WantForm()
		cmd = x.wantFiles(c)
		if c.Dangerous() && c.Code == "" {
			c.Code = x.setup.NewCode()
		}
	}
	if x.form.Settle(c) {
		x.own = true
	}
	d := x.sheet(c, width)
	x.scroll = max(0, min(x.scroll, len(d.Rows)-height))
	if height > 0 && x.scroll+height >= d.CallEnd {
		c.SeenEnd = true
		if c.Ask != nil {
			c.Ask.Note()
		}
	}
	return cmd
}

// sheet is card c laid out.
func (x *reader) sheet(c *board.Card, width int) *callview.Doc {
	k := sheet.Key{ID: c.Req.ID, Width: width}
	in := x.form.Open(c)
	if c.Ask != nil && !c.Late() {
		k.Form = 2*c.Ask.Rev + 1
		if in {
			k.Form++
		}
	}
	return x.sheets.Get(k, func() *callview.Doc {
		a := x.sheets.Around(c.Req)
		a.Sections, a.Rest, a.PlanFile = c.Sections, c.Rest, c.PlanFile()
		if k.Form > 0 {
			a.Ask, a.InForm = c.Ask, in
		}
		return callview.LayOutLater(x.Styles, c.Req, a, width)
	})
}

// locked reports whether c cannot be allowed because its end was not on the screen.
func locked(c *board.Card) bool { return !c.SeenEnd }

// Sheet is a card laid out, and the room for it in rows.
func (q *Screen) Sheet(c *board.Card) (d *callview.Doc, height int) {
	l := q.layout()
	width, height := l.Inner(l.detail, 1)
	return q.reader.sheet(c, width), height
}

// Scrolled is the first row of the drawn call on the screen.
func (q *Screen) Scrolled() *int { return &q.reader.scroll }

// drawnDoc is the drawn call laid out; nil when there is none.
func (q *Screen) drawnDoc() *callview.Doc {
	c := q.DrawnCard()
	if c == nil {
		return nil
	}
	d, _ := q.Sheet(c)
	return d
}

// shrinking is a bar of the time that is left, while that is less than two minutes; else "".
func shrinking(c *board.Card, now time.Time) string {
	const cells, from = 12, 2 * time.Minute
	left := c.Req.ExpiresAt.Sub(now)
	if c.Late() || c.PutOff() || left <= 0 || left >= from {
		return ""
	}
	n := int(left*cells/from) + 1
	return strings.Repeat("█", n) + strings.Repeat("░", cells-n)
}

// nextOf says of c, which is late, how many calls wait and which key goes on to them; else "".
func (q *Screen) nextOf(c *board.Card) string {
	if !c.Late() {
		return ""
	}
	_, n := q.list.next()
	if n == 0 {
		return ""
	}
	return q.Called("N") + " next of " + figures.Count(n) + " waiting"
}

// edgeCells is what the upper edge of a stacked frame takes beside its texts, cells.
const edgeCells = 9

// heldNote says of c, which a freeze holds, that it still ends, as far as there is room.
func heldNote(c *board.Card, now time.Time, room int) string {
	left := figures.Left(c.Req.ExpiresAt.Sub(now))
	for _, text := range []string{"frozen · refused in " + left, "frozen · " + left + " left"} {
		if draw.Cells(text) <= room {
			return text
		}
	}
	return "frozen"
}

// detailView draws the selected call.
func (q *Screen) detailView(l layout, a draw.Area) []string {
	if a.H <= 0 {
		return nil
	}
	width, height := l.Inner(a, 1)
	c := q.DrawnCard()
	if c == nil {
		f := draw.Caption{Title: "Call", Focus: q.focus == paneDetail}
		i, text := draw.Muted, "nothing waits"
		if q.list.card() != nil {
			i, text = draw.Warn, q.noRoom()
		}
		return l.Framed(a, f, 1, []string{q.Styles.Row(width).Fit(i, text, width).To(width).String()})
	}
	d, scroll := q.reader.sheet(c, width), q.reader.scroll
	f := draw.Caption{
		Title: d.Title, Note: d.Note, Right: callview.Position(scroll, height, d),
		Focus: q.focus == paneDetail || q.full,
	}
	f.Below, f.BelowInk = words.Standing(c, q.At)
	f.BelowMore = words.NoLonger(c, q.At)
	if far, ink := standsFar(q.Desk, c); far != "" {
		f.Below, f.BelowInk, f.BelowMore = far, ink, " · "+f.Below+f.BelowMore
		if l.Stacked {
			f.Note, f.NoteInk = q.Board.MachineOf(c).Briefly(q.At), ink
		}
	}
	if text := q.nextOf(c); f.Note == "" && text != "" {
		f.Note, f.NoteInk = text, draw.Key
	}
	if bar := shrinking(c, q.At); bar != "" {
		f.Below += " " + bar
	}
	if l.Stacked && !c.Held() && f.Note == "" { // such a frame has no lower edge
		f.Note = "asked " + figures.Clock(q.At.Sub(c.Req.CreatedAt)) + " ago"
	}
	if more := d.CallEnd - scroll - height; (locked(c) || c.Ask.Unread()) && more > 0 {
		f.BelowRight = "▼ " + figures.Plural(more, "more row")
		if l.Stacked {
			f.Right = f.BelowRight
		}
	}
	if l.Stacked && c.Held() {
		f.Note, f.NoteInk = heldNote(c, q.At, a.W-draw.Cells(f.Title+f.Right)-edgeCells), draw.Frozen
	}
	return l.Framed(a, f, 1, d.Look(scroll, scroll+height))
}
