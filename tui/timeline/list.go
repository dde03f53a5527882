package timeline

import (
	"slices"

	"github.com/aoctl/aoctl/tui/event"
)

// list is the rows of what is read, and the place in them.
type list struct {
	rows  []*row
	names map[string]string // of sub-agents, by id

	at     rowKey // of the selected row
	follow bool   // stay at the end
	reveal bool   // bring the selected row into sight
	top    int    // first line on the screen
	anchor rowKey // the row that this line belongs to, and how far into it
	offset int
}

// refold makes the rows anew from the steps. Rows that are there stay unfolded.
func (l *list) refold(steps []*event.Step) {
	before := make(map[rowKey]*row, len(l.rows))
	for _, r := range l.rows {
		before[r.key] = r
	}
	l.rows, l.names = nil, map[string]string{}
	for _, group := range fold(steps) {
		r := before[keyOf(group[0])]
		if r == nil || r.n != len(group) || r.line.Seq() != group[0].Seq() {
			r = again(r, group)
		}
		if id, name := r.line.Helper(); id != "" && name != "" {
			l.names[id] = name
		}
		l.rows = append(l.rows, r)
	}
}

// index is where the row with this key is; -1 when it is not there.
func (l *list) index(k rowKey) int {
	return slices.IndexFunc(l.rows, func(r *row) bool { return r.key == k })
}

// selected is where the selected row is: when it is not there, the last one for who follows the end,
// and the first one otherwise; -1 without rows.
func (l *list) selected() int {
	if i := l.index(l.at); i >= 0 || !l.follow && len(l.rows) > 0 {
		return max(0, i)
	}
	return len(l.rows) - 1
}

// place finds the first line on the screen: the same one as before, whatever was
// added above it, unless the selected row is to be brought into sight.
func (t *Screen) place(width, height int) {
	for _, r := range t.rows {
		if r.open && r.width != width {
			t.layOut(r, width)
		}
	}
	n := len(t.rows)
	if n == 0 {
		t.top = 0
		return
	}
	if t.follow {
		t.at, t.reveal = t.rows[n-1].key, true
	}
	at := t.selected()
	t.at = t.rows[at].key
	if i := t.index(t.anchor); i >= 0 {
		t.top = t.height(i) + min(t.offset, t.rows[i].height()-1)
	}
	if t.reveal {
		begin := t.height(at)
		end := begin + t.rows[at].height()
		if end > t.top+height {
			t.top = end - height
		}
		if begin < t.top && (!t.follow || end-begin <= height) {
			t.top = begin
		}
		t.reveal = false
	}
	t.setTop(t.top, height)
}

// setTop puts line n on top, as far as there are lines, and remembers whose it is.
func (l *list) setTop(n, height int) {
	l.top = max(0, min(n, l.height(len(l.rows))-height))
	rest := l.top
	for _, r := range l.rows {
		h := r.height()
		if rest < h {
			l.anchor, l.offset = r.key, rest
			return
		}
		rest -= h
	}
}

// height is how many lines the first n rows have.
func (l *list) height(n int) int {
	sum := 0
	for _, r := range l.rows[:n] {
		sum += r.height()
	}
	return sum
}

// rowAt is the row that line n of all belongs to, nil when there is none.
func (l *list) rowAt(n int) *row {
	for _, r := range l.rows {
		if n -= r.height(); n < 0 {
			return r
		}
	}
	return nil
}
