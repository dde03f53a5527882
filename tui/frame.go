package tui

import (
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// area is a rectangle of the window, in cells.
type area struct{ x, y, w, h int }

func (a area) has(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

// frames draws the borders of panes. While everything is frozen they are double lines, which need no
// colour: nobody is to take the screen for another one. In a narrow window a pane has a rule
// above and no sides.
type frames struct {
	st              *draw.Styles
	frozen, stacked bool
}

func newFrames(st *draw.Styles, frozen, stacked bool) frames { return frames{st, frozen, stacked} }

// edges are the signs that frames are drawn with.
type edges struct{ across, down, topLeft, topRight, bottomLeft, bottomRight string }

func (fr frames) edges() edges {
	if fr.frozen {
		return edges{"═", "║", "╔", "╗", "╚", "╝"}
	}
	return edges{"─", "│", "╭", "╮", "╰", "╯"}
}

// edgeInk is the ink of a frame, with the focus or without.
func (fr frames) edgeInk(focus bool) draw.Ink {
	switch {
	case fr.frozen:
		return draw.Frozen
	case focus:
		return draw.Focus
	}
	return draw.Border
}

// inner is the room for text inside a pane.
func (fr frames) inner(a area, padding int) (width, height int) {
	if fr.stacked {
		return max(0, a.w-2*padding), max(0, a.h-1)
	}
	return max(0, a.w-2-2*padding), max(0, a.h-2)
}

// framed puts a border around rows, which fill its inner width, and fills it up with
// empty ones.
func (fr frames) framed(a area, f caption, padding int, rows []string) []string {
	width, height := fr.inner(a, padding)
	if a.h <= 0 || a.w <= 0 {
		return nil
	}
	if fr.stacked {
		return fr.ruled(a, f, padding, rows)
	}
	edge := fr.edgeInk(f.focus)
	side := fr.st.Row(1).Put(edge, fr.edges().down).String()
	left, right := side+draw.Spaces(padding), draw.Spaces(padding)+side
	out := make([]string, 0, a.h)
	out = append(out, fr.topEdge(a.w, f, edge))
	rows = narrowed(rows, width)
	for i := range height {
		if i < len(rows) {
			out = append(out, left+rows[i]+right)
		} else {
			out = append(out, left+draw.Spaces(width)+right)
		}
	}
	return append(out, fr.bottomEdge(a.w, f, edge))
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

func (fr frames) topEdge(width int, f caption, edge draw.Ink) string {
	r := fr.st.Row(width).Put(edge, fr.edges().topLeft)
	fr.captions(r, width-1, f, edge)
	return r.Put(edge, fr.edges().topRight).String()
}

// captions writes title, note and right text on a line up to column end.
func (fr frames) captions(r *draw.Row, end int, f caption, edge draw.Ink) {
	lead, across := " ", fr.edges().across
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
	fr.titles(r, f, room)
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
func (fr frames) titles(r *draw.Row, f caption, room int) {
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

func (fr frames) bottomEdge(width int, f caption, edge draw.Ink) string {
	e := fr.edges()
	r := fr.st.Row(width).Put(edge, e.bottomLeft)
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
func (fr frames) ruled(a area, f caption, padding int, rows []string) []string {
	edge := fr.edgeInk(f.focus)
	r := fr.st.Row(a.w).Put(edge, fr.edges().across)
	fr.captions(r, a.w, f, edge)
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
