package draw

import (
	"github.com/aoctl/aoctl/tui/safe"
)

// Area is a rectangle of the window, in cells.
type Area struct{ X, Y, W, H int }

// Has reports whether a cell lies in a.
func (a Area) Has(x, y int) bool { return x >= a.X && x < a.X+a.W && y >= a.Y && y < a.Y+a.H }

// Frames draws the borders of panes. While everything is frozen they are double lines, which need no
// colour: nobody is to take the screen for another one. In a narrow window a pane has a rule
// above and no sides.
type Frames struct {
	st              *Styles
	frozen, Stacked bool
}

// NewFrames makes frames for a window as it is now.
func NewFrames(st *Styles, frozen, stacked bool) Frames { return Frames{st, frozen, stacked} }

// edges are the signs that frames are drawn with.
type edges struct{ across, down, topLeft, topRight, bottomLeft, bottomRight string }

func (fr Frames) edges() edges {
	if fr.frozen {
		return edges{"═", "║", "╔", "╗", "╚", "╝"}
	}
	return edges{"─", "│", "╭", "╮", "╰", "╯"}
}

// edgeInk is the ink of a frame, with the focus or without.
func (fr Frames) edgeInk(focus bool) Ink {
	switch {
	case fr.frozen:
		return Frozen
	case focus:
		return focused
	}
	return Border
}

// Inner is the room for text inside a pane.
func (fr Frames) Inner(a Area, padding int) (width, height int) {
	if fr.Stacked {
		return max(0, a.W-2*padding), max(0, a.H-1)
	}
	return max(0, a.W-2-2*padding), max(0, a.H-2)
}

// Framed puts a border around rows, which fill its inner width, and fills it up with
// empty ones.
func (fr Frames) Framed(a Area, f Caption, padding int, rows []string) []string {
	width, height := fr.Inner(a, padding)
	if a.H <= 0 || a.W <= 0 {
		return nil
	}
	if fr.Stacked {
		return fr.ruled(a, f, padding, rows)
	}
	edge := fr.edgeInk(f.Focus)
	side := fr.st.Row(1).Put(edge, fr.edges().down).String()
	left, right := side+Spaces(padding), Spaces(padding)+side
	out := make([]string, 0, a.H)
	out = append(out, fr.topEdge(a.W, f, edge))
	rows = Narrowed(rows, width)
	for i := range height {
		if i < len(rows) {
			out = append(out, left+rows[i]+right)
		} else {
			out = append(out, left+Spaces(width)+right)
		}
	}
	return append(out, fr.bottomEdge(a.W, f, edge))
}

// Narrowed cuts rows that were laid out for more than width cells.
func Narrowed(rows []string, width int) []string {
	if width >= LeastPaper {
		return rows
	}
	cut := make([]string, len(rows))
	for i, r := range rows {
		cut[i] = safe.Cut(r, width)
		cut[i] += Spaces(width - safe.Width(cut[i])) // half a wide character leaves a cell
	}
	return cut
}

// Caption is what a frame says on its edges; all safe to draw.
type Caption struct {
	Title, Note, Right string
	Alarm              string // behind the title; what it begins with is never left out
	Below, BelowRight  string
	BelowMore          string // behind below, where all three fit
	BelowInk, NoteInk  Ink    // NoteInk: muted when not given
	Focus              bool
}

func (fr Frames) topEdge(width int, f Caption, edge Ink) string {
	r := fr.st.Row(width).Put(edge, fr.edges().topLeft)
	fr.captions(r, width-1, f, edge)
	return r.Put(edge, fr.edges().topRight).String()
}

// captions writes title, note and right text on a line up to column end.
func (fr Frames) captions(r *Row, end int, f Caption, edge Ink) {
	lead, across := " ", fr.edges().across
	if f.Focus {
		lead = "▸"
	}
	r.Put(edge, lead)
	room := end - r.Width - 1
	right := f.Right
	taken := Cells(f.Title)
	if f.Alarm != "" {
		taken += Cells(f.Alarm) + 3
	}
	if (f.Alarm != "" || Cells(right)+3 > room/2) && Cells(right)+taken+4 > room {
		right = ""
	}
	if right != "" {
		room -= Cells(right) + 3
	}
	fr.titles(r, f, room)
	r.Put(edge, " ")
	if right == "" {
		r.Line(edge, across, end)
		return
	}
	r.Line(edge, across, end-Cells(right)-3)
	r.Put(edge, " ").Put(Muted, right).Put(edge, " ")
	r.Line(edge, across, end)
}

// alarmLeast is how much of an alarm stays in sight beside a long title: its first
// word, and a sign that there is more.
const alarmLeast = len("dangerous") + 1

// titles writes title, alarm and note in at most room cells.
func (fr Frames) titles(r *Row, f Caption, room int) {
	stop := r.Width + room
	if f.Alarm == "" {
		r.Fit(Title, f.Title, room)
	} else {
		r.Fit(Title, f.Title, max(0, room-3-min(Cells(f.Alarm), alarmLeast))).Put(Muted, " · ")
		r.Fit(Danger, f.Alarm, max(0, stop-r.Width))
	}
	if left := stop - r.Width - 3; f.Note != "" && left > 3 {
		i := f.NoteInk
		if i == Text {
			i = Muted
		}
		r.Put(Muted, " · ").Fit(i, f.Note, left)
	}
}

func (fr Frames) bottomEdge(width int, f Caption, edge Ink) string {
	e := fr.edges()
	r := fr.st.Row(width).Put(edge, e.bottomLeft)
	if f.BelowMore != "" && Cells(f.Below+f.BelowMore+f.BelowRight)+12 < width {
		f.Below += f.BelowMore
	}
	if f.Below != "" && Cells(f.Below)+6 < width {
		r.Put(edge, e.across+" ").Put(f.BelowInk, f.Below).Put(edge, " ")
	}
	if f.BelowRight != "" && r.Width+Cells(f.BelowRight)+5 < width {
		r.Line(edge, e.across, width-1-Cells(f.BelowRight)-3)
		r.Put(edge, " ").Put(Muted, f.BelowRight).Put(edge, " ")
	}
	return r.Line(edge, e.across, width-1).Put(edge, e.bottomRight).String()
}

// ruled is a frame for narrow windows: one rule above, no sides.
func (fr Frames) ruled(a Area, f Caption, padding int, rows []string) []string {
	edge := fr.edgeInk(f.Focus)
	r := fr.st.Row(a.W).Put(edge, fr.edges().across)
	fr.captions(r, a.W, f, edge)
	out := []string{r.String()}
	width := max(0, a.W-2*padding)
	rows = Narrowed(rows, width)
	for i := range a.H - 1 {
		if i < len(rows) {
			out = append(out, Spaces(padding)+rows[i]+Spaces(a.W-width-padding))
		} else {
			out = append(out, Spaces(a.W))
		}
	}
	return out
}
