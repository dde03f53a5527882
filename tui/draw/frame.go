package draw

import (
	"github.com/aoctl/aoctl/tui/safe"
)

// Area is a rectangle of the window, in cells. X and Y count from 0 at the top left.
type Area struct{ X, Y, W, H int }

// Has reports whether a cell lies in a.
func (a Area) Has(x, y int) bool { return x >= a.X && x < a.X+a.W && y >= a.Y && y < a.Y+a.H }

// Frames draws the borders of panes. While everything is frozen they are double lines,
// which need no colour: nobody is to take the screen for another one. In a narrow
// window a pane has a rule above and no sides. Frames are made anew for each drawing
// and hold nothing of it.
type Frames struct {
	st              *Styles
	frozen, Stacked bool
}

// NewFrames makes frames for a window as it is now.
func NewFrames(st *Styles, frozen, stacked bool) Frames { return Frames{st, frozen, stacked} }

// edges are the signs that frames are drawn with. Each is one cell wide on every
// terminal.
type edges struct{ across, down, topLeft, topRight, bottomLeft, bottomRight string }

// edges are double while everything is frozen, else light with round corners.
func (fr Frames) edges() edges {
	if fr.frozen {
		return edges{"═", "║", "╔", "╗", "╚", "╝"}
	}
	return edges{"─", "│", "╭", "╮", "╰", "╯"}
}

// edgeInk is the ink of a frame, with the focus or without. A freeze is more important
// than the focus, which the sign in front of the title shows as well.
func (fr Frames) edgeInk(focus bool) Ink {
	switch {
	case fr.frozen:
		return Frozen
	case focus:
		return focused
	}
	return Border
}

// Inner is the room for text inside a pane, never less than 0. padding is in cells, on
// each side. In a narrow window only the rule above takes room.
func (fr Frames) Inner(a Area, padding int) (width, height int) {
	if fr.Stacked {
		return max(0, a.W-2*padding), max(0, a.H-1)
	}
	return max(0, a.W-2-2*padding), max(0, a.H-2)
}

// Framed puts a border around rows, which fill its inner width, and fills it up with
// empty ones. Rows that are too many are left out. The result has exactly a.H rows of
// a.W cells; for an area without room it is nil.
func (fr Frames) Framed(a Area, f Caption, padding int, rows []string) []string {
	width, height := fr.Inner(a, padding)
	if a.H <= 0 || a.W <= 0 {
		return nil
	}
	if fr.Stacked {
		return fr.ruled(a, f, padding, rows)
	}
	edge := fr.edgeInk(f.Focus)
	// The sides are the same in each row, so they are drawn once.
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

// Narrowed cuts rows that were laid out for more than width cells, as a Paper is never
// narrower than LeastPaper.
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

// Caption is what a frame says on its edges; all safe to draw. What is empty takes no
// room, and what has no room is cut or left out, an Alarm last of all.
type Caption struct {
	Title, Note, Right string
	Alarm              string // behind the title; what it begins with is never left out
	Below, BelowRight  string
	BelowMore          string // behind below, where all three fit
	BelowInk, NoteInk  Ink    // NoteInk: muted when not given
	Focus              bool
}

// topEdge is the row above a pane, with its corners.
func (fr Frames) topEdge(width int, f Caption, edge Ink) string {
	r := fr.st.Row(width).Put(edge, fr.edges().topLeft)
	fr.captions(r, width-1, f, edge)
	return r.Put(edge, fr.edges().topRight).String()
}

// captions writes title, note and right text on a line up to column end. The right
// text goes first where it would leave too little for a title or for an alarm.
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
	// What stands at the right is about scrolling and time; a danger comes before
	// that.
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

// titles writes title, alarm and note in at most room cells. A title is an agent's
// word and may be as long as it likes, so it gives way to the alarm.
func (fr Frames) titles(r *Row, f Caption, room int) {
	stop := r.Width + room
	if f.Alarm == "" {
		r.Fit(Title, f.Title, room)
	} else {
		r.Fit(Title, f.Title, max(0, room-3-min(Cells(f.Alarm), alarmLeast))).Put(Muted, " · ")
		r.Fit(Danger, f.Alarm, max(0, stop-r.Width))
	}
	if left := stop - r.Width - 3; f.Note != "" && left > 3 {
		// The zero ink is plain text, which a note never is.
		i := f.NoteInk
		if i == Text {
			i = Muted
		}
		r.Put(Muted, " · ").Fit(i, f.Note, left)
	}
}

// bottomEdge is the row below a pane. What does not fit whole is left out there.
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
