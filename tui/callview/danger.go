package callview

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

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

// fills reports whether a call of such a text may fill the screen: then its danger stands above it.
func (d *Doc) fills(text string) bool {
	return draw.CountLines(text)+len(text)/d.Width > shortCall
}

// danger says what is dangerous about a call. It is the only place that does.
func (d *Doc) danger(r broker.Request, command string) {
	found := dangers(r.Assessment)
	lead := "DANGEROUS  "
	for n, f := range found {
		if n == dangersShown {
			d.SayBehind(draw.Text, "", dangerIndent, draw.Danger, "and "+figures.Count(len(found)-n)+" more dangers, below")
			break
		}
		d.SayBehind(draw.Danger, "!!", dangerIndent, draw.Danger, strings.TrimRight(lead+d.found(f, r.Assessment, command), " "))
		lead = ""
	}
}

// dangers are what was found dangerous, at least one finding.
func dangers(a *rules.Assessment) []risk.Finding {
	var list []risk.Finding
	for _, f := range a.Findings {
		if f.Class >= risk.Dangerous {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		list = append(list, risk.Finding{Class: a.Class, Why: a.Why})
	}
	return list
}

// found is a finding in words, with the piece of the call that it is about where there are several;
// safe to draw. command is the whole command line.
func (d *Doc) found(f risk.Finding, a *rules.Assessment, command string) string {
	why := draw.SafeLine(f.Why)
	if f.Text != "" && len(a.Elements) > 1 && strings.TrimSpace(f.Text) != strings.TrimSpace(command) {
		why += " · " + safe.Head(f.Text, 2*d.Width)
	}
	return why
}

// allowedBy says below a danger what allows the call that waits, and which rules cannot.
func (d *Doc) allowedBy(r broker.Request, a Around) {
	if !dangerous(r) || r.State != broker.Pending && a.Code == "" {
		return
	}
	rule := "no wildcard rule can"
	switch {
	case r.Assessment.Guarded:
		rule = "no rule can: " + guardedWhy
	case r.Assessment.Unread != "":
		rule = "no rule can"
	}
	does := "allow it once"
	if a.Retry {
		does = "let its retry pass"
	}
	text := "type " + a.Code + " to " + does + "; " + rule
	if a.Code == "" {
		text = strings.Replace(rule, " can", " can allow it", 1)
	}
	d.SayBehind(draw.Text, "", dangerIndent, draw.Text, text)
}
