package callview

import (
	"slices"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
)

// effect is one thing that a call does, as its card names it.
type effect struct {
	effects.Effect
	verdict rules.Verdict // the worst that the rules say of a part that does it
	why     string        // why the call is taken to do it; safe to draw, empty where its name says all
}

// effectGap is how many cells stand between two effects on a row.
const effectGap = 3

// does names the effects of a call on a row or two: first those that nobody has granted, since they are
// why it asks, and of these the worst first.
func (d dangers) does() {
	row := d.Styles.Row(d.Width).Put(draw.Label, "does").To(LabelWidth)
	begun := false
	for _, e := range effectsOf(d.a) {
		glyph, ink := effectMark(e)
		text := d.effectText(e)
		width := draw.Cells(glyph + " " + text)
		if begun && row.Width+effectGap+width > d.Width {
			d.Add(row)
			row, begun = d.Styles.Row(d.Width).To(LabelWidth), false
		}
		if begun {
			row.To(row.Width + effectGap)
		}
		begun = row.Width+width <= d.Width
		row.Put(ink, glyph).Put(draw.Text, " ")
		if !begun { // longer than a row
			d.SayAfter(row, draw.Text, text)
			row = d.Styles.Row(d.Width).To(LabelWidth)
			continue
		}
		row.Put(effectInk(e), text)
	}
	if begun {
		d.Add(row)
	}
}

// effectText is an effect's name, and why the call has it, unless a danger by the call has told why.
func (d dangers) effectText(e effect) string {
	told := d.a.Class >= risk.Dangerous && (e.Effect == effects.Unknown || slices.ContainsFunc(d.a.Findings, func(f risk.Finding) bool {
		return draw.SafeLine(f.Why) == e.why || draw.SafeLine(f.Says) == e.why
	}))
	if e.why == "" || told {
		return e.String()
	}
	return e.String() + ": " + e.why
}

// effectsOf are the effects of a call, in the order in which its card names them.
func effectsOf(a *rules.Assessment) []effect {
	var list []effect
	for _, it := range a.Does {
		verdict := verdictOn(it.Effect, a.Elements)
		i := slices.IndexFunc(list, func(e effect) bool { return e.Effect == it.Effect })
		if i < 0 {
			i, list = len(list), append(list, effect{Effect: it.Effect, verdict: verdict})
		}
		if list[i].why == "" && verdict != rules.Allow {
			list[i].why = draw.SafeLine(it.Why)
		}
	}
	slices.SortStableFunc(list, func(x, y effect) int {
		if x, y := weight(rules.Judged{Verdict: x.verdict}), weight(rules.Judged{Verdict: y.verdict}); x != y {
			return y - x
		}
		return int(y.Effect) - int(x.Effect)
	})
	return list
}

// verdictOn is the worst that the rules say of a part that has effect e. A part that may run has its
// effects granted, whether by a rule about effects or by another; of one that asks, some may be.
func verdictOn(e effects.Effect, parts []rules.Judged) rules.Verdict {
	worst := rules.Allow
	for _, p := range parts {
		switch {
		case !p.Effects.Has(e) || p.Neutral || p.Verdict == rules.Allow || p.Verdict != rules.Deny && p.Granted.Has(e):
		case p.Verdict == rules.Deny:
			return rules.Deny
		default:
			worst = rules.Ask
		}
	}
	return worst
}

// effectMark is the sign before an effect: that of an element with the same verdict, but for what
// always asks.
func effectMark(e effect) (string, draw.Ink) {
	if e.verdict == rules.Ask && !effects.Of(e.Effect).Within(effects.Grantable) {
		return "!", draw.Warn
	}
	return verdictMark(rules.Judged{Verdict: e.verdict})
}

// effectInk has what is granted stand back behind what is not.
func effectInk(e effect) draw.Ink {
	if e.verdict == rules.Allow {
		return draw.Muted
	}
	return draw.Text
}
