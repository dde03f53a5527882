package tui

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
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// maxDump is how much of one value the bytes screen lists, bytes.
const maxDump = 64 << 10

// openBytes shows the exact bytes of a call, nil when there is none.
func (m *model) openBytes(r *broker.Request) tea.Cmd {
	if r == nil {
		return m.say(draw.Muted, "nothing is selected")
	}
	m.bytesOf, m.bytesFrom, m.bytesScroll = *r, m.screen, 0
	m.screen = screenBytes
	return nil
}

func (m *model) bytesKey(msg tea.KeyMsg) tea.Cmd {
	width, _ := m.room()
	m.bytesScroll = m.scrolled(msg, m.bytesScroll, len(m.bytesDoc(width).Rows))
	return nil
}

// bytesDoc lays out what the drawn call stands for: of each value what in it is not
// plain, by name, and then every byte.
func (m *model) bytesDoc(width int) *callview.Doc {
	r := m.bytesOf
	return m.docs.get(docKey{id: "bytes " + r.ID, width: width}, func() *callview.Doc {
		d := &callview.Doc{Paper: *m.st.Paper(width), Title: draw.SafeLine(r.ToolName) + ": exact bytes"}
		bytesValue(d, "folder", r.CWD)
		fields, err := wire.Fields(r.ToolInput)
		if err != nil {
			bytesValue(d, "input", string(r.ToolInput))
			return d
		}
		for _, f := range fields {
			bytesValue(d, f.Key, decoded(f.Value))
		}
		return d
	})
}

// decoded is a string without its JSON, and any other value as it was sent.
func decoded(raw json.RawMessage) string {
	if s, ok := change.StringValue(raw); ok {
		return s
	}
	return string(raw)
}

// bytesValue lists one value.
func bytesValue(d *callview.Doc, name, text string) {
	if len(d.Rows) > 0 {
		d.Blank()
	}
	d.Write(draw.Gutter{}, draw.Label, name)
	d.Say(draw.Muted, fmt.Sprintf("%s, %s, %s", figures.Plural(len(text), "byte"), figures.Plural(utf8.RuneCountInString(text), "character"), figures.Plural(draw.CountLines(text), "line")))
	for _, s := range safe.Specials(text) {
		where := fmt.Sprintf("at %d  ", s.At)
		if s.Times > 1 {
			where = fmt.Sprintf("%d times, first at %d  ", s.Times, s.At)
		}
		d.SayBehind(draw.Warn, where, draw.Cells(where), draw.Text, s.Name)
	}
	for _, n := range safe.Notes(text) {
		d.Say(draw.Warn, n)
	}
	bytesDump(d, text[:min(len(text), maxDump)])
	if more := len(text) - maxDump; more > 0 {
		d.Say(draw.Warn, figures.Plural(more, "more byte")+" are not listed here")
	}
}

// bytesDump lists bytes as hexadecimal numbers, beside those that are plain ASCII.
func bytesDump(d *callview.Doc, text string) {
	per := 16
	if d.Width < 78 {
		per = 8
	}
	for at := 0; at < len(text); at += per {
		part := text[at:min(at+per, len(text))]
		var ascii strings.Builder
		row := d.Styles.Row(d.Width).Put(draw.Muted, fmt.Sprintf("%06x  ", at))
		for i := range len(part) {
			i2, c := draw.Text, part[i]
			if c < ' ' || c >= 0x7f {
				i2, c = draw.Warn, '.'
			}
			ascii.WriteByte(c)
			row.Put(i2, fmt.Sprintf("%02x", part[i])).Put(draw.Text, " ")
		}
		d.Add(row.To(9+3*per).Put(draw.Muted, ascii.String()))
	}
}

func (m *model) bytesView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	d := m.bytesDoc(width)
	top := max(0, min(m.bytesScroll, len(d.Rows)-height))
	f := draw.Caption{Title: d.Title, Right: position(top, height, d), Focus: true}
	return l.Framed(a, f, 1, d.Rows[min(top, len(d.Rows)):min(top+height, len(d.Rows))])
}
