package callview

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// dangerLead stands before the first danger of a call.
const dangerLead = "DANGEROUS  "

const (
	dangerIndent = 3 // cells of the sign before a danger
	shortCall    = 6 // rows of a call that leave its danger in sight below it
	dangersShown = 3 // there; others stand among what else is known of the risk
)

// guardedWhy is why no rule may allow a call.
const guardedWhy = "it touches aoctl's own files, or an agent's hook settings"

// dangerous reports whether a call takes a code.
func dangerous(r broker.Request) bool {
	return r.Assessment != nil && r.Assessment.Class >= risk.Dangerous
}

// dangers draws what is dangerous or otherwise to be known about a call's risk.
type dangers struct {
	*Doc
	a       *rules.Assessment // not nil
	command string            // the whole command line, empty for none
	asks    bool              // the call only asks its user: what it does tells nothing
}

// fills reports whether a call of such a text may fill the screen: then its danger stands above it.
func (d *Doc) fills(text string) bool {
	return draw.CountLines(text)+len(text)/d.Width > shortCall
}

// danger says what is dangerous about a call. It is the only place that does.
func (d dangers) danger() {
	found := d.worst()
	lead := dangerLead
	for n, f := range found {
		if n == dangersShown {
			d.SayBehind(draw.Text, "", dangerIndent, draw.Danger, "and "+figures.Count(len(found)-n)+" more dangers, below")
			break
		}
		d.SayBehind(draw.Danger, "!!", dangerIndent, draw.Danger, strings.TrimRight(lead+d.found(f), " "))
		lead = ""
	}
}

// tells reports whether finding g says all that f does: the same of a piece that f's is a part of.
func tells(g, f risk.Finding) bool {
	return g.Words() == f.Words() && holds(g.Text, strings.TrimSpace(f.Text))
}

// holds reports whether part stands in text, and not as some letters of a longer word: "rm -rf /" is no
// part of "rm -rf /tmp/x".
func holds(text, part string) bool {
	for at := 0; part != ""; at++ {
		i := strings.Index(text[at:], part)
		if i < 0 {
			return false
		}
		at += i
		if end := at + len(part); (at == 0 || endsWord(text[at-1])) && (end == len(text) || endsWord(text[end])) {
			return true
		}
	}
	return true
}

// endsWord reports whether a word of a shell surely ends at c.
func endsWord(c byte) bool { return strings.IndexByte(" \t\n'\"`;&|(){}<>", c) >= 0 }

// worst is what was found dangerous, at least one finding, each thing once.
func (d dangers) worst() []risk.Finding {
	var list []risk.Finding
	for _, f := range d.a.Findings {
		if f.Class >= risk.Dangerous && !slices.ContainsFunc(list, func(g risk.Finding) bool { return tells(g, f) }) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		list = append(list, risk.Finding{Class: d.a.Class, Why: d.a.Why})
	}
	return list
}

// found is a finding in words, with the piece of the call that it is about where there are several
// and the words do not name it; safe to draw.
func (d dangers) found(f risk.Finding) string {
	why := draw.SafeLine(f.Words())
	if f.Text != "" && !strings.HasPrefix(f.Says, f.Text+" ") && len(d.a.Elements) > 1 && strings.TrimSpace(f.Text) != strings.TrimSpace(d.command) {
		why += " · " + safe.Head(f.Text, 2*d.Width)
	}
	return why
}

// tellsRules reports whether a dangerous call's card says which rules cannot allow it: it may still be
// allowed.
func (a Around) tellsRules(r broker.Request) bool { return r.State == broker.Pending || a.Code != "" }

