package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// confirmRows lays out the question: one sentence that says what will run from now on
// and until when. end is the row behind it.
func (m *model) confirmRows(width int) (rows []string, end int) {
	e := m.editor
	r := e.confirm.rule
	p := m.st.Paper(width)
	m.writeGone(p)
	p.Say(draw.Bold, m.confirmHead(r))
	for _, name := range whereNames(r) {
		p.WriteNamed(formLabel+2, "  "+name, r.Where[name])
	}
	p.Say(draw.Bold, m.confirmTail(r))
	if r.Dangerous {
		p.Say(draw.Danger, "It is dangerous, and runs nevertheless.")
	}
	end = len(p.Rows)
	p.Add(p.Styles.Row(p.Width).Line(draw.Border, "─", p.Width))
	m.writePreview(p, e, waitingListed)
	return p.Rows, end
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
		parts = append(parts, "in session "+m.board.Label(r.Scope.Session))
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
		parts = append(parts, figures.Plural(max(0, r.MaxUses-r.Uses), "time"))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, " and at most ")
	case r.Scope.Session != "":
		return "as long as that session"
	}
	return "for ever"
}

// span is a rule's life for people: 15 min, 1 h, 3 d. A minute that has begun counts
// whole, so that a rule for an hour is one for an hour while it is looked at.
func span(d time.Duration) string {
	minutes := int((d + time.Minute - 1) / time.Minute)
	switch {
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	case minutes < 48*60:
		return fmt.Sprintf("%d h", minutes/60)
	}
	return fmt.Sprintf("%d d", minutes/(24*60))
}
