package stats

import (
	"fmt"
	"time"

	"github.com/NimbleMarkets/ntcharts/barchart"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	twoColumns  = 100 // cells from which the sections stand in two columns
	columnGap   = 4   // cells between them
	labelWidth  = 16
	numberWidth = 8  // cells of a number in a table, with blanks before it
	countWidth  = 10 // of those beside bars, likewise
)

// View draws the sections, as settle has laid them out.
func (s *Screen) View(_, _ int) []string {
	_, height := s.Inner()
	f := draw.Caption{Title: "Stats", Note: s.note()}
	if len(s.rows) > height {
		f.Right = desk.Position(s.top, height, len(s.rows))
	}
	return s.Framed(f, s.rows, s.top)
}

// note says which time the figures are of.
func (s *Screen) note() string {
	text := "‹ " + spans[s.span].name + " ›"
	if days := spans[s.span].days; days > 1 && !s.Stacked {
		text += " since " + s.begins(s.At).Format("Jan 2")
	}
	return text
}

// layout are all rows, of exactly width cells.
func (s *Screen) layout(width int) []string {
	if width < draw.LeastPaper {
		width = draw.LeastPaper // what is too much is cut by the frame
	}
	if text, i := s.nothing(); text != "" {
		p := s.Styles.Paper(width)
		p.Say(i, text)
		return p.Rows
	}
	if width < twoColumns {
		return stacked(s.Styles, width, append(s.figures(width), s.tables(width)...))
	}
	half := (width - columnGap) / 2
	// The two halves are laid out by themselves and joined row by row.
	left, right := stacked(s.Styles, half, s.figures(half)), stacked(s.Styles, width-half-columnGap, s.tables(width-half-columnGap))
	rows := make([]string, max(len(left), len(right)))
	for i := range rows {
		rows[i] = at(left, i, half) + draw.Spaces(columnGap) + at(right, i, width-half-columnGap)
	}
	return rows
}

// at is row i, and blanks where there are fewer.
func at(rows []string, i, width int) string {
	if i < len(rows) {
		return rows[i]
	}
	return draw.Spaces(width)
}

// stacked puts sections below each other, with a blank row between two.
func stacked(st *draw.Styles, width int, sections [][]string) (rows []string) {
	p := st.Paper(width)
	for _, section := range sections {
		p.Blank()
		p.Rows = append(p.Rows, section...)
	}
	return p.Rows
}

// nothing says why there are no figures; "" when there are.
func (s *Screen) nothing() (string, draw.Ink) {
	switch {
	case s.err != nil && !s.known:
		return "The record cannot be read: " + draw.SafeLine(s.err.Error()), draw.Danger
	case !s.known:
		return "counting …", draw.Muted
	case s.report.Calls > 0:
		return "", draw.Text
	// An empty short span is no news, so the way to a longer one is told instead.
	case spans[s.span].days > 0:
		return spans[s.span].none + " The → key shows a longer time.", draw.Muted
	case s.report.ArchivedMS > 0:
		return spans[s.span].none + " " + s.archived(), draw.Muted
	}
	return spans[s.span].none + " A call is counted when it was decided, or ended otherwise.", draw.Muted
}

// figures are the sections about all calls together.
func (s *Screen) figures(width int) [][]string {
	return [][]string{s.summary(width), s.chart(width, max(3, min(s.Height/4, 12))), s.decided(width)}
}