// allowedBy says below a danger what allows the call that waits, and which rules cannot.
func (d dangers) allowedBy(r broker.Request, a Around) {
	if !a.tellsRules(r) {
		return
	}
	rule := "no wildcard rule can"
	switch {
	case d.a.Guarded && d.saysGuarded():
		rule = "no rule can"
	case d.a.Guarded:
		rule = "no rule can: " + guardedWhy
	case d.a.Unread != "", d.a.NeedsTwo:
		rule = "no rule can"
	}
	does := "allow it once"
	if a.Retry {
		does = "let its retry pass"
	}
	if d.a.NeedsTwo {
		d.two()
		does = "allow it as the first"
		if d.a.AllowedBy != "" {
			does = "allow it too"
		}
	}
	text := "type " + a.Code + " to " + does + "; " + rule
	if a.Code == "" {
		text = strings.Replace(rule, " can", " can allow it", 1)
	}
	d.SayBehind(draw.Text, "", dangerIndent, draw.Text, text)
}

// two says that two operators must allow the call, and who did.
func (d dangers) two() {
	text := "two operators must allow it"
	if d.a.AllowedBy != "" {
		text = draw.SafeLine(d.a.AllowedBy) + " allowed it; a second operator is needed"
	}
	d.SayBehind(draw.Warn, "", dangerIndent, draw.Warn, text)
}

// saysGuarded reports whether the dangers that stand by the call say already why no rule may allow it.
func (d dangers) saysGuarded() bool {
	found := d.worst()
	return slices.ContainsFunc(found[:min(len(found), dangersShown)], func(f risk.Finding) bool { return f.Guarded })
}

// risk lists what was found about a call beside the danger that stands by it.
func (d dangers) risk() {
	found := besideDanger(d.a)
	if told := effectsOf(d.a); d.asks || len(told) > 0 { // its effects say that it only looks
		found = slices.DeleteFunc(found, func(f risk.Finding) bool {
			return f.Class <= risk.Safe || f.Class < risk.Dangerous && f.Says == "" && slices.ContainsFunc(told, func(e effect) bool { return e.why == draw.SafeLine(f.Why) })
		})
	}
	label := "risk"
	for n, f := range found {
		row := d.Styles.Row(d.Width).Put(draw.Label, label)
		label = ""
		if n == findingsShown {
			d.SayAfter(row.To(LabelWidth+2), draw.Muted, "and "+figures.Count(len(found)-n)+" more")
			break
		}
		i := riskInk(f.Class)
		d.SayAfter(row.To(LabelWidth).Put(i, "·").To(LabelWidth+2), i, strings.TrimSuffix(f.Class.String()+": "+d.found(f), ": "))
	}
	if d.a.Guarded && d.a.Class < risk.Dangerous {
		d.SayBehind(draw.Label, label, LabelWidth, draw.Warn, "no rule may allow this call: "+guardedWhy)
		if d.a.NeedsTwo {
			d.two()
		}
	}
}

// besideDanger are the findings that do not stand by the call.
func besideDanger(a *rules.Assessment) []risk.Finding {
	var worst, others []risk.Finding
	for _, f := range a.Findings {
		if f.Class < risk.Dangerous {
			others = append(others, f)
		}
	}
	if a.Class >= risk.Dangerous {
		worst = dangers{a: a}.worst()
	}
	if len(a.Findings) == 0 && a.Class < risk.Dangerous && (a.Why != "" || a.Class != risk.Normal) {
		others = []risk.Finding{{Class: a.Class, Why: a.Why}}
	}
	return append(worst[min(len(worst), dangersShown):], others...)
}

// rule says which rule decides. That none does is not said again where the danger or the pieces of
// the call have told why.
func (d dangers) rule() {
	a := d.a
	label, text := "why asked", draw.SafeLine(a.Reason)
	switch {
	case a.Rule != "":
		label, text = "rule", strings.TrimPrefix(text, "rule ")
	case a.Class >= risk.Dangerous || a.Guarded || listed(a.Elements) && slices.ContainsFunc(a.Elements, func(e rules.Judged) bool { return e.Why == a.Reason }):
		return
	}
	if lead := "no rule allows"; len(a.Elements) == 1 && a.Elements[0].Kind == "command" && strings.HasPrefix(text, lead+" ") {
		text = lead + " it" // the only command of the call, which stands above
	}
	if text == "" {
		text = ruleWord(a.Rule)
	}
	d.SayBehind(draw.Label, label, LabelWidth, draw.Text, text)
}
