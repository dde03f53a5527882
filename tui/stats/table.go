package stats

import (
	"cmp"
	"fmt"

	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	mostGroups = 8  // rows that a table has
	fullTable  = 52 // cells from which a table says how long answers took
)

// tables are the sections about sessions, agents, tools and rules.
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

func plain(g tally.Group) string { return draw.SafeLine(g.ID) }

// session is what a session is called: as elsewhere on the screen, or as the record says.
func (s *Screen) session(g tally.Group) string {
	if s.Board.Sessions[g.ID] != nil || g.Name == "" {
		return s.Board.Label(g.ID)
	}
	return draw.SafeLine(g.Name)
}

// column is a number of a table.
type column struct {
	head string
	full bool // only in a table that has room
	of   func(tally.Group) string
}

// The columns of what people were asked, and of what rules did.
var (
	asked = []column{
		{"calls", false, func(g tally.Group) string { return figures.Count(g.Calls) }},
		{"prompts", false, func(g tally.Group) string { return figures.Count(g.Prompts) }},
		{"/100", false, func(g tally.Group) string { return fmt.Sprintf("%.1f", g.Per100) }},
		{"p50", true, func(g tally.Group) string { return answered(g, g.MedianMS) }},
		{"p95", true, func(g tally.Group) string { return answered(g, g.SlowestMS) }},
	}
	ruled = []column{
		{"allowed", false, func(g tally.Group) string { return figures.Count(g.ByRule) }},
		{"denied", false, func(g tally.Group) string { return figures.Count(g.RuleDeny) }},
	}
)

func answered(g tally.Group, ms int64) string {
	if g.Answers == 0 {
		return "–"
	}
	return brief(ms)
}

// table draws the groups with the most prompts.
func (s *Screen) table(head string, width int, columns []column, list []tally.Group, name func(tally.Group) string) []string {
	shown := make([]column, 0, len(columns))
	for _, c := range columns {
		if !c.full || width >= fullTable {
			shown = append(shown, c)
		}
	}
	room := width - len(shown)*numberWidth
	line := func(lead, ink draw.Ink, first string, cell func(column) string) string {
		r := s.Styles.Row(width).Fit(lead, first, room-1)
		for i, c := range shown {
			r.Right(ink, cell(c), room+(i+1)*numberWidth)
		}
		return r.To(width).String()
	}
	rows := []string{line(draw.Title, draw.Muted, head, func(c column) string { return c.head })}
	for _, g := range list[:min(len(list), mostGroups)] {
		rows = append(rows, line(draw.Text, draw.Text, cmp.Or(name(g), "–"), func(c column) string { return c.of(g) }))
	}
	if n := len(list) - mostGroups; n > 0 {
		rows = append(rows, s.Styles.Row(width).Fit(draw.Muted, fmt.Sprintf("… and %s more: aoctl stats --json", figures.Count(n)), width).To(width).String())
	}
	return rows
}
