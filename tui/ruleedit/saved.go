package ruleedit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// saveRule hands the form's rule to the broker. It is called a moment after the key,
// so it looks once more whether the rule may allow. The calls that were listed are
// noted: others may come before the rule holds.
func (x *Screen) saveRule(r rules.Rule) tea.Cmd {
	e := x.editor
	if e == nil {
		return nil
	}
	if r.Decision == rules.Allow {
		if e.hint = x.mayAllow(); e.hint != "" {
			return nil
		}
	}
	// From here on a second enter does nothing, so no rule is saved twice.
	e.saving, e.listed = true, map[string]bool{}
	if got := e.preview.got; got != nil {
		for _, w := range got.Waiting {
			e.listed[w.ID] = true
		}
	}
	ctx, b, by := x.Ctx, x.broker, x.Operator
	return func() tea.Msg {
		saved, err := b.SaveRule(ctx, r, by)
		return desk.RuleSaved{From: e, Saved: saved, Err: err}
	}
}

// saved tells what became of a rule. Its editor may have been left meanwhile, and then
// only the sentence remains.
func (x *Screen) saved(msg desk.RuleSaved) tea.Cmd {
	e, ours := msg.From.(*editor)
	if !ours {
		return nil
	}
	if e != x.editor {
		e = nil
	}
	if msg.Err != nil {
		return x.refused(msg.Err, e)
	}
	if e == nil {
		return x.saySaved(msg.Saved, nil)
	}
	x.Guard.Doubt(x.At)
	return tea.Batch(x.close(), x.saySaved(msg.Saved, e.listed))
}

// refused says why the broker did not take a rule; its editor e stays open, unless it
// was left. The question is closed: what it asked about does not hold.
func (x *Screen) refused(err error, e *editor) tea.Cmd {
	// The console is being closed, and nobody would read why.
	if errors.Is(err, context.Canceled) {
		if e != nil {
			e.saving = false
		}
		return nil
	}
	why := "not saved: " + e.fault(err)
	if e == nil {
		return x.Say(draw.Danger, why)
	}
	e.saving, e.confirm, e.hint = false, nil, why
	return nil
}

// fault is what the broker has against a rule. Where that is about a field of e, it is
// noted there; e may be nil. The result is safe to draw.
func (e *editor) fault(err error) string {
	switch {
	case errors.Is(err, broker.ErrConflict):
		return "the rule was changed meanwhile; close and open it again"
	case errors.Is(err, broker.ErrNotRecorded):
		return "it could not be recorded, so it does not hold"
	case errors.Is(err, broker.ErrNotFound):
		return "the rule was removed meanwhile"
	case e != nil && errors.Is(err, broker.ErrInvalid):
		e.wrong = e.faultOf(err)
		return e.wrong.problem
	}
	return draw.SafeLine(err.Error())
}

// saySaved tells what a saved rule does, and which calls it decided: those first that
// came so late that they were not among the listed ones. A nil list says nothing.
//
// Say takes several forms of the sentence, the longest first, and shows the first that
// has room.
func (x *Screen) saySaved(s broker.SavedRule, listed map[string]bool) tea.Cmd {
	what := "rule saved: " + words.RuleSays(s.Rule, x.Board, x.At)
	if !s.Rule.Enabled {
		what = "rule saved, and off: " + words.RuleText(s.Rule)
	}
	if len(s.Decided) == 0 {
		return x.Say(draw.OK, what+"; it decided no waiting call", what, "rule saved")
	}
	var early, late []string
	for _, r := range s.Decided {
		name := callview.SummaryOf(r).Text
		if listed != nil && !listed[r.ID] {
			late = append(late, name)
			continue
		}
		early = append(early, name)
	}
	calls := "it decided " + figures.Plural(len(s.Decided), "waiting call")
	// Calls that came after the list was drawn were decided unseen, so they are named
	// first and in another ink.
	i := draw.OK
	if len(late) > 0 {
		calls += fmt.Sprintf(", %s not listed before", figures.Count(len(late)))
		i = draw.Warn
	}
	list := strings.Join(append(late, early...), ", ")
	brief := "rule saved; " + calls
	cut := brief
	if room := x.Width - 2 - draw.Cells(brief+": "); room >= leastList {
		cut += ": " + safe.Cut(list, room)
	}
	return x.Say(i, what+"; "+calls+": "+list, brief+": "+list, cut, brief)
}

// leastList is how many cells of a cut list still tell something.
const leastList = 16
