package logs

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// printStats prints the figures that matter most first, then the groups. It prints no
// groups and no zeros when no call is over, so that an empty record does not look like a
// busy one.
func printStats(out io.Writer, r tally.Report) error {
	if r.Calls == 0 {
		return show.Line(out, "No recorded calls are over.")
	}
	sum := &show.Table{}
	for _, row := range statsRows(r) {
		sum.Add(row[0], row[1])
	}
	if err := sum.Print(out); err != nil {
		return err
	}
	if err := printOverTime(out, r); err != nil {
		return err
	}
	// Each list is in the order of most prompts, since that is what a rule can save.
	for _, g := range []struct {
		head string
		list []tally.Group
	}{{"SESSION", r.Sessions}, {"AGENT", r.Agents}, {"TOOL", r.Tools}, {"RULE", r.Rules}} {
		if err := printGroups(out, g.head, g.list); err != nil {
			return err
		}
	}
	return nil
}

// statsRows are the figures of all calls together, as pairs of a label and its text.
// Figures that somebody must have made, an answer or a transcript, are left out when nobody
// did: a zero there would say that answers took no time or tokens cost nothing.
func statsRows(r tally.Report) [][2]string {
	rows := [][2]string{
		{"calls", figures.Count(r.Calls)},
		{"prompts", fmt.Sprintf("%s, %.1f per 100 calls", figures.Count(r.Prompts), r.Per100)},
		{"prompts saved", figures.Count(r.Saved) + " (a rule decided at once)"},
		{"allowed by rules", figures.Count(r.ByRule)},
		{"denied by rules", figures.Count(r.RuleDeny)},
		{"allowed by hand", figures.Count(r.ByHand)},
		{"denied by hand", figures.Count(r.Denied)},
		{"expired", figures.Count(r.Expired)},
		{"only observed", figures.Count(r.Observed)},
		// The rows add up to calls, so what ended in no way above has a row of its own.
		{"ended otherwise", figures.Count(r.Other)},
	}
	if r.Answers > 0 {
		rows = append(rows, [2]string{"time to answer", fmt.Sprintf("p50 %s, p95 %s, %s in all",
			tookText(r.MedianMS), tookText(r.SlowestMS), tookText(r.WaitedMS))})
	}
	if s := r.Spent; s.Sessions > 0 {
		rows = append(rows, [2]string{"spent", figures.Spent(s.Cost, s.In(), s.Output) + " (" + saidBy(s, len(r.Sessions)) + ")"})
	}
	return rows
}

// saidBy is how many of n sessions told what they spent, and how many of those a price. A
// sum without it would read as what all of them spent.
func saidBy(s tally.Spent, n int) string {
	text := fmt.Sprintf("%s of %s told tokens", figures.Count(s.Sessions), figures.Plural(n, "session"))
	if s.Priced > 0 {
		text += fmt.Sprintf(", %s a price", figures.Count(s.Priced))
	}
	return text
}

// tookText is a span that tally counted, in milliseconds, for people.
func tookText(ms int64) string { return figures.Brief(time.Duration(ms) * time.Millisecond) }

// How much of the figures a terminal gets; --json has all of it.
const (
	mostGroups = 8  // rows that a group has
	mostBars   = 48 // newest slots that are drawn
)

// printOverTime draws the prompts as bars on a terminal; a pipe gets a line for each slot,
// with tabs between start, calls and prompts, below a line that names them. The start is RFC 3339, so that a program can
// read it.
func printOverTime(out io.Writer, r tally.Report) error {
	if len(r.OverTime) == 0 {
		return nil
	}
	width, _ := show.Terminal(out)
	if width == 0 {
		if err := show.Line(out, "\nSINCE\tCALLS\tPROMPTS"); err != nil {
			return err
		}
		for _, s := range r.OverTime {
			if err := show.Line(out, fmt.Sprintf("%s\t%d\t%d", s.At.Format(time.RFC3339), s.Calls, s.Prompts)); err != nil {
				return err
			}
		}
		return nil
	}
	// One bar is one cell. The newest slots are the ones that stay in a narrow window.
	list := r.OverTime[max(0, len(r.OverTime)-min(mostBars, width)):]
	prompts, most := make([]int, len(list)), 0
	for i, s := range list {
		prompts[i] = s.Prompts
		most = max(most, s.Prompts)
	}
	for _, line := range []string{
		"", fmt.Sprintf("prompts %s, at most %s, since %s", figures.Each(time.Duration(r.SlotMS)*time.Millisecond), figures.Count(most), slotTime(list[0].At, r.SlotMS)), bars(prompts),
	} {
		if err := show.Line(out, safe.Cut(line, width)); err != nil {
			return err
		}
	}
	return nil
}

