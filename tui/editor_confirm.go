package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/safe"
)

// confirmRows lays out the question: one sentence that says what will run from now on
// and until when. end is the row behind it.
func (m *model) confirmRows(width int) (rows []string, end int) {
	e := m.editor
	r := e.confirm.rule
	p := m.st.paper(width)
	p.say(inkBold, m.confirmHead(r))
	for _, name := range whereNames(r) {
		p.write(fixed(inkLabel, "  "+safe.Cut(safeLine(name), formLabel-1), formLabel+2), inkText, r.Where[name])
	}
	p.say(inkBold, m.confirmTail(r))
	if r.Dangerous {
		p.say(inkDanger, "It is dangerous, and runs nevertheless.")
	}
	end = len(p.rows)
	p.add(p.st.row(p.width).line(inkBorder, "─", p.width))
	m.writePreview(p, e)
	return p.rows, end
}

func (m *model) confirmHead(r rules.Rule) string {
	head := "From now on this runs without a question: "
	if !r.Enabled {
		head = "Once it is switched on, this runs without a question: "
	}
	head += "every call of " + safe.Line(r.Tool)
	if r.Tool == "*" || r.Tool == "**" {
		head = strings.TrimSuffix(head, safe.Line(r.Tool)) + "any tool"
	}
	if len(r.Where) > 0 {
		return head + " with"
	}
	return head + ", whatever it is about,"
}

// confirmTail is the end of the sentence: where, and until when.
func (m *model) confirmTail(r rules.Rule) string {
	where := "everywhere"
	var parts []string
	if r.Scope.Session != "" {
		parts = append(parts, "in session "+m.board.label(r.Scope.Session))
	}
	if r.Scope.Project != "" {
		parts = append(parts, "in project "+safe.Line(r.Scope.Project))
	}
	if r.Scope.Agent != "" {
		parts = append(parts, "by "+safe.Line(r.Scope.Agent))
	}
	if len(parts) > 0 {
		where = strings.Join(parts, ", ")
	}
	return where + ", " + m.until(r) + "."
}

// until says when a rule ends.
func (m *model) until(r rules.Rule) string {
	var parts []string
	if !r.ExpiresAt.IsZero() {
		at := r.ExpiresAt.In(m.at.Location())
		text := at.Format("15:04")
		if at.YearDay() != m.at.YearDay() || at.Year() != m.at.Year() {
			text = at.Format("2 Jan 2006 15:04")
		}
		parts = append(parts, "until "+text+" ("+span(at.Sub(m.at))+")")
	}
	if r.MaxUses > 0 {
		parts = append(parts, plural(max(0, r.MaxUses-r.Uses), "time"))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, " and at most ")
	case r.Scope.Session != "":
		return "as long as that session"
	}
	return "for ever"
}

// span is a rule's life for people: 15 min, 1 h, 3 d.
func span(d time.Duration) string {
	switch {
	case d < time.Hour-time.Second:
		return fmt.Sprintf("%d min", int((d+time.Minute-1)/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int((d+time.Second)/time.Hour))
	}
	return fmt.Sprintf("%d d", int(d/(24*time.Hour)))
}
