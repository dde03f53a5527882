package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

const (
	ruleDetailFrom = 14 // rows of a list from which the selected rule is told in full below it
	ruleDetailRows = 6  // of a low window; a higher one has more
	ruleDetailMost = 9
)

// listHeights divides the rules screen between the list and the selected rule.
func listHeights(height int) (list, detail int) {
	if height < ruleDetailFrom {
		return height, 0
	}
	detail = min(max(height/4, ruleDetailRows), ruleDetailMost)
	return height - detail - 1, detail
}

// ruleHead are the rows above the list.
func (m *model) ruleHead(width int) []string {
	problem := m.Book.Problem
	if problem == "" {
		return nil
	}
	return []string{m.Styles.Row(width).Put(draw.Danger, " ! ").Fit(draw.Danger, "no rule may allow anything now: "+draw.SafeLine(problem), width-4).To(width).String()}
}

// settleRules keeps the selected rule on the screen.
func (m *model) settleRules() {
	if !m.onRules() {
		return
	}
	rb := &m.rb
	if rb.place() < 0 {
		rb.choose(0)
	}
	l := m.layout()
	width, height := l.Inner(l.detail, 0)
	list, _ := listHeights(height)
	rb.top = window(rb.top, rb.place(), list-len(m.ruleHead(width)), len(rb.shown))
	m.settleFiles()
}

func (m *model) rulesView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 0)
	rb := &m.rb
	f := draw.Caption{Title: "Rules " + figures.Count(len(rb.book.Rules)), Focus: true, Note: "the order in which they speak; a deny always wins"}
	if rb.filter != "" {
		f.Title = fmt.Sprintf("Rules %s of %s", figures.Count(len(rb.shown)), figures.Count(len(rb.book.Rules)))
		f.Note = "/" + draw.SafeLine(rb.filter)
	}
	rows := m.ruleHead(width)
	if len(rb.shown) == 0 {
		return l.Framed(a, f, 0, append(rows, m.noRules(width)...))
	}
	list, detail := listHeights(height)
	room := list - len(rows)
	if len(rb.shown) > room {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(rb.top+1), figures.Count(min(rb.top+room, len(rb.shown))), figures.Count(len(rb.shown)))
	}
	for i := rb.top; i < min(rb.top+room, len(rb.shown)); i++ {
		at := rb.shown[i]
		rows = append(rows, m.ruleRow(rb.book.Rules[at], at+1, width))
	}
	if detail > 0 {
		for len(rows) < list {
			rows = append(rows, draw.Spaces(width))
		}
		rows = append(rows, m.Styles.Row(width).Line(draw.Border, "─", width).String())
		rows = append(rows, m.ruleDetail(width, detail)...)
	}
	return l.Framed(a, f, 0, rows)
}

// noRules is the list when there is nothing in it.
func (m *model) noRules(width int) []string {
	p := m.Styles.Paper(width - 2)
	if m.rb.filter != "" {
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no rule passes the filter; esc shows all")
		return words.Pad(p.Rows, width)
	}
	p.SayBehind(draw.Text, "", 1, draw.Bold, "no rules yet: a person answers every call that does more than read")
	p.Blank()
	p.SayBehind(draw.Key, " A", 4, draw.Text, "on a waiting call makes a rule from it")
	p.SayBehind(draw.Key, " n", 4, draw.Text, "makes one from nothing")
	return words.Pad(p.Rows, width)
}

// ruleColumns are the widths of a rule's parts, in cells; 0 leaves a part out.
type ruleColumns struct{ number, state, scope, life, hits, last, source int }

func ruleWidths(width int) ruleColumns {
	switch {
	case width >= 100:
		return ruleColumns{number: 5, state: 9, scope: 22, life: 12, hits: 7, last: 10, source: 10}
	case width >= 66:
		return ruleColumns{number: 4, state: 9, scope: 13, life: 9, hits: 6, last: 8}
	case width >= 50:
		return ruleColumns{state: 9, life: 9, hits: 5}
	}
	return ruleColumns{state: 9}
}

