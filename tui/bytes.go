package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/safe"
)

// maxDump is how much of one value the bytes screen lists, bytes.
const maxDump = 64 << 10

// openBytes shows the exact bytes of a call, nil when there is none.
func (m *model) openBytes(r *broker.Request) tea.Cmd {
	if r == nil {
		return m.say(inkMuted, "nothing is selected")
	}
	m.bytesOf, m.bytesFrom, m.bytesScroll = *r, m.screen, 0
	m.screen = screenBytes
	return nil
}

func (m *model) bytesKey(msg tea.KeyMsg) tea.Cmd {
	width, _ := m.room()
	m.bytesScroll = m.scrolled(msg, m.bytesScroll, len(m.bytesDoc(width).rows))
	return nil
}

// bytesDoc lays out what the drawn call stands for: of each value what in it is not
// plain, by name, and then every byte.
func (m *model) bytesDoc(width int) *doc {
	r := m.bytesOf
	return m.docs.get(docKey{id: "bytes " + r.ID, width: width}, func() *doc {
		d := &doc{paper: *m.st.paper(width), title: safeLine(r.ToolName) + ": exact bytes"}
		d.value("folder", r.CWD)
		fields, err := wire.Fields(r.ToolInput)
		if err != nil {
			d.value("input", string(r.ToolInput))
			return d
		}
		for _, f := range fields {
			d.value(f.Key, decoded(f.Value))
		}
		return d
	})
}

// decoded is a string without its JSON, and any other value as it was sent.
func decoded(raw json.RawMessage) string {
	if s, ok := stringValue(raw); ok {
		return s
	}
	return string(raw)
}

// value lists one value.
func (d *doc) value(name, text string) {
	if len(d.rows) > 0 {
		d.blank()
	}
	d.write(gutter{}, inkLabel, name)
	d.say(inkMuted, fmt.Sprintf("%s, %s, %s", plural(len(text), "byte"), plural(utf8.RuneCountInString(text), "character"), plural(countLines(text), "line")))
	for _, s := range safe.Specials(text) {
		where := fmt.Sprintf("at %d  ", s.At)
		if s.Times > 1 {
			where = fmt.Sprintf("%d times, first at %d  ", s.Times, s.At)
		}
		d.sayBehind(inkWarn, where, cells(where), inkText, s.Name)
	}
	for _, n := range safe.Notes(text) {
		d.say(inkWarn, n)
	}
	d.dump(text[:min(len(text), maxDump)])
	if more := len(text) - maxDump; more > 0 {
		d.say(inkWarn, plural(more, "more byte")+" are not listed here")
	}
}

// dump lists bytes as hexadecimal numbers, beside those that are plain ASCII.
func (d *doc) dump(text string) {
	per := 16
	if d.width < 78 {
		per = 8
	}
	for at := 0; at < len(text); at += per {
		part := text[at:min(at+per, len(text))]
		var ascii strings.Builder
		row := d.st.row(d.width).put(inkMuted, fmt.Sprintf("%06x  ", at))
		for i := range len(part) {
			i2, c := inkText, part[i]
			if c < ' ' || c >= 0x7f {
				i2, c = inkWarn, '.'
			}
			ascii.WriteByte(c)
			row.put(i2, fmt.Sprintf("%02x", part[i])).put(inkText, " ")
		}
		d.add(row.to(9+3*per).put(inkMuted, ascii.String()))
	}
}

func (m *model) bytesView(l layout, a area) []string {
	width, height := l.inner(a, 1)
	d := m.bytesDoc(width)
	top := max(0, min(m.bytesScroll, len(d.rows)-height))
	f := caption{title: d.title, right: position(top, height, d), focus: true}
	return m.frame(l, a, f, 1, d.rows[min(top, len(d.rows)):min(top+height, len(d.rows))])
}
