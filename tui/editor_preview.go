package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/sheet"
	"github.com/aoctl/aoctl/tui/words"
)

const (
	// previewAfter is how long the form must rest before its rule is tried: a person
	// who types leaves shorter pauses.
	previewAfter = 120 * time.Millisecond
	// previewAgain is how soon it is tried again when the waiting calls have changed.
	previewAgain = 500 * time.Millisecond
	// waitingShown is how many of the calls are listed that a rule would decide.
	waitingShown = 5
	// waitingListed is how many of them the question before saving lists.
	waitingListed = 500
)

// preview is what is known of what the form's rule would have done.
type preview struct {
	version int  // of the form; grows with every change
	asking  bool // the broker is at work
	again   bool // the form has changed since it was asked
	renew   bool // the waiting calls have changed, and it will be asked anew
	of      int  // the version that got is about
	got     *broker.Preview
	err     error // why there is none; the rule itself is in order
}

// fresh reports whether what is known is about the form as it is.
func (p *preview) fresh() bool { return p.of == p.version && (p.got != nil || p.err != nil) }

// editorChanged has the form's rule tried once it rests.
func (m *model) editorChanged() tea.Cmd {
	e := m.editor
	e.preview.version++
	e.wrong = nil
	return previewLater(e.gen, e.preview.version, previewAfter)
}

func previewLater(gen, version int, after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return previewDueMsg{gen: gen, version: version} })
}

// editorNews has the rule tried again because calls came or went.
func (m *model) editorNews(list []broker.Update) tea.Cmd {
	e := m.editor
	if e == nil {
		return nil
	}
	requests := false
	for _, u := range list {
		if u.Request == nil {
			continue
		}
		requests = true
		if r := *u.Request; r.ID == e.card.ID && r.State.Terminal() && e.gone == "" {
			e.gone = m.Book.Ended(r)
		}
	}
	if !requests || e.loading || e.preview.renew || e.once() {
		return nil
	}
	e.preview.renew = true
	return previewLater(e.gen, e.preview.version, previewAgain)
}

// previewDue asks the broker, unless the form has changed again or an answer is still
// to come.
func (m *model) previewDue(msg previewDueMsg) tea.Cmd {
	e := m.editor
	if e == nil || e.gen != msg.gen {
		return nil
	}
	p := &e.preview
	p.renew = false
	switch {
	case msg.version != p.version || e.once() || e.loading:
		return nil
	case p.asking:
		p.again = true
		return nil
	}
	return m.askPreview()
}

func (m *model) askPreview() tea.Cmd {
	e := m.editor
	r, problem := e.rule(m.At)
	if problem != nil {
		e.wrong = problem
		return nil
	}
	r.Enabled = true // also of a rule that is off: what would it match if it were on?
	e.preview.asking, e.preview.again = true, false
	ctx, console, gen, version := m.Ctx, m.console, e.gen, e.preview.version
	return func() tea.Msg {
		got, err := console.Preview(ctx, r)
		return previewMsg{gen: gen, version: version, preview: got, err: err}
	}
}

// previewCame takes the broker's answer. One about an earlier form is dropped.
func (m *model) previewCame(msg previewMsg) tea.Cmd {
	e := m.editor
	if e == nil || e.gen != msg.gen {
		return nil
	}
	p := &e.preview
	p.asking = false
	if msg.version != p.version {
		if p.again {
			return m.askPreview()
		}
		return nil
	}
	p.of, p.got, p.err = msg.version, nil, nil
	switch {
	case errors.Is(msg.err, broker.ErrInvalid):
		e.wrong = e.faultOf(msg.err)
		p.err = msg.err
	case msg.err != nil:
		p.err = msg.err
	default:
		p.got = &msg.preview
	}
	if p.again {
		return m.askPreview()
	}
	return nil
}

