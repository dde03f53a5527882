package ruleedit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// preview lays out what the form's rule would have done. What was found for an earlier
// form stays, marked as such, so that the screen does not jump while typing. most is
// how many waiting calls are listed.
func (p page) preview(most int) {
	e := p.e
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
	p.past(v.got, text)
	if e.off() {
		p.Say(draw.Muted, "off: decides nothing before it is switched on")
		return
	}
	if v.fresh() && p.leaves(v.got.Waiting) {
		p.Say(draw.Warn, "does not decide this call, which goes on waiting")
	}
	p.waiting(v.got.Waiting, text, most)
}

// leaves reports whether the call that the rule is made from is none of those that it
// would decide. A pattern that was narrowed too far shows here: the person would look
// at a saved rule and a call that goes on waiting.
func (p page) leaves(decided []broker.Request) bool {
	e := p.e
	c := p.x.Board.Cards[e.card.ID]
	// A late card is decided by nobody any more, so it is no surprise that the rule
	// leaves it.
	return c != nil && !c.Late() && e.verdict() != rules.Ask && e.verdict() != rules.Defer &&
		!slices.ContainsFunc(decided, func(r broker.Request) bool { return r.ID == e.card.ID })
}

// past tells how the past calls that the rule matches had ended, and lists those that
// it would have decided otherwise than the operator. They are what a rule that is too
// wide shows first.
func (p page) past(v *broker.Preview, text draw.Ink) {
	if v.Past == 0 {
		p.Say(text, "there are no past calls yet to try it on")
		return
	}
	if p.e.verdict() == rules.Allow {
		ink := text
		if v.Denied > 0 {
			ink = againstInk(text)
		}
		p.Say(ink, passed(v))
		p.against(v, text)
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
	if len(v.Against) > 0 {
		p.Say(againstInk(text), "you allowed:")
	}
	p.against(v, text)
}

// passed says how many of the past calls a rule that allows would have let pass, and whether the
// operator had denied any of them.
func passed(v *broker.Preview) string {
	said := fmt.Sprintf("would have passed %s of your last %s", figures.Count(v.Matched), figures.Plural(v.Past, "call"))
	switch {
	case v.Matched == 0:
		return fmt.Sprintf("would have passed none of your last %s", figures.Plural(v.Past, "call"))
	case v.Denied > 0:
		return said + "; you denied " + figures.Count(v.Denied) + " of them:"
	}
	return said + "; nothing that you denied"
}

// againstInk is the ink of calls that the operator decided otherwise than the rule would.
func againstInk(text draw.Ink) draw.Ink {
	if text == draw.Faint {
		return text
	}
	return draw.Warn
}

// against lists the past calls that the operator decided otherwise than the rule would.
func (p page) against(v *broker.Preview, text draw.Ink) {
	i := againstInk(text)
	for _, r := range v.Against {
		// A call counts by when it was decided, as the history lists it.
		at := r.CreatedAt
		if r.Outcome != nil {
			at = r.Outcome.At
		}
		p.call(r, p.when(at), i)
	}
}

// waiting lists the waiting calls that saving the rule would decide, the first of
// them, and counts the others.
func (p page) waiting(waiting []broker.Request, text draw.Ink, most int) {
	if len(waiting) == 0 {
		p.Say(draw.Muted, "decides no waiting call now")
		return
	}
	p.Say(text, fmt.Sprintf("decides %s now:", figures.Plural(len(waiting), "waiting call")))
	for _, r := range waiting[:min(len(waiting), most)] {
		p.call(r, figures.Clock(p.x.At.Sub(r.CreatedAt)), text)
	}
	if more := len(waiting) - most; more > 0 {
		p.Say(draw.Muted, "  … and "+figures.Count(more)+" more")
	}
}

// call is one call on one row: when, whose, what. A narrow window leaves out whose.
func (p page) call(r broker.Request, when string, i draw.Ink) {
	const timeWidth = 11
	line := p.Styles.Row(p.Width).Put(draw.Muted, "  "+when+" ")
	if p.Width >= 50 {
		line.To(timeWidth).Fit(draw.Muted, words.Whose(r, p.x.Board), 14).To(timeWidth + 15)
	}
	s := callview.SummaryOf(r)
	// A command says by itself what it is.
	if s.Tool != "Bash" {
		line.Put(i, s.Tool+" ")
	}
	s.Put(line, i, p.Width-line.Width)
	p.Add(line)
}

// when is a moment in few cells: the time of day, or the date when that is another
// day.
func (p page) when(t time.Time) string {
	return figures.When(t.In(p.x.At.Location()), p.x.At)
}
