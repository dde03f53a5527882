package fleet

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// Inside is what a machine has: sessions that live, calls that wait, and how many of those are dangerous.
type Inside struct{ Sessions, Waiting, Dangerous int }

// part is a text of a machine's line; the first that has room is drawn.
type part struct {
	ink   draw.Ink
	texts []string
}

// Rows is how many rows Line has in so many cells; open says that all of the problem is told.
func (m *Machine) Rows(width int, open bool) int {
	n := 1 + m.more()
	if open && m.Problem != "" {
		n += len(m.problem(width)) - 1
	}
	return n
}

// belowLead is what stands before a row below the first one, with the lead of one cell.
const belowLead = 3

// problem is what is wrong with the machine, in rows for a line of so many cells.
func (m *Machine) problem(width int) (rows []string) {
	room, row := max(1, width-belowLead), "!"
	for _, word := range strings.Fields(safe.Head(m.Problem, mostProblem)) {
		if next := row + " " + word; draw.Cells(next) <= room {
			row = next
			continue
		}
		rows, row = append(rows, row), " "+" "+word
	}
	return append(rows, row)
}

// more is how many rows stand below the first one.
func (m *Machine) more() (n int) {
	if m.Problem != "" {
		n++
	}
	if m.Waiting > 0 {
		n++
	}
	return n
}

// leastLabel is how much of its name a machine's line always has, cells.
const leastLabel = 7

// Line draws a machine: whether it is folded, its name, how far it can be reached, and what waits there;
// then what is wrong with it, and which orders wait until it is back. lead begins each row, with one cell;
// open says that the problem has as many rows as it takes, and not one.
func (m *Machine) Line(folded, open bool, in Inside, now time.Time, width int, lead func() *draw.Row) []string {
	r, sign := lead(), "▾ "
	if folded {
		sign = "▸ "
	}
	r.Put(draw.Muted, sign)
	parts := m.parts(folded, in, now)
	room := width - r.Width - 1
	least, count := min(leastLabel, draw.Cells(m.Label)), ""
	if folded {
		count = " (" + figures.Count(in.Sessions) + ")"
	}
	texts := fitted(parts, room-draw.Cells(m.Label+count), room-least)
	n := 0
	for _, t := range texts {
		n += taken(t)
	}
	name := draw.Title
	if m.Out() {
		name = draw.Muted
	}
	if folded {
		long := " · " + figures.Plural(in.Sessions, "session")
		if count = fitting(room-n-draw.Cells(m.Label), long, count); n+least+draw.Cells(count) > room {
			count = ""
		}
	}
	r.Fit(name, m.Label, max(0, room-n-draw.Cells(count))).Put(draw.Muted, count)
	r.To(max(r.Width, width-n-1))
	for i, t := range texts {
		if t != "" {
			r.Put(draw.Text, " ").Fit(parts[i].ink, t, max(0, width-r.Width))
		}
	}
	rows := []string{r.To(width).String()}
	below := func(i draw.Ink, text string) {
		r := lead().Put(draw.Text, "  ")
		rows = append(rows, r.Fit(i, text, max(0, width-r.Width)).To(width).String())
	}
	switch {
	case m.Problem == "":
	case open:
		for _, text := range m.problem(width) {
			below(draw.Danger, text)
		}
	default:
		below(draw.Danger, "! "+safe.Head(m.Problem, mostProblem))
	}
	if m.Waiting > 0 {
		below(draw.Warn, m.orders(width-belowLead))
	}
	return rows
}

// orders says how many orders wait, in at most room cells.
func (m *Machine) orders(room int) string {
	n, waits := figures.Plural(m.Waiting, "order"), " wait"
	if m.Waiting == 1 {
		waits = " waits"
	}
	texts := []string{n + waits + " until it is back", n + waits, n}
	if !m.Out() {
		texts = []string{n + " on the way", n}
	}
	return fitting(room, texts...)
}

// fitting is the first of texts that has room, else the last one.
func fitting(room int, texts ...string) string {
	for _, t := range texts {
		if draw.Cells(t) <= room {
			return t
		}
	}
	return texts[len(texts)-1]
}

// parts are what stands behind the name. What waits stays where all is short of room.
func (m *Machine) parts(folded bool, in Inside, now time.Time) []part {
	reach := part{draw.Muted, m.reach(now)}
	switch {
	case m.Out():
		reach.ink = draw.Warn
	case !m.Late():
		reach.texts = append(reach.texts, "") // nothing said of it is as good
	}
	list := []part{reach}
	if in.Waiting > 0 {
		texts := []string{figures.Count(in.Waiting)}
		if folded {
			texts = []string{figures.Count(in.Waiting) + " waiting", texts[0]}
		}
		list = append(list, part{draw.Warn, texts})
	}
	if in.Dangerous > 0 {
		list = append(list, part{draw.Danger, []string{"!!"}})
	}
	return list
}

// fitted is one text of each part, with a blank before each: shortened from the front on until all have
// room in wanted cells, and left out from the front on when they have none in most.
func fitted(parts []part, wanted, most int) []string {
	texts := make([]string, len(parts))
	need := 0
	for i, p := range parts {
		texts[i] = p.texts[0]
		need += taken(texts[i])
	}
	for i, p := range parts {
		for n := 1; need > wanted && n < len(p.texts); n++ {
			need += taken(p.texts[n]) - taken(texts[i])
			texts[i] = p.texts[n]
		}
	}
	for i := 0; need > most && i < len(texts); i++ {
		need -= taken(texts[i])
		texts[i] = ""
	}
	return texts
}

// taken is how many cells a text takes with the blank before it; nothing takes none.
func taken(text string) int { return draw.Cells(text) + min(1, len(text)) }
