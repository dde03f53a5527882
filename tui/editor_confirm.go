package tui

import (
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// confirmRows lays out the question: one sentence that says what will run from now on
// and until when. end is the row behind it.
func (m *model) confirmRows(width int) (rows []string, end int) {
	e := m.editor
	r := e.confirm.rule
	p := m.Styles.Paper(width)
	m.writeGone(p)
	p.Say(draw.Bold, m.confirmHead(r))
	for _, name := range words.Where(r) {
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
		parts = append(parts, "in session "+m.Board.Label(r.Scope.Session))
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
	return where + ", " + words.Until(r, m.At) + "."
}