// writePreview lays out what the form's rule would have done. What was found for an
// earlier form stays, marked as such, so that the screen does not jump while typing.
// most is how many waiting calls are listed.
func (m *model) writePreview(p *draw.Paper, e *editor, most int) {
	v := &e.preview
	switch {
	case e.once():
		p.Say(draw.Muted, "once makes no rule: it decides this call alone")
		return
	case e.wrong != nil:
		p.Say(draw.Warn, "a rule with a mistake cannot be tried or saved")
		return
	case v.fresh() && v.err != nil:
		p.Say(draw.Warn, "could not be tried: "+draw.SafeLine(v.err.Error()))
		return
	case v.got == nil:
		p.Say(draw.Muted, "trying it on the past calls …")
		return
	}
	text := draw.Text
	if !v.fresh() {
		text = draw.Faint
		p.Say(draw.Muted, "trying it on the past calls … before:")
	}
	m.writePast(p, v.got, e.verdict(), text)
	if e.off() {
		p.Say(draw.Muted, "off: decides nothing before it is switched on")
		return
	}
	if v.fresh() && m.leaves(v.got.Waiting) {
		p.Say(draw.Warn, "does not decide this call, which goes on waiting")
	}
	m.writeWaiting(p, v.got.Waiting, text, most)
}

// leaves reports whether the call that the rule is made from is none of those that it
// would decide.
func (m *model) leaves(decided []broker.Request) bool {
	e := m.editor
	c := m.Board.Cards[e.card.ID]
	return c != nil && !c.Late() && e.verdict() != rules.Ask && e.verdict() != rules.Defer &&
		!slices.ContainsFunc(decided, func(r broker.Request) bool { return r.ID == e.card.ID })
}

// writePast tells how the past calls that the rule matches had ended, and lists those
// that it would have decided otherwise than the operator.
func (m *model) writePast(p *draw.Paper, v *broker.Preview, verdict rules.Verdict, text draw.Ink) {
	if v.Past == 0 {
		p.Say(text, "there are no past calls yet to try it on")
		return
	}
	if v.Matched == 0 {
		p.Say(text, "would have matched none of "+figures.Plural(v.Past, "past call"))
		return
	}
	parts := []string{fmt.Sprintf("%s you allowed", figures.Count(v.Allowed)), fmt.Sprintf("%s you denied", figures.Count(v.Denied))}
	if v.Other > 0 {
		parts = append(parts, figures.Count(v.Other)+" ended otherwise")
	}
	p.Say(text, fmt.Sprintf("would have matched %s: %s", figures.Plural(v.Matched, "past call"), strings.Join(parts, ", ")))
	if len(v.Against) == 0 {
		return
	}
	i := draw.Warn
	if text == draw.Faint {
		i = draw.Faint
	}
	word := "you denied:"
	if verdict == rules.Deny {
		word = "you allowed:"
	}
	p.Say(i, word)
	for _, r := range v.Against {
		at := r.CreatedAt
		if r.Outcome != nil {
			at = r.Outcome.At
		}
		m.writeCall(p, r, m.when(at), i)
	}
}

// writeWaiting lists the waiting calls that saving the rule would decide.
func (m *model) writeWaiting(p *draw.Paper, waiting []broker.Request, text draw.Ink, most int) {
	if len(waiting) == 0 {
		p.Say(draw.Muted, "decides no waiting call now")
		return
	}
	p.Say(text, fmt.Sprintf("decides %s now:", figures.Plural(len(waiting), "waiting call")))
	for _, r := range waiting[:min(len(waiting), most)] {
		m.writeCall(p, r, figures.Clock(m.At.Sub(r.CreatedAt)), text)
	}
	if more := len(waiting) - most; more > 0 {
		p.Say(draw.Muted, "  … and "+figures.Count(more)+" more")
	}
}

// writeCall is one call on one row: when, whose, what.
func (m *model) writeCall(p *draw.Paper, r broker.Request, when string, i draw.Ink) {
	const timeWidth = 11
	line := p.Styles.Row(p.Width).Put(draw.Muted, "  "+when+" ")
	if p.Width >= 50 {
		line.To(timeWidth).Fit(draw.Muted, words.Whose(r, m.Board), 14).To(timeWidth + 15)
	}
	s := callview.SummaryOf(r)
	if s.Tool != "Bash" {
		line.Put(i, s.Tool+" ")
	}
	sheet.Put(line, s, i, p.Width-line.Width)
	p.Add(line)
}

// when is a moment in few cells: the time of day, or the date when that is another day.
func (m *model) when(t time.Time) string {
	t, now := t.In(m.At.Location()), m.At
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("2 Jan")
}
