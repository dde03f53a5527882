package rulebook

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

const (
	ruleDetailFrom = 14 // rows of a list from which the selected rule is told in full below it
	ruleDetailRows = 6  // of a low window; a higher one has more
	ruleDetailMost = 9
)

// listHeights divides the rules screen between the list and the selected rule. One row
// between them is a line. A low window has no room for details.
func listHeights(height int) (list, detail int) {
	if height < ruleDetailFrom {
		return height, 0
	}
	detail = min(max(height/4, ruleDetailRows), ruleDetailMost)
	return height - detail - 1, detail
}

// head are the rows above the list: what keeps all rules from allowing, when there is
// such a thing.
func (l *Rules) head(width int) []string {
	problem := l.Book.Problem
	if problem == "" {
		return nil
	}
	return []string{l.Styles.Row(width).Put(draw.Danger, " ! ").Fit(draw.Danger, "no rule may allow anything now: "+draw.SafeLine(problem), width-4).To(width).String()}
}

// View draws the list, and below it all about the selected rule.
func (l *Rules) View(_, _ int) []string {
	width, height := area(l.Desk)
	f := l.caption()
	rows := l.head(width)
	if len(l.shown) == 0 {
		return listed(l.Desk, f, append(rows, l.noRules(width)...))
	}
	list, detail := listHeights(height)
	room := list - len(rows)
	f.Right = inSight(l.top, room, len(l.shown))
	for i := l.top; i < min(l.top+room, len(l.shown)); i++ {
		at := l.shown[i]
		rows = append(rows, l.ruleRow(l.book.Rules[at], at+1, width))
	}
	if l.book.Own() == 0 && l.filter == "" {
		rows = append(append(rows, draw.Spaces(width)), l.noRules(width)...)
		rows = rows[:min(len(rows), list)]
	}
	if detail > 0 {
		// The line stands at the same height, however few rules there are.
		for len(rows) < list {
			rows = append(rows, draw.Spaces(width))
		}
		rows = append(rows, l.Styles.Row(width).Line(draw.Border, "─", width).String())
		rows = append(rows, l.ruleDetail(width, detail)...)
	}
	return listed(l.Desk, f, rows)
}

// caption says how many rules there are, and what their order means.
func (l *Rules) caption() draw.Caption {
	if l.filter != "" {
		return draw.Caption{
			Title: fmt.Sprintf("Rules %s of %s", figures.Count(len(l.shown)), figures.Count(len(l.book.Rules))),
			Note:  "/" + draw.SafeLine(l.filter),
		}
	}
	return draw.Caption{Title: "Rules " + figures.Count(len(l.book.Rules)), Note: "first match decides, any deny wins"}
}

// noRules is the list when there is nothing in it: why, and how to make the first one.
func (l *Rules) noRules(width int) []string {
	p := l.Styles.Paper(width - 2)
	// An empty list because of a filter must not read as if there were no rules.
	if l.filter != "" {
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no rule passes the filter; esc shows all")
		return words.Pad(p.Rows, width)
	}
	p.SayBehind(draw.Text, "", 1, draw.Bold, "no rules of yours yet: a person answers every call that does more than look")
	p.Blank()
	p.SayBehind(draw.Key, " A", 4, draw.Text, "on a waiting call makes a rule from it")
	p.SayBehind(draw.Key, " n", 4, draw.Text, "makes one from nothing")
	return words.Pad(p.Rows, width)
}

// ruleColumns are the widths of a rule's parts, in cells; 0 leaves a part out. The
// widths fit the longest words that the columns have.
type ruleColumns struct{ number, state, scope, life, hits, last, source int }

// ruleWidths fits the columns to a window. What tells least of a rule goes first.
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

// ruleState is whether a rule speaks, in a word: over, off or on.
func (l *Rules) ruleState(r rules.Rule) (string, draw.Ink) {
	word := words.Over(r, l.At)
	_, asked := l.Book.LookAsked(l.At)
	switch {
	case r.ID == rules.BuiltinLook && asked:
		return "off", draw.Muted
	case word != "":
		return word, draw.Warn
	case !r.Enabled:
		return "off", draw.Muted
	}
	return "on", draw.OK
}

// ruleRow is one rule on one row. number is its place among all rules, from 1, also in
// a filtered list: it says in which order the rules speak.
func (l *Rules) ruleRow(r rules.Rule, number, width int) string {
	cols := ruleWidths(width)
	if cols.number > 0 {
		// The number's column grows with the list, so that no number is cut.
		cols.number = max(cols.number, len(strconv.Itoa(len(l.book.Rules)))+2)
	}
	line := begin(l.Desk, r.ID == l.at, width)
	state, stateInk := l.ruleState(r)
	text := draw.Text
	if state != "on" {
		text = draw.Muted
	}
	if cols.number > 0 {
		line.Put(draw.Muted, fmt.Sprintf("%*d ", cols.number-2, number))
	}
	at := line.Width
	line.Put(stateInk, state).To(at + cols.state)
	line.Put(decisionInk(r.Decision), draw.SafeLine(string(r.Decision))).To(at + cols.state + 6)
	end := width - cols.scope - cols.life - cols.hits - cols.last - cols.source
	l.ruleWhat(line, r, text, end-1-line.Width)
	l.ruleNumbers(line.To(end), r, cols, width)
	return line.To(width).String()
}