// ruleState is whether a rule speaks, in a word.
func (m *model) ruleState(r rules.Rule) (string, draw.Ink) {
	word := words.Over(r, m.At)
	switch {
	case word != "":
		return word, draw.Warn
	case !r.Enabled:
		return "off", draw.Muted
	}
	return "on", draw.OK
}

// decisionInk is the ink of what a rule decides; the word stands beside it.
func decisionInk(v rules.Verdict) draw.Ink {
	switch v {
	case rules.Allow:
		return draw.OK
	case rules.Deny:
		return draw.Danger
	case rules.Ask, rules.Defer:
	}
	return draw.Warn
}

func (m *model) ruleRow(r rules.Rule, number, width int) string {
	cols := ruleWidths(width)
	if cols.number > 0 {
		cols.number = max(cols.number, len(strconv.Itoa(len(m.Book.Rules)))+2)
	}
	chosen := r.ID == m.rb.at
	line := m.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	state, stateInk := m.ruleState(r)
	text := draw.Text
	if state != "on" {
		text = draw.Muted
	}
	line.Put(draw.Key, bar)
	if cols.number > 0 {
		line.Put(draw.Muted, fmt.Sprintf("%*d ", cols.number-2, number))
	}
	at := line.Width
	line.Put(stateInk, state).To(at + cols.state)
	line.Put(decisionInk(r.Decision), draw.SafeLine(string(r.Decision))).To(at + cols.state + 6)
	end := width - cols.scope - cols.life - cols.hits - cols.last - cols.source
	m.ruleWhat(line, r, text, end-1-line.Width)
	m.ruleNumbers(line.To(end), r, cols, width)
	return line.To(width).String()
}

// ruleWhat writes tool and pattern.
func (m *model) ruleWhat(line *draw.Row, r rules.Rule, i draw.Ink, room int) {
	names := words.Where(r)
	if len(names) == 0 {
		line.Fit(draw.Bold, draw.SafeLine(r.Tool), room)
		return
	}
	text := words.Pattern(r, names[0])
	for _, name := range names[1:] {
		text += " " + draw.SafeLine(name) + "=" + words.Pattern(r, name)
	}
	if r.Dangerous {
		text = "!! " + text
	}
	if r.Tool == "Bash" && names[0] == "command" {
		line.Fit(i, text, room)
		return
	}
	tool := safe.Cut(draw.SafeLine(r.Tool), max(room/3, 6))
	line.Fit(draw.Bold, tool, room)
	line.Put(i, " ").Fit(i, text, room-draw.Cells(tool)-1)
}

func (m *model) ruleNumbers(line *draw.Row, r rules.Rule, cols ruleColumns, width int) {
	column := func(i draw.Ink, text string, n int) {
		if n > 0 {
			start := line.Width
			line.Fit(i, text, n-1).To(start + n)
		}
	}
	scope := words.Scope(r.Scope, m.Board)
	if r.Source != "" && cols.source == 0 {
		scope = ruleSource(r) + ": " + scope
	}
	column(draw.Muted, scope, cols.scope)
	column(draw.Muted, words.Life(r, m.At), cols.life)
	if cols.hits > 0 {
		line.Right(draw.Text, figures.Count(r.Uses), line.Width+cols.hits-1).Put(draw.Text, " ")
	}
	last := words.LastHit(r, m.At)
	i := draw.Muted
	if r.Uses == 0 {
		i = draw.Warn
	}
	column(i, last, cols.last)
	column(draw.Muted, ruleSource(r), cols.source)
	line.To(width)
}

// ruleSource is where a rule comes from, in a word.
func ruleSource(r rules.Rule) string {
	switch {
	case r.Source == "built in" || r.ID == rules.BuiltinReadOnly:
		return "built in"
	case r.Source != "":
		return "file"
	case r.CreatedBy == "" || r.CreatedBy == "operator":
		return "you"
	}
	return draw.SafeLine(r.CreatedBy)
}

