package text

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/draw"
)

// LabelWidth is how many cells the name of a form's field takes, with the bar before
// it.
const LabelWidth = 11

// IsText reports whether msg is a letter, a sign or a blank.
func IsText(msg tea.KeyMsg) bool { return msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace }

// Mark is what stands before a field's name: a bar when it has the focus, so that it
// is seen without colours.
func Mark(focused bool) (string, draw.Ink) {
	if focused {
		return "▌", draw.Key
	}
	return " ", draw.Label
}

// Label is the gutter of a field that a text is typed in.
func Label(name string, focused bool) draw.Gutter {
	bar, i := Mark(focused)
	return draw.Gutter{Width: LabelWidth, First: func(n int) (draw.Ink, string) {
		if n == 1 {
			return i, bar + name
		}
		return i, ""
	}}
}

// LabelRow is a row that begins with a field's name.
func LabelRow(p *draw.Paper, name string, focused bool) *draw.Row {
	bar, i := Mark(focused)
	return p.Styles.Row(p.Width).Put(i, bar+name).To(LabelWidth)
}

// WriteChoice draws all choices of a field, the chosen one in brackets; where they
// have no room, only that one and its place among them. The names must be safe to
// draw.
func WriteChoice(p *draw.Paper, name string, focused bool, names []string, at int) {
	r := LabelRow(p, name, focused)
	width := r.Width
	for _, n := range names {
		width += draw.Cells(n) + 2
	}
	if width > p.Width && at < len(names) {
		place := fmt.Sprintf(" %d/%d", at+1, len(names))
		r.Put(draw.Muted, "‹ ").Fit(draw.Bold, names[at], p.Width-r.Width-2-draw.Cells(place)).Put(draw.Muted, " ›"+place)
		p.Add(r)
		return
	}
	for i, n := range names {
		if i == at {
			r.Put(draw.Key, "[").Put(draw.Bold, n).Put(draw.Key, "]")
			continue
		}
		r.Put(draw.Muted, " "+n+" ")
	}
	p.Add(r)
}
