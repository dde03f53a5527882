package ruleedit

import (
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// confirmRows lays out the question: one sentence that says what will run from now on
// and until when. end is the row behind it. The waiting calls that it would decide
// follow, all of them, since saving decides them in the same moment.
func (x *Screen) confirmRows(width int) (rows []string, end int) {
	p := page{x, x.editor, x.Styles.Paper(width)}
	r := x.editor.confirm.rule
	// The call may have ended while the question was on the screen; the rule is still
	// of use.
	p.gone()
	p.Say(draw.Bold, confirmHead(r))
	p.meanings(r.Effects)
	for _, name := range words.Where(r) {
		p.WriteNamed(text.LabelWidth+2, "  "+name, r.Where[name])
	}
	p.Say(draw.Bold, p.confirmTail(r))
	// The question repeats the danger, because the card that said it is out of sight.
	if r.Dangerous {
		p.Say(draw.Danger, "It is dangerous, and runs nevertheless.")
	}
	end = len(p.Rows)
	p.rule()
	p.preview(waitingListed)
	return p.Rows, end
}

// confirmHead is the beginning of the sentence, up to the patterns. It names the tool
// as the rule does and never what a pattern seems to mean.
func confirmHead(r rules.Rule) string {
	begins := "From now on "
	if !r.Enabled {
		begins = "Once it is switched on, "
	}
	if r.Effects != 0 {
		return begins + "calls run without a question that do nothing but this, or what is granted already:"
	}
	head := begins + "this runs without a question: "
	head += "every call of " + safe.Line(r.Tool)
	// "any tool" reads as what it is; a star is easily overlooked.
	if r.Tool == "*" || r.Tool == "**" {
		head = strings.TrimSuffix(head, safe.Line(r.Tool)) + "any tool"
	}
	if len(r.Where) > 0 {
		return head + " with"
	}
	return head + ", whatever it is about,"
}

// confirmTail is the end of the sentence: where, and until when. All parts of a scope
// must fit, so all of them are named.
func (p page) confirmTail(r rules.Rule) string {
	where := "everywhere"
	var parts []string
	if r.Scope.Session != "" {
		// The session's name is an agent's word; Label has made it safe.
		parts = append(parts, "in session "+p.x.Board.Label(r.Scope.Session))
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
	return where + ", " + words.Until(r, p.x.At) + "."
}