// ruleDetail tells the selected rule in height rows. Where they do not hold all of it,
// the patterns are cut, for those the editor shows.
func (m *model) ruleDetail(width, height int) []string {
	r, ok := m.rb.selected()
	if !ok {
		return nil
	}
	side := min(1, max(0, width-draw.LeastPaper)/2)
	says, stands := m.Styles.Paper(width-2*side), m.Styles.Paper(width-2*side)
	m.writeRule(says, r)
	m.writeStanding(stands, r)
	rows := says.Rows
	if room := max(height-len(stands.Rows), 2); len(rows) > room {
		rows = append(rows[:room-1:room-1], m.Styles.Row(says.Width).Put(draw.Muted, "… enter shows all of it").To(says.Width).String())
	}
	rows = append(rows, stands.Rows...)
	out := make([]string, min(len(rows), height))
	for i := range out {
		out[i] = draw.Spaces(side) + rows[i] + draw.Spaces(side)
	}
	return out
}

// writeRule lays out what a rule says.
func (m *model) writeRule(p *draw.Paper, r rules.Rule) {
	word := draw.SafeLine(string(r.Decision))
	p.Write(draw.Fixed(decisionInk(r.Decision), word, text.LabelWidth), draw.Bold, r.Tool)
	if r.Dangerous {
		p.SayBehind(draw.Label, "", text.LabelWidth, draw.Danger, "dangerous, and meant to be")
	}
	for _, name := range words.Where(r) {
		p.WriteNamed(text.LabelWidth, name, r.Where[name])
	}
	if r.Reason != "" {
		p.Write(draw.Fixed(draw.Label, "reason", text.LabelWidth), draw.Text, r.Reason)
	}
}

// writeStanding lays out where and how long a rule holds, and where it comes from.
func (m *model) writeStanding(p *draw.Paper, r rules.Rule) {
	p.SayBehind(draw.Label, "holds", text.LabelWidth, draw.Text, m.ruleHolds(r))
	p.SayBehind(draw.Label, "used", text.LabelWidth, draw.Text, m.ruleUsed(r))
	p.SayBehind(draw.Label, "made", text.LabelWidth, draw.Text, m.ruleMade(r))
}

func (m *model) ruleHolds(r rules.Rule) string {
	where := "everywhere"
	if r.Scope != (rules.Scope{}) {
		where = "in " + words.Scope(r.Scope, m.Board)
		if r.Scope.Project != "" {
			where += " (" + safe.Line(r.Scope.Project) + ")"
		}
	}
	text := where + ", " + words.Until(r, m.At)
	if word := words.Over(r, m.At); word != "" {
		text = where + "; " + word + ", it no longer speaks"
	}
	if !r.Enabled {
		text += "; switched off"
	}
	return text
}

func (m *model) ruleUsed(r rules.Rule) string {
	if r.Uses == 0 {
		return "never hit"
	}
	text := figures.Plural(r.Uses, "time")
	if !r.LastUsedAt.IsZero() {
		text += ", last " + figures.Ago(m.At.Sub(r.LastUsedAt)) + " ago"
	}
	return text
}

func (m *model) ruleMade(r rules.Rule) string {
	var parts []string
	switch {
	case r.Source != "":
		parts = append(parts, "stands in "+safe.Line(r.Source)+" and is changed there")
	case r.CreatedBy == "" || r.CreatedBy == "operator":
		parts = append(parts, "by you")
	default:
		parts = append(parts, "by "+draw.SafeLine(r.CreatedBy))
	}
	if !r.CreatedAt.IsZero() {
		parts = append(parts, r.CreatedAt.In(m.At.Location()).Format("2 Jan 2006 15:04"))
	}
	if r.CreatedFrom != "" {
		parts = append(parts, "from a call")
	}
	parts = append(parts, fmt.Sprintf("priority %d (lower speaks first)", r.Priority))
	return strings.Join(parts, " · ")
}