// slotTime is when a slot begins; its hour only says something when slots are hours. ms is
// the length of a slot.
func slotTime(at time.Time, ms int64) string {
	if time.Duration(ms)*time.Millisecond == time.Hour {
		return at.Format("Jan 2 15:04")
	}
	return at.Format("Jan 2")
}

// bars are numbers as a row of bars, the largest one as high as a row. Nothing is a dot, so
// that it is told from a little. numbers must not be empty.
func bars(numbers []int) string {
	const heights = "▁▂▃▄▅▆▇█"
	signs := []rune(heights)
	most := max(1, slices.Max(numbers))
	row := make([]rune, len(numbers))
	for i, n := range numbers {
		row[i] = '·'
		if n > 0 {
			// The 1 is taken off so that the largest number gets the last sign and not
			// one behind it.
			row[i] = signs[(n*len(signs)-1)/most]
		}
	}
	return string(row)
}

// spentCells are tokens and dollars, empty where an agent does not tell them. There are
// always two cells, because a row has as many as the table's head.
func spentCells(s tally.Spent) []string {
	cells := []string{"", ""}
	if n := s.Tokens(); n > 0 {
		cells[0] = figures.Tokens(n)
	}
	if s.Priced > 0 {
		cells[1] = figures.Money(s.Cost)
	}
	return cells
}

// shortRules are the ends of ids that aoctl gave, by which commands take them, for what has
// no name. Names that a person chose are not cut. The ends are long enough to differ within
// list only.
func shortRules(list []tally.Group) map[string]string {
	var ids []string
	for _, g := range list {
		if uuid.Validate(g.ID) == nil {
			ids = append(ids, g.ID)
		}
	}
	return show.IDEnds(ids)
}

// printGroups prints those with the most prompts, below head. list is sorted that way by
// tally. An empty list prints nothing at all.
func printGroups(out io.Writer, head string, list []tally.Group) error {
	if len(list) == 0 {
		return nil
	}
	// Numbers stay text here: a table cuts and pads, and knows nothing of what its cells
	// count.
	// Spare names the columns that go first when the window is narrow, in that order.
	t := &show.Table{Head: []string{head, "CALLS", "PROMPTS", "/100", "P50", "P95"}, Spare: []string{"P95", "P50", "TOKENS"}}
	spent := slices.ContainsFunc(list, func(g tally.Group) bool { return g.Spent.Sessions > 0 })
	if spent {
		// Columns that no group would fill are not drawn.
		t.Head = append(t.Head, "TOKENS", "COST")
	}
	shown := list[:min(len(list), mostGroups)]
	// A pipe gets whole ids: what reads them there may look them up in another list.
	var short map[string]string
	if width, _ := show.Terminal(out); width > 0 {
		short = shortRules(shown)
	}
	for _, g := range shown {
		p50, p95 := "", ""
		if g.Answers > 0 {
			p50, p95 = tookText(g.MedianMS), tookText(g.SlowestMS)
		}
		cells := []string{cmp.Or(g.Name, short[g.ID], g.ID), fmt.Sprint(g.Calls), fmt.Sprint(g.Prompts), fmt.Sprintf("%.1f", g.Per100), p50, p95}
		if spent {
			cells = append(cells, spentCells(g.Spent)...)
		}
		t.Add(cells...)
	}
	// A table has its head on a terminal only; in a pipe nothing else would tell the groups
	// apart.
	head = ""
	if short == nil {
		head = "\n" + strings.Join(t.Head, "\t")
	}
	if err := show.Line(out, head); err != nil {
		return err
	}
	if err := t.Print(out); err != nil || len(list) <= mostGroups {
		return err
	}
	return show.Line(out, fmt.Sprintf("… and %d more: --json has all", len(list)-mostGroups))
}
