package tui

import "github.com/aoctl/aoctl/tui/safe"

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
	side := m.st.row(1).put(edge, m.edges().down).String()
	left, right := side+spaces(padding), spaces(padding)+side
	out := make([]string, 0, a.h)
	out = append(out, m.topEdge(a.w, f, edge))
	rows = narrowed(rows, width)
	for i := range height {
		if i < len(rows) {
			out = append(out, left+rows[i]+right)
		} else {
			out = append(out, left+spaces(width)+right)
		}
	}
	return append(out, m.bottomEdge(a.w, f, edge))
}

// narrowed cuts rows that were laid out for more than width cells.
func narrowed(rows []string, width int) []string {
	if width >= leastPaper {
		return rows
	}
	cut := make([]string, len(rows))
	for i, r := range rows {
		cut[i] = safe.Cut(r, width)
		cut[i] += spaces(width - safe.Width(cut[i])) // half a wide character leaves a cell
	}
	return cut
}

// caption is what a frame says on its edges; all safe to draw.
type caption struct {
	title, note, right string
	alarm              string // behind the title; what it begins with is never left out
	below, belowRight  string
	belowMore          string // behind below, where all three fit
	belowInk, noteInk  ink    // noteInk: muted when not given
	focus              bool
}

func (m *model) topEdge(width int, f caption, edge ink) string {
	r := m.st.row(width).put(edge, m.edges().topLeft)
	m.captions(r, width-1, f, edge)
	return r.put(edge, m.edges().topRight).String()
}

// captions writes title, note and right text on a line up to column end.
func (m *model) captions(r *row, end int, f caption, edge ink) {
	lead, across := " ", m.edges().across
	if f.focus {
		lead = "▸"
	}
	r.put(edge, lead)
	room := end - r.width - 1
	right := f.right
	taken := cells(f.title)
	if f.alarm != "" {
		taken += cells(f.alarm) + 3
	}
	if (f.alarm != "" || cells(right)+3 > room/2) && cells(right)+taken+4 > room {
		right = ""
	}
	if right != "" {
		room -= cells(right) + 3
	}
	m.titles(r, f, room)
	r.put(edge, " ")
	if right == "" {
		r.line(edge, across, end)
		return
	}
	r.line(edge, across, end-cells(right)-3)
	r.put(edge, " ").put(inkMuted, right).put(edge, " ")
	r.line(edge, across, end)
}

// alarmLeast is how much of an alarm stays in sight beside a long title: its first
// word, and a sign that there is more.
const alarmLeast = len("dangerous") + 1

// titles writes title, alarm and note in at most room cells.
func (m *model) titles(r *row, f caption, room int) {
	stop := r.width + room
	if f.alarm == "" {
		r.fit(inkTitle, f.title, room)
	} else {
		r.fit(inkTitle, f.title, max(0, room-3-min(cells(f.alarm), alarmLeast))).put(inkMuted, " · ")
		r.fit(inkDanger, f.alarm, max(0, stop-r.width))
	}
	if left := stop - r.width - 3; f.note != "" && left > 3 {
		i := f.noteInk
		if i == inkText {
			i = inkMuted
		}
		r.put(inkMuted, " · ").fit(i, f.note, left)
	}
}

func (m *model) bottomEdge(width int, f caption, edge ink) string {
	e := m.edges()
	r := m.st.row(width).put(edge, e.bottomLeft)
	if f.belowMore != "" && cells(f.below+f.belowMore+f.belowRight)+12 < width {
		f.below += f.belowMore
	}
	if f.below != "" && cells(f.below)+6 < width {
		r.put(edge, e.across+" ").put(f.belowInk, f.below).put(edge, " ")
	}
	if f.belowRight != "" && r.width+cells(f.belowRight)+5 < width {
		r.line(edge, e.across, width-1-cells(f.belowRight)-3)
		r.put(edge, " ").put(inkMuted, f.belowRight).put(edge, " ")
	}
	return r.line(edge, e.across, width-1).put(edge, e.bottomRight).String()
}

// ruled is a frame for narrow windows: one rule above, no sides.
func (m *model) ruled(a area, f caption, padding int, rows []string) []string {
	edge := m.edgeInk(f.focus)
	r := m.st.row(a.w).put(edge, m.edges().across)
	m.captions(r, a.w, f, edge)
	out := []string{r.String()}
	width := max(0, a.w-2*padding)
	rows = narrowed(rows, width)
	for i := range a.h - 1 {
		if i < len(rows) {
			out = append(out, spaces(padding)+rows[i]+spaces(a.w-width-padding))
		} else {
			out = append(out, spaces(a.w))
		}
	}
	return out
}
