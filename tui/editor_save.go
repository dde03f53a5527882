package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
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

// confirm is the question before a rule that allows is saved. What it shows is what is
// saved, to the very moment of its end.
type confirm struct {
	rule rules.Rule
	top  int
	seen bool // its sentence was on the screen to the end
}

// editorEnter takes the key that saves: at once what refuses, after a question what
// allows, and for once the call alone.
func (m *model) editorEnter() tea.Cmd {
	e := m.editor
	wait, refusal := m.Press("enter")
	r, problem := e.rule(m.At)
	switch {
	case refusal != "":
		e.hint = refusal
	case m.tooSmall():
		e.hint = m.tooSmallText()
	case e.unready() != "":
		e.hint = e.unready()
	case e.once():
		return m.saveOnce(wait)
	case problem != nil:
		e.wrong, e.focus = problem, problem.field
	case e.wrong != nil:
		e.hint = "not saved: this rule has a mistake"
		e.showWrong()
	case !e.preview.fresh():
		e.hint = "still being tried: enter again in a moment"
	case r.Decision != rules.Allow:
		return m.InAMoment(wait, func() tea.Cmd { return m.saveRule(r) })
	default:
		if e.hint = m.mayAllow(); e.hint == "" {
			e.confirm = &confirm{rule: r}
			m.Guard.Doubt(m.At)
		}
	}
	return nil
}

// showWrong gives the focus to the field that has the mistake.
func (e *editor) showWrong() {
	for _, f := range e.fields() {
		if f == e.wrong.field {
			e.focus = f
		}
	}
}

// unready says why nothing can be saved from the form as it is.
func (e *editor) unready() string {
	switch {
	case e.once() && (e.verdict() == rules.Ask || e.verdict() == rules.Defer):
		return "this call is being asked already: choose allow or deny"
	case e.once() && e.gone != "":
		return "nothing to decide: this call " + e.gone
	case e.needsCode() && strings.TrimSpace(e.typed.String()) != e.code:
		e.focus = field{kind: fieldCode}
		return "dangerous: type " + e.code + " here to allow"
	}
	return ""
}

// mayAllow says why a rule that allows must not be saved now: it would decide the card,
// which must be the one that was shown, and read. A card that has ended is past that.
func (m *model) mayAllow() string {
	e := m.editor
	c := m.Board.Cards[e.card.ID]
	switch {
	case e.card.ID == "" || c == nil || c.Late():
		return ""
	case !c.Key().SameCall(e.card):
		return "the call is not the one that was shown: esc, and look again"
	case locked(c):
		return "the call was not read to the end: esc, then G"
	case c.Sending != "":
		return "the call was sent already; waiting for the record"
	}
	return ""
}

// saveOnce decides the call and makes no rule.
func (m *model) saveOnce(wait time.Duration) tea.Cmd {
	e := m.editor
	if e.decided() == broker.Allow {
		if e.hint = m.mayAllow(); e.hint != "" {
			return nil
		}
	}
	return m.InAMoment(wait, func() tea.Cmd {
		c := m.Board.Cards[e.card.ID]
		m.editor = nil
		if c == nil || !c.Key().SameCall(e.card) {
			return m.Say(draw.Warn, "this call is no longer waiting: nothing was decided")
		}
		return m.send(c.Key(), e.decided(), e.onceReason())
	})
}

// onceReason is what the agent is told of a denial.
func (e *editor) onceReason() string {
	if e.verdict() == rules.Deny {
		return e.reason.String()
	}
	return ""
}

// confirmKey takes a key while the question is on the screen.
func (m *model) confirmKey(msg tea.KeyMsg) tea.Cmd {
	e, k := m.editor, m.editorKeys
	_, height := m.editorRoom()
	switch {
	case msg.Paste:
		e.hint = "pasted text saves nothing"
	case key.Matches(msg, k.Save):
		return m.confirmEnter()
	case key.Matches(msg, k.ConfirmDown):
		e.confirm.top += max(1, height/2)
	case key.Matches(msg, k.ConfirmUp):
		e.confirm.top -= max(1, height/2)
	case key.Matches(msg, k.ConfirmBottom):
		e.confirm.top += 1 << 20
	case key.Matches(msg, k.ConfirmTop):
		e.confirm.top = 0
	default:
		e.hint = "enter saves the rule, esc goes back"
	}
	return nil
}

