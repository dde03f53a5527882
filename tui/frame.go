package tui

import (
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// frame puts a border around rows, which fill its inner width, and fills it up with
// empty ones.
func (m *model) frame(l layout, a area, f caption, padding int, rows []string) []string {
	width, height := l.inner(a, padding)
	if a.h <= 0 || a.w <= 0 {
		return nil
	}
	if l.stacked {
		return m.ruled(a, f, padding, rows)
	}
	edge := m.edgeInk(f.focus)
	side := m.st.Row(1).Put(edge, m.edges().down).String()
	left, right := side+draw.Spaces(padding), draw.Spaces(padding)+side
	out := make([]string, 0, a.h)
	out = append(out, m.topEdge(a.w, f, edge))
	rows = narrowed(rows, width)
	for i := range height {
		if i < len(rows) {
			out = append(out, left+rows[i]+right)
		} else {
			out = append(out, left+draw.Spaces(width)+right)
		}
	}
	return append(out, m.bottomEdge(a.w, f, edge))
}

// narrowed cuts rows that were laid out for more than width cells.
func narrowed(rows []string, width int) []string {
	if width >= draw.LeastPaper {
		return rows
	}
	cut := make([]string, len(rows))
	for i, r := range rows {
		cut[i] = safe.Cut(r, width)
		cut[i] += draw.Spaces(width - safe.Width(cut[i])) // half a wide character leaves a cell
	}
	return cut
}

// caption is what a frame says on its edges; all safe to draw.
type caption struct {
	title, note, right string
	alarm              string // behind the title; what it begins with is never left out
	below, belowRight  string
	belowMore          string   // behind below, where all three fit
	belowInk, noteInk  draw.Ink // noteInk: muted when not given
	focus              bool
}

func (m *model) topEdge(width int, f caption, edge draw.Ink) string {
	r := m.st.Row(width).Put(edge, m.edges().topLeft)
	m.captions(r, width-1, f, edge)
	return r.Put(edge, m.edges().topRight).String()
}

// captions writes title, note and right text on a line up to column end.
func (m *model) captions(r *draw.Row, end int, f caption, edge draw.Ink) {
	lead, across := " ", m.edges().across
	if f.focus {
		lead = "▸"
	}
	r.Put(edge, lead)
	room := end - r.Width - 1
	right := f.right
	taken := draw.Cells(f.title)
	if f.alarm != "" {
		taken += draw.Cells(f.alarm) + 3
	}
	if (f.alarm != "" || draw.Cells(right)+3 > room/2) && draw.Cells(right)+taken+4 > room {
		right = ""
	}
	if right != "" {
		room -= draw.Cells(right) + 3
	}
	m.titles(r, f, room)
	r.Put(edge, " ")
	if right == "" {
		r.Line(edge, across, end)
		return
	}
	r.Line(edge, across, end-draw.Cells(right)-3)
	r.Put(edge, " ").Put(draw.Muted, right).Put(edge, " ")
	r.Line(edge, across, end)
}

// alarmLeast is how much of an alarm stays in sight beside a long title: its first
// word, and a sign that there is more.
const alarmLeast = len("dangerous") + 1

// titles writes title, alarm and note in at most room cells.
func (m *model) titles(r *draw.Row, f caption, room int) {
	stop := r.Width + room
	if f.alarm == "" {
		r.Fit(draw.Title, f.title, room)
	} else {
		r.Fit(draw.Title, f.title, max(0, room-3-min(draw.Cells(f.alarm), alarmLeast))).Put(draw.Muted, " · ")
		r.Fit(draw.Danger, f.alarm, max(0, stop-r.Width))
	}
	if left := stop - r.Width - 3; f.note != "" && left > 3 {
		i := f.noteInk
		if i == draw.Text {
			i = draw.Muted
		}
		r.Put(draw.Muted, " · ").Fit(i, f.note, left)
	}
}

func (m *model) bottomEdge(width int, f caption, edge draw.Ink) string {
	e := m.edges()
	r := m.st.Row(width).Put(edge, e.bottomLeft)
	if f.belowMore != "" && draw.Cells(f.below+f.belowMore+f.belowRight)+12 < width {
		f.below += f.belowMore
	}
	if f.below != "" && draw.Cells(f.below)+6 < width {
		r.Put(edge, e.across+" ").Put(f.belowInk, f.below).Put(edge, " ")
	}
	if f.belowRight != "" && r.Width+draw.Cells(f.belowRight)+5 < width {
		r.Line(edge, e.across, width-1-draw.Cells(f.belowRight)-3)
		r.Put(edge, " ").Put(draw.Muted, f.belowRight).Put(edge, " ")
	}
	return r.Line(edge, e.across, width-1).Put(edge, e.bottomRight).String()
}

// ruled is a frame for narrow windows: one rule above, no sides.
func (m *model) ruled(a area, f caption, padding int, rows []string) []string {
	edge := m.edgeInk(f.focus)
	r := m.st.Row(a.w).Put(edge, m.edges().across)
	m.captions(r, a.w, f, edge)
	out := []string{r.String()}
	width := max(0, a.w-2*padding)
	rows = narrowed(rows, width)
	for i := range a.h - 1 {
		if i < len(rows) {
			out = append(out, draw.Spaces(padding)+rows[i]+draw.Spaces(a.w-width-padding))
		} else {
			out = append(out, draw.Spaces(a.w))
		}
	}
	return out
}
