package stats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	mostGroups = 8  // rows that a table has
	leastName  = 16 // cells that names have, before there are columns for all
)

// tables are the sections about sessions, agents, tools and rules. A list that is
// empty has none.
func (s *Screen) tables(width int) (sections [][]string) {
	for _, t := range []struct {
		head string
		list []tally.Group
		name func(tally.Group) string
	}{
		{"Session", s.report.Sessions, s.session},
		{"Agent", s.report.Agents, plain},
		{"Tool", s.report.Tools, plain},
	} {
		if len(t.list) > 0 {
			sections = append(sections, s.table(t.head, width, asked, t.list, t.name))
		}
	}
	if len(s.report.Rules) > 0 {
		sections = append(sections, s.table("Rule", width, ruled, s.report.Rules, func(g tally.Group) string { return s.Book.RuleName(g.ID) }))
	}
	return sections
}

// plain is a group's id as its name.
func plain(g tally.Group) string { return draw.SafeLine(g.ID) }

// session is what a session is called: as elsewhere on the screen, or as the record
// says.
func (s *Screen) session(g tally.Group) string {
	// The board knows a session by its present name, the record by the one it had.
	if s.Board.Sessions[g.ID] != nil || g.Name == "" {
		return s.Board.Label(g.ID)
	}
	return draw.SafeLine(g.Name)
}

// column is a number of a table.
type column struct {
	head string
	rank int // 0 is always there; of the others those with low ranks come first
	of   func(tally.Group) string
}

// nothing stands where a group has no such number.
const nothing = "–"

// The columns of what people were asked, of what was spent, and of what rules did.
var (
	asked = []column{
		{"calls", 0, func(g tally.Group) string { return figures.Count(g.Calls) }},
		{"prompts", 0, func(g tally.Group) string { return figures.Count(g.Prompts) }},
		{"/100", 0, func(g tally.Group) string { return fmt.Sprintf("%.1f", g.Per100) }},
		{"p50", 2, func(g tally.Group) string { return told(g.Answers > 0, brief(g.MedianMS)) }},
		{"p95", 4, func(g tally.Group) string { return told(g.Answers > 0, brief(g.SlowestMS)) }},
		{"tokens", 3, func(g tally.Group) string { return told(g.Spent.Tokens() > 0, figures.Tokens(g.Spent.Tokens())) }},
		{"cost", 1, func(g tally.Group) string { return told(g.Spent.Priced > 0, figures.Money(g.Spent.Cost)) }},
	}
	ruled = []column{
		{"allowed", 0, func(g tally.Group) string { return figures.Count(g.ByRule) }},
		{"denied", 0, func(g tally.Group) string { return figures.Count(g.RuleDeny) }},
	}
)

// told is text, or the sign for a number that nobody told.
func told(ok bool, text string) string {
	if !ok {
		return nothing
	}
	return text
}

// fitting are the columns that have a number in list and room in a table of this
// width, each of so many cells. Names keep leastName cells; the columns with the
// highest ranks go first.
func fitting(columns []column, list []tally.Group, width, each int) []column {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		// A column in which no group has a number says nothing, however much room
		// there is.
		return c.rank > 0 && !slices.ContainsFunc(list, func(g tally.Group) bool { return c.of(g) != nothing })
	})
	for leastName+len(columns)*each > width {
		last := slices.IndexFunc(columns, func(c column) bool {
			return c.rank > 0 && !slices.ContainsFunc(columns, func(other column) bool { return other.rank > c.rank })
		})
		if last < 0 {
			break
		}
		columns = slices.Delete(columns, last, last+1)
	}
	return columns
}

// widest is how many cells each column has: numberWidth, or more where a number needs
// that.
func widest(columns []column, list []tally.Group) int {
	each := numberWidth
	for _, c := range columns {
		for _, g := range list {
			each = max(each, draw.Cells(c.of(g))+1)
		}
	}
	return each
}

// table draws the groups with the most prompts, and says how many it leaves out.
func (s *Screen) table(head string, width int, columns []column, list []tally.Group, name func(tally.Group) string) []string {
	each := widest(columns, list)
	columns = fitting(columns, list, width, each)
	room := width - len(columns)*each
	// The head is drawn like a row, so that it stands above its numbers.
	line := func(lead, ink draw.Ink, first string, cell func(column) string) string {
		r := s.Styles.Row(width).Fit(lead, first, room-1)
		for i, c := range columns {
			r.Right(ink, cell(c), room+(i+1)*each)
		}
		return r.To(width).String()
	}
	rows := []string{line(draw.Title, draw.Muted, head, func(c column) string { return c.head })}
	for _, g := range list[:min(len(list), mostGroups)] {
		rows = append(rows, line(draw.Text, draw.Text, cmp.Or(name(g), nothing), func(c column) string { return c.of(g) }))
	}
	if n := len(list) - mostGroups; n > 0 {
		rows = append(rows, s.Styles.Row(width).Fit(draw.Muted, fmt.Sprintf("… and %s more: aoctl stats --json", figures.Count(n)), width).To(width).String())
	}
	return rows
}
