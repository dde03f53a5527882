package tui

import (
	"strings"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// View draws the window: exactly its height in rows, none wider than it.
func (m *model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	rows := m.head()
	body, low := m.layout()
	strip, _ := m.strip()
	if body.H > 0 || low.H == 0 {
		rows = append(rows, m.drawn(m.covering(), body)...)
	}
	if low.H > 0 {
		rows = append(rows, m.drawn(strip, low)...)
		m.at(body) // what comes next asks the screen above the strip
	}
	rows = append(rows, m.footer())
	if len(rows) > m.height { // a window of one or two rows
		rows = rows[len(rows)-m.height:]
	}
	return strings.Join(rows, "\n")
}

// drawn is a screen in its area, which the desk tells it too.
func (m *model) drawn(s desk.Screen, a draw.Area) []string {
	m.at(a)
	return s.View(a.W, a.H)
}

// footer is the last row: a prompt, a sentence, or the keys.
func (m *model) footer() string {
	r := m.Styles.Row(m.width)
	switch {
	case m.prompt != nil:
		return m.promptView()
	case m.Told() && !m.note.brief(m.width):
		return r.Put(draw.Text, " ").Fit(m.note.ink, m.note.text, m.width-2).To(m.width).String()
	case m.Small && (m.open() == nil || m.open() == m.rooms[desk.EditCall]):
		return r.Put(draw.Text, " ").Fit(draw.Warn, m.TooSmallText(), m.width-2).To(m.width).String()
	}
	width := m.width
	if m.Told() {
		width -= draw.Cells(m.note.text) + 2
	}
	r = m.keyLine(r.Put(draw.Text, " "), m.hints(), width)
	if m.Told() {
		r.Right(m.note.ink, m.note.text, m.width-1)
	}
	return r.To(m.width).String()
}

// keyLine draws keys as long as there is room in width cells; the last one always has.
func (m *model) keyLine(r *draw.Row, list []desk.Key, width int) *draw.Row {
	if len(list) == 0 {
		return r
	}
	last := list[len(list)-1]
	room := width - 1 - draw.Cells(" · "+m.chosen.call(last.Named())+" "+last.Short)
	sep := ""
	for i, k := range list {
		name := m.chosen.call(k.Named()) // as the operator has it
		if i == len(list)-1 {
			room = width - 1
		}
		if r.Width+draw.Cells(sep+name+" "+k.Short) > room {
			continue
		}
		keyInk, doesInk := draw.Key, draw.Muted
		if k.Faint || k.Why != "" {
			keyInk, doesInk = draw.Faint, draw.Faint
		}
		r.Put(draw.Faint, sep).Put(keyInk, name).Put(doesInk, " "+k.Short)
		sep = " · "
	}
	return r
}

// hints are the keys worth naming now: those of the topmost screen, and those of the root that are
// about its subject.
func (m *model) hints() []desk.Key {
	var list []desk.Key
	for _, k := range m.topmost().Keys() {
		if k.Short != "" {
			list = append(list, k)
		}
	}
	s := m.open()
	if s == nil {
		return list
	}
	back := desk.Key{Binding: actionKey("back"), Short: "back"}
	if writes(s) { // no key of the root acts
		if n := len(list); n == 0 || list[n-1].Named() != back.Named() {
			list = append(list, back)
		}
		return list
	}
	on := s.Subject()
	for _, o := range table {
		if o.short != "" && s != m.rooms[o.name] && o.needs == needsSession && on.Session != "" {
			list = append(list, desk.Key{Binding: o.key, Short: o.short})
		}
	}
	if on.Call != nil {
		list = append(list, desk.Key{Binding: actionKey("copy"), Short: "copy"})
	}
	return append(list, desk.Key{Binding: actionKey("help"), Short: "help"}, back)
}
