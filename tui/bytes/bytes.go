// Package bytes is the screen with the exact bytes of a call: of each value what in it
// is not plain text, by name and place, and then every byte as a number. Who doubts
// what a card draws looks here.
//
// It shows the input as the agent sent it, before anything was made of it, and decides
// nothing.
package bytes

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// maxDump is how much of one value the bytes screen lists, bytes. What is left out is
// counted.
const maxDump = 64 << 10

// Screen is the bytes of one call.
type Screen struct {
	*desk.Desk
	call broker.Request
	top  int
	doc  *callview.Doc // the call laid out for one width
}

// New makes the screen.
func New(d *desk.Desk) *Screen { return &Screen{Desk: d} }

// Opens shows the bytes of a call, which must not be nil. The call is copied, so it
// stays what it was when others come.
func (b *Screen) Opens(on desk.Subject) tea.Cmd {
	b.call, b.top, b.doc = *on.Call, 0, nil
	return nil
}

// Subject is the call.
func (b *Screen) Subject() desk.Subject {
	return desk.Subject{Session: b.call.SessionID, Call: &b.call}
}

// Keys scroll.
func (b *Screen) Keys() []desk.Key { return b.Scrolls(&b.top, b.length) }

// Update keeps the place.
func (b *Screen) Update(msg tea.Msg) tea.Cmd {
	b.Scroll(msg, &b.top, b.length)
	return nil
}

func (b *Screen) length() int { return len(b.laidOut().Rows) }

// View draws the rows in sight.
func (b *Screen) View(_, _ int) []string {
	d := b.laidOut()
	_, height := b.Inner()
	return b.Framed(draw.Caption{Title: d.Title, Right: desk.Position(b.top, height, len(d.Rows))}, d.Rows, b.top)
}

// laidOut is the call laid out for the width that the screen has.
func (b *Screen) laidOut() *callview.Doc {
	width, _ := b.Inner()
	if b.doc == nil || b.doc.Width != width {
		b.doc = layOut(b.Styles, b.call, width)
	}
	return b.doc
}

// layOut lists what a call stands for: of each value what in it is not plain, by name,
// and then every byte. An input that is no object is listed as one value.
func layOut(st *draw.Styles, r broker.Request, width int) *callview.Doc {
	d := &callview.Doc{Paper: *st.Paper(width), Title: draw.SafeLine(r.ToolName) + ": exact bytes"}
	value(d, "folder", r.CWD)
	fields, err := wire.Fields(r.ToolInput)
	if err != nil {
		value(d, "input", string(r.ToolInput))
		return d
	}
	for _, f := range fields {
		value(d, f.Key, decoded(f.Value))
	}
	return d
}

// decoded is a string without its JSON, and any other value as it was sent.
func decoded(raw json.RawMessage) string {
	if s, ok := change.StringValue(raw); ok {
		return s
	}
	return string(raw)
}

// value lists one value.
func value(d *callview.Doc, name, text string) {
	if len(d.Rows) > 0 {
		d.Blank()
	}
	d.Write(draw.Gutter{}, draw.Label, name)
	d.Say(draw.Muted, fmt.Sprintf("%s, %s, %s", figures.Plural(len(text), "byte"), figures.Plural(utf8.RuneCountInString(text), "character"), figures.Plural(draw.CountLines(text), "line")))
	for _, s := range safe.Specials(text) {
		// A place is a number of bytes from the value's beginning, as the dump counts
		// them.
		where := fmt.Sprintf("at %d  ", s.At)
		if s.Times > 1 {
			where = fmt.Sprintf("%d times, first at %d  ", s.Times, s.At)
		}
		d.SayBehind(draw.Warn, where, draw.Cells(where), draw.Text, s.Name)
	}
	for _, n := range safe.Notes(text) {
		d.Say(draw.Warn, n)
	}
	dump(d, text[:min(len(text), maxDump)])
	if more := len(text) - maxDump; more > 0 {
		d.Say(draw.Warn, figures.Plural(more, "more byte")+" are not listed here")
	}
}

// dump lists bytes as hexadecimal numbers, beside those that are plain ASCII.
func dump(d *callview.Doc, text string) {
	per, place := dumped(d.Width)
	for at := 0; at < len(text); at += per {
		part := text[at:min(at+per, len(text))]
		var ascii strings.Builder
		row := d.Styles.Row(d.Width).Put(draw.Muted, fmt.Sprintf(place, at))
		end := row.Width + 3*per
		for i := range len(part) {
			// Bytes that are no plain ASCII have another ink in the numbers as well.
			ink, c := draw.Text, part[i]
			if c < ' ' || c >= 0x7f {
				ink, c = draw.Warn, '.'
			}
			ascii.WriteByte(c)
			row.Put(ink, fmt.Sprintf("%02x", part[i])).Put(draw.Text, " ")
		}
		d.Add(row.To(end).Put(draw.Muted, ascii.String()))
	}
}

// dumped is how many bytes a row lists in so many cells, and how their place is
// written: four cells a byte, with its sign.
func dumped(width int) (per int, place string) {
	switch {
	case width >= 8+4*16:
		return 16, "%06x  "
	case width >= 8+4*8:
		return 8, "%06x  "
	case width >= 5+4*8:
		return 8, "%04x "
	}
	return 4, "%04x "
}