// confirmEnter is the second enter.
func (m *model) confirmEnter() tea.Cmd {
	e := m.editor
	wait, refusal := m.Press("enter")
	switch {
	case refusal != "":
		e.hint = refusal
	case m.tooSmall():
		e.hint = m.tooSmallText()
	case !e.confirm.seen:
		e.hint = "read to the end first: G"
	default:
		if e.hint = m.mayAllow(); e.hint == "" {
			r := e.confirm.rule
			return m.InAMoment(wait, func() tea.Cmd { return m.saveRule(r) })
		}
	}
	return nil
}

// saveRule hands the editor's rule to the broker.
func (m *model) saveRule(r rules.Rule) tea.Cmd {
	e := m.editor
	if e == nil {
		return nil
	}
	if r.Decision == rules.Allow {
		if e.hint = m.mayAllow(); e.hint != "" {
			return nil
		}
	}
	e.saving, e.listed = true, map[string]bool{}
	if got := e.preview.got; got != nil {
		for _, w := range got.Waiting {
			e.listed[w.ID] = true
		}
	}
	return m.putRule(e.gen, r, "")
}

// putRule makes r hold. gen is the editor's that it comes from, or 0; told is what to say of
// it, where that is not what the rule does.
func (m *model) putRule(gen int, r rules.Rule, told string) tea.Cmd {
	ctx, console, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		saved, err := console.SaveRule(ctx, r, by)
		return ruleSavedMsg{gen: gen, asked: r, saved: saved, told: told, err: err}
	}
}

// ruleSaved tells what became of a rule.
func (m *model) ruleSaved(msg ruleSavedMsg) tea.Cmd {
	e := m.editor
	ours := msg.gen != 0 && e != nil && e.gen == msg.gen
	if ours {
		e.saving = false
	}
	if msg.err != nil {
		return m.ruleRefused(msg, ours)
	}
	if ours {
		m.editor = nil
		m.Guard.Doubt(m.At)
		m.savedRule = msg.saved.Rule.ID
		m.broadcast(desk.RuleSaved{Rule: m.savedRule})
	}
	if msg.told != "" {
		return m.Say(draw.OK, msg.told)
	}
	var listed map[string]bool
	if ours {
		listed = e.listed
	}
	return m.saySaved(msg.saved, listed)
}

// ruleRefused keeps the editor open and says why the broker did not take its rule.
func (m *model) ruleRefused(msg ruleSavedMsg, ours bool) tea.Cmd {
	text := words.NotSaved(msg.err)
	switch {
	case text == "":
		return nil
	case ours && errors.Is(msg.err, broker.ErrConflict):
		text = "not saved: the rule was changed meanwhile; close and open it again"
	case ours && errors.Is(msg.err, broker.ErrInvalid):
		m.editor.wrong = m.editor.faultOf(msg.err)
		text = "not saved: " + m.editor.wrong.problem
	}
	if ours {
		m.editor.confirm, m.editor.hint = nil, text
		return nil
	}
	return m.Say(draw.Danger, text)
}

// justSaved reports whether a call was ended by the rule that was saved last; which
// calls those are is said when it is saved.
func (m *model) justSaved(a broker.Actor) bool {
	return a.Kind == broker.ByRule && a.ID != "" && a.ID == m.savedRule
}

// saySaved tells what a saved rule does, and which calls it decided: those first that
// came so late that they were not among the listed ones. A nil list says nothing.
func (m *model) saySaved(s broker.SavedRule, listed map[string]bool) tea.Cmd {
	what := "rule saved: " + words.RuleSays(s.Rule, m.Board, m.At)
	if !s.Rule.Enabled {
		what = "rule saved, and off: " + words.RuleText(s.Rule)
	}
	if len(s.Decided) == 0 {
		return m.Say(draw.OK, what+"; it decided no waiting call", what, "rule saved")
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
	i := draw.OK
	if len(late) > 0 {
		calls += fmt.Sprintf(", %s not listed before", figures.Count(len(late)))
		i = draw.Warn
	}
	list := strings.Join(append(late, early...), ", ")
	brief := "rule saved; " + calls
	cut := brief
	if room := m.width - 2 - draw.Cells(brief+": "); room >= leastList {
		cut += ": " + safe.Cut(list, room)
	}
	return m.Say(i, what+"; "+calls+": "+list, brief+": "+list, cut, brief)
}

// leastList is how many cells of a cut list still tell something.
const leastList = 16