// ruleWhat writes tool and pattern into so many cells. A rule about commands leaves
// its tool out, as nearly all of them are about Bash.
func (l *Rules) ruleWhat(line *draw.Row, r rules.Rule, i draw.Ink, room int) {
	names := words.Where(r)
	if len(names) == 0 {
		line.Fit(draw.Bold, words.RuleTitle(r), room)
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

// ruleNumbers writes the columns behind the pattern. A rule that was never used stands
// out: it may be one to remove.
func (l *Rules) ruleNumbers(line *draw.Row, r rules.Rule, cols ruleColumns, width int) {
	column := func(i draw.Ink, text string, n int) {
		if n > 0 {
			start := line.Width
			line.Fit(i, text, n-1).To(start + n)
		}
	}
	scope := words.Scope(r.Scope, l.Board)
	if r.Source != "" && cols.source == 0 {
		// Where there is no column for it, a rule of a file says so in front of its
		// scope.
		scope = ruleSource(r) + ": " + scope
	}
	if r.ID == rules.BuiltinLook && cols.source == 0 {
		scope = ruleSource(r)
	}
	column(draw.Muted, scope, cols.scope)
	column(draw.Muted, words.Life(r, l.At), cols.life)
	if r.ID == rules.BuiltinLook { // its uses are not counted
		line.To(line.Width + cols.hits + cols.last)
		column(draw.Muted, ruleSource(r), cols.source)
		line.To(width)
		return
	}
	if cols.hits > 0 {
		line.Right(draw.Text, figures.Count(r.Uses), line.Width+cols.hits-1).Put(draw.Text, " ")
	}
	last := words.LastHit(r, l.At)
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
// the patterns are cut, for those the editor shows. How long it holds is never cut.
func (l *Rules) ruleDetail(width, height int) []string {
	r, ok := l.selected()
	if !ok {
		return nil
	}
	side := min(1, max(0, width-draw.LeastPaper)/2)
	says, stands := l.Styles.Paper(width-2*side), l.Styles.Paper(width-2*side)
	writeRule(says, r)
	l.writeStanding(stands, r)
	rows := says.Rows
	if room := max(height-len(stands.Rows), 2); len(rows) > room {
		// Cutting is told, for half a pattern could pass for the whole one.
		rows = append(rows[:room-1:room-1], l.Styles.Row(says.Width).Put(draw.Muted, "… enter shows all of it").To(says.Width).String())
	}
	rows = append(rows, stands.Rows...)
	// The rows are set in from both edges; a very narrow window has no room for that.
	out := make([]string, min(len(rows), height))
	for i := range out {
		out[i] = draw.Spaces(side) + rows[i] + draw.Spaces(side)
	}
	return out
}

// writeStanding lays out where and how long a rule holds, and where it comes from.
func (l *Rules) writeStanding(p *draw.Paper, r rules.Rule) {
	if r.ID == rules.BuiltinLook {
		p.SayBehind(draw.Label, "built in", label, draw.Text, l.lookHolds())
		return
	}
	p.SayBehind(draw.Label, "holds", label, draw.Text, l.ruleHolds(r))
	p.SayBehind(draw.Label, "used", label, draw.Text, l.ruleUsed(r))
	p.SayBehind(draw.Label, "made", label, draw.Text, l.ruleMade(r))
}

// ruleHolds says where and until when a rule speaks, or why it no longer does.
func (l *Rules) ruleHolds(r rules.Rule) string {
	where := "everywhere"
	if r.Scope != (rules.Scope{}) {
		where = "in " + words.Scope(r.Scope, l.Board)
		if r.Scope.Project != "" {
			where += " (" + safe.Line(r.Scope.Project) + ")"
		}
	}
	text := where + ", " + words.Until(r, l.At)
	if word := words.Over(r, l.At); word != "" {
		text = where + "; " + word + ", it no longer speaks"
	}
	if !r.Enabled {
		text += "; switched off"
	}
	return text
}

// ruleUsed says how often a rule helped to decide, and when last.
func (l *Rules) ruleUsed(r rules.Rule) string {
	if r.Uses == 0 {
		return "never hit"
	}
	text := figures.Plural(r.Uses, "time")
	if !r.LastUsedAt.IsZero() {
		text += ", last " + figures.Ago(l.At.Sub(r.LastUsedAt)) + " ago"
	}
	return text
}

// ruleMade says who made a rule and when, and how early it speaks.
func (l *Rules) ruleMade(r rules.Rule) string {
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
		parts = append(parts, r.CreatedAt.In(l.At.Location()).Format("2 Jan 2006 15:04"))
	}
	if r.CreatedFrom != "" {
		parts = append(parts, "from a call")
	}
	parts = append(parts, fmt.Sprintf("priority %d (lower speaks first)", r.Priority))
	return strings.Join(parts, " · ")
}