// summary are the figures that matter most. Figures that are old because the record
// cannot be read are shown, and said to be.
func (s *Screen) summary(width int) []string {
	p, r := s.Styles.Paper(width), s.report
	say := func(label string, i draw.Ink, text string) { p.SayBehind(draw.Label, label, labelWidth, i, text) }
	say("prompts", draw.Bold, fmt.Sprintf("%.1f per 100 calls", r.Per100))
	say("calls", draw.Text, figures.Count(r.Calls)+" · "+figures.Plural(r.Prompts, "prompt"))
	say("saved", draw.Text, figures.Plural(r.Saved, "prompt")+": a rule decided at once")
	took := "nobody answered at the keyboard"
	if r.Answers > 0 {
		took = fmt.Sprintf("p50 %s · p95 %s · %s in all", brief(r.MedianMS), brief(r.SlowestMS), brief(r.WaitedMS))
	}
	say("time to answer", draw.Text, took)
	if t := s.took; t.Calls > 0 {
		say("console added", draw.Text, fmt.Sprintf("p50 %s · p95 %s where a rule decided, plus the hook's start", figures.Fine(t.P50), figures.Fine(t.P95)))
	}
	say("spent", draw.Text, s.spentWords())
	if text := s.archived(); text != "" {
		p.Say(draw.Muted, text)
	}
	if s.err != nil {
		p.Say(draw.Danger, "These figures are old, the record cannot be read: "+draw.SafeLine(s.err.Error()))
	}
	return p.Rows
}

// spentWords are what the sessions spent, and how many of them say so. Spending is of
// a whole session, also when the span is shorter, which it says.
func (s *Screen) spentWords() string {
	spent, n := s.report.Spent, len(s.report.Sessions)
	switch {
	case spent.Sessions == 0 && !s.summed:
		return "reading transcripts …"
	case spent.Sessions == 0:
		return "no agent says so"
	}
	text := figures.Spent(spent.Cost, spent.In(), spent.Output)
	// How many named a price matters more than how many named tokens: a sum of some
	// prices is no total.
	if spent.Priced > 0 && spent.Priced < n {
		text += fmt.Sprintf(" · %s of %s named a price", figures.Count(spent.Priced), figures.Plural(n, "session"))
	} else if spent.Sessions < n {
		text += fmt.Sprintf(" · %s of %s say so", figures.Count(spent.Sessions), figures.Plural(n, "session"))
	}
	if spans[s.span].days > 0 {
		text += " · since each session began"
	}
	return text
}

// archived says which calls are not counted; "" when all are.
func (s *Screen) archived() string {
	if s.report.ArchivedMS == 0 {
		return ""
	}
	return "Not counted: calls in archives, before " + time.UnixMilli(s.report.ArchivedMS).In(s.At.Location()).Format("Jan 2 2006") + "."
}

// brief is a span in milliseconds for people.
func brief(ms int64) string { return figures.Brief(time.Duration(ms) * time.Millisecond) }

// share is a part of all calls.
type share struct {
	label string
	n     int
	ink   draw.Ink
	rare  bool // left out where there is none
}

// decided draws how calls ended, a bar each. All bars have the same scale: the number
// of all calls.
func (s *Screen) decided(width int) []string {
	r := s.report
	var list []share
	for _, p := range []share{
		{"allowed by rules", r.ByRule, draw.OK, false},
		{"denied by rules", r.RuleDeny, draw.Danger, false},
		{"allowed by hand", r.ByHand, draw.OK, false},
		{"denied by hand", r.Denied, draw.Danger, false},
		{"expired", r.Expired, draw.Warn, true},
		{"only observed", r.Observed, draw.Muted, true},
		{"ended otherwise", r.Other, draw.Muted, true},
	} {
		if p.n > 0 || !p.rare {
			list = append(list, p)
		}
	}
	rows := []string{s.Styles.Row(width).Fit(draw.Title, "What decided", width).To(width).String()}
	room := width - labelWidth - 1 - countWidth
	values := make([]float64, len(list))
	for i, p := range list {
		values[i] = seen(float64(p.n), float64(r.Calls), room)
	}
	bars := blocks(values, float64(r.Calls), room, len(list), 1, 0, barchart.WithHorizontalBars())
	for i, p := range list {
		row := s.Styles.Row(width).Put(draw.Label, p.label).Right(draw.Text, figures.Count(p.n), labelWidth+countWidth)
		rows = append(rows, row.To(labelWidth+countWidth+1).Put(p.ink, bars[i]).To(width).String())
	}
	return rows
}
