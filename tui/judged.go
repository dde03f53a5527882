package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/safe"
)

const (
	labelWidth    = 11 // cells of the names in a call's lower part
	elementsShown = 12 // of a command line
	findingsShown = 8  // of a call's risk
)

// judged draws what aoctl makes of a call: what it runs, how dangerous it is and what
// the rules say. The remarks are ours, the texts in them the agent's.
func (d *doc) judged(a *rules.Assessment, c call) {
	if a == nil {
		return
	}
	d.runs(a.Elements, a.Why)
	command, _ := c.text("command")
	d.risk(a, strings.TrimSpace(command))
	label, text := "no rule", safeLine(a.Reason)
	if a.Rule != "" {
		label, text = "rule", strings.TrimPrefix(text, "rule ")
	}
	if text == "" {
		text = ruleWord(a.Rule)
	}
	d.sayBehind(inkLabel, label, labelWidth, inkText, text)
	d.blank()
}

// runs lists what a call does, piece by piece. A single piece that is the whole call
// is not told again, and neither is the danger, which has rows of its own.
func (d *doc) runs(all []rules.Judged, danger string) {
	if len(all) == 1 && all[0].Kind != "unknown" && len(all[0].Via) == 0 && leads(all[0]) == "" {
		return
	}
	list, rest := worstOf(all, elementsShown)
	label := "runs"
	for _, e := range list {
		if danger != "" {
			e.Why = strings.TrimSuffix(e.Why, ": "+danger)
		}
		d.element(label, e)
		label = ""
	}
	if len(rest) > 0 {
		d.sayBehind(inkLabel, label, labelWidth+2, inkMuted, "and "+restWords(rest))
	}
}

// element draws one piece of a call: what the rules say of it, what it is, and why.
func (d *doc) element(label string, e rules.Judged) {
	glyph, i := verdictMark(e)
	r := d.st.row(d.width).put(inkLabel, label).to(labelWidth).put(i, glyph).put(inkText, " ")
	base := inkText
	if e.Neutral {
		base = inkMuted
	}
	what, note := does(e), elementNote(e)
	room := d.width - r.width
	if n := cells(note) + 2; n <= room/2 {
		room -= n // a short note stands beside it: the whole text is in the call above
	}
	r.put(base, safe.Head(what, room-1))
	switch {
	case note == "":
		d.add(r)
	case r.width+2+cells(note) <= d.width:
		d.add(r.put(inkMuted, "  "+note))
	default:
		d.add(r)
		d.sayBehind(inkText, "", labelWidth+3, inkMuted, note)
	}
}

// does is an element in words, raw: a file is named by its path, the rest by its text.
func does(e rules.Judged) string {
	switch e.Kind {
	case "read":
		return "reads " + e.Path
	case "write":
		return "changes " + e.Path
	case "assign":
		return "sets " + e.Text
	case "tool":
		if e.Path != "" {
			return e.Path
		}
	}
	if e.Text == "" {
		return strings.Join(e.Argv, " ")
	}
	return e.Text
}

// leads is where an element's path leads, when that is elsewhere; raw.
func leads(e rules.Judged) string {
	if e.Real == e.Path {
		return ""
	}
	return e.Real
}

// elementNote is why an element has its verdict, and how it comes to run; safe to draw.
func elementNote(e rules.Judged) string {
	var notes []string
	if len(e.Via) > 0 {
		notes = append(notes, "through "+safeLine(strings.Join(e.Via, ", ")))
	}
	if to := leads(e); to != "" {
		notes = append(notes, "leads to "+safeLine(to))
	}
	why := e.Why
	if e.Neutral && (e.Kind == "read" || e.Kind == "write") {
		why = "named by the command"
	}
	for _, it := range []string{strings.TrimSpace(e.Text), e.Path} { // stands beside the note already
		if it != "" {
			why = strings.ReplaceAll(why, `"`+it+`"`, "it")
		}
	}
	if why = strings.TrimPrefix(why, "it: "); why != "" {
		notes = append(notes, safeLine(why))
	}
	return strings.Join(notes, " · ")
}

// verdictMark is the sign for what the rules say of an element.
func verdictMark(e rules.Judged) (string, ink) {
	switch {
	case e.Verdict == rules.Deny:
		return "✗", inkDanger
	case e.Neutral:
		return "·", inkMuted
	case e.Verdict == rules.Allow:
		return "✓", inkOK
	}
	return "?", inkWarn
}

// worstOf picks n elements to draw, those that keep a call from running first, in the
// order of the text, and gives back the others too.
func worstOf(all []rules.Judged, n int) (list, rest []rules.Judged) {
	if len(all) <= n {
		return all, nil
	}
	places := make([]int, len(all))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(x, y int) int { return weight(all[y]) - weight(all[x]) })
	chosen := places[:n]
	slices.Sort(chosen)
	for i, e := range all {
		if _, ok := slices.BinarySearch(chosen, i); ok {
			list = append(list, e)
		} else {
			rest = append(rest, e)
		}
	}
	return list, rest
}

func weight(e rules.Judged) int {
	switch {
	case e.Verdict == rules.Deny:
		return 3
	case e.Neutral:
		return 0
	case e.Verdict == rules.Allow:
		return 1
	}
	return 2
}

// restWords counts the elements that are not drawn, by what the rules say of them.
func restWords(rest []rules.Judged) string {
	var counts [4]int
	for _, e := range rest {
		counts[weight(e)]++
	}
	var parts []string
	for _, w := range []int{3, 2, 1, 0} {
		if n := counts[w]; n > 0 {
			parts = append(parts, count(n)+" "+[]string{"without a say", "allowed", "to be asked about", "refused"}[w])
		}
	}
	return fmt.Sprintf("%s more: %s", count(len(rest)), strings.Join(parts, ", "))
}

// risk lists all that was found about a call's danger. What is about the whole command
// line does not tell that again.
func (d *doc) risk(a *rules.Assessment, whole string) {
	label, r := "risk", a.Risk
	say := func(i ink, glyph, text string) {
		row := d.st.row(d.width).put(inkLabel, label).to(labelWidth).put(i, glyph).to(labelWidth + 3)
		d.sayAfter(row, i, text)
		label = ""
	}
	found := r.Findings
	if len(found) == 0 && (r.Why != "" || r.Class != risk.Normal) {
		found = []risk.Finding{{Class: r.Class, Why: r.Why}}
	}
	for n, f := range found {
		if n == findingsShown {
			say(inkMuted, "", "and "+count(len(found)-n)+" more")
			break
		}
		i, glyph := riskMark(f.Class)
		why := strings.TrimSuffix(f.Class.String()+": "+safeLine(f.Why), ": ")
		if f.Text != "" && len(a.Elements) > 1 && strings.TrimSpace(f.Text) != whole {
			why += " · " + safe.Head(f.Text, 2*d.width)
		}
		say(i, glyph, why)
	}
	if r.Guarded {
		say(inkWarn, "", "no rule may allow this call: it touches aoctl's own files, or an agent's hook settings")
	}
}

// riskMark is the sign of a class; the word stands beside it.
func riskMark(c risk.Class) (ink, string) {
	switch {
	case c >= risk.Dangerous:
		return inkDanger, "!!"
	case c <= risk.Safe:
		return inkMuted, "·"
	}
	return inkText, "·"
}
