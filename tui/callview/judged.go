package callview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// What a call's lower part has room for.
const (
	LabelWidth    = 11 // cells of names
	ElementsShown = 12 // of a command line
	findingsShown = 8  // of a call's risk
)

// judged draws what aoctl makes of a call: what it runs, what else is to be known of that and what
// the rules say. The remarks are ours, the texts in them the agent's. cwd is the folder that
// the call runs in.
// told says that the danger has told which rules cannot allow the call; off is Around.Off.
func (d dangers) judged(cwd, off string, told bool) {
	a := d.a
	if a == nil {
		return
	}
	pieces := a.Elements
	if told {
		pieces = withoutRules(pieces, a.Why)
	}
	if !d.asks {
		d.does()
	}
	d.runs(pieces, a.Why, cwd)
	d.risk()
	d.rule()
	if off != "" {
		d.SayBehind(draw.Label, "", LabelWidth, draw.Warn, off)
	}
	d.Blank()
}

// listed reports whether the pieces of a call have rows of their own: a single one that is the
// whole call has none.
func listed(all []rules.Judged) bool {
	return len(all) != 1 || all[0].Kind == "unknown" || len(all[0].Via) > 0 || leads(all[0]) != ""
}

// withoutRules are the pieces of a dangerous call without what its danger says of the whole call: that no
// wildcard rule, or no rule, can allow it, and why.
func withoutRules(all []rules.Judged, danger string) []rules.Judged {
	all = slices.Clone(all)
	for i := range all {
		e := &all[i]
		for _, lead := range []string{"no wildcard rule can allow", "no rule may allow it"} {
			if rest, ok := strings.CutPrefix(e.Why, lead); ok {
				e.Why = otherReason(strings.TrimPrefix(rest, ` "`+strings.TrimSpace(e.Text)+`"`), danger)
			}
		}
	}
	return all
}

// otherReason is what stands behind the piece in a sentence about it, "" when that is the danger itself.
func otherReason(rest, danger string) string {
	why, ok := strings.CutPrefix(rest, ": ")
	if !ok || why == danger || why == "it is dangerous" {
		return ""
	}
	return why
}

// runs lists what a call does, piece by piece. A single piece that is the whole call
// is not told again, and neither is the danger, which has rows of its own.
func (d *Doc) runs(all []rules.Judged, danger, cwd string) {
	if !listed(all) {
		return
	}
	list, rest := WorstOf(all, ElementsShown)
	label := "runs"
	for n, e := range list {
		if danger != "" {
			e.Why = strings.TrimSuffix(e.Why, ": "+danger)
		}
		d.element(label, e, cwd, n > 0 && samePiece(e, list[n-1]))
		label = ""
	}
	if len(rest) > 0 {
		d.SayBehind(draw.Label, label, LabelWidth+2, draw.Muted, "and "+restWords(rest))
	}
}

// samePiece reports whether two pieces would have rows of the same words.
func samePiece(a, b rules.Judged) bool {
	return a.Kind != "read" && a.Kind != "write" && strings.TrimSpace(a.Text) == strings.TrimSpace(b.Text) && a.Verdict == b.Verdict && a.Neutral == b.Neutral && a.Text != "" && a.Why != b.Why
}

// element draws one piece of a call: what the rules say of it, what it is, and why. Of the same piece
// as the one above it only the reason is drawn.
func (d *Doc) element(label string, e rules.Judged, cwd string, same bool) {
	glyph, i := verdictMark(e)
	if note := elementNote(e); same && note != "" {
		d.SayBehind(draw.Text, "", LabelWidth+3, draw.Muted, note)
		return
	}
	r := d.Styles.Row(d.Width).Put(draw.Label, label).To(LabelWidth).Put(i, glyph).Put(draw.Text, " ")
	base := draw.Text
	if e.Neutral {
		base = draw.Muted
	}
	what, note := does(e, cwd), elementNote(e)
	room := d.Width - r.Width
	if n := draw.Cells(note) + 2; n <= room/2 {
		room -= n // a short note stands beside it: the whole text is in the call above
	}
	r.Put(base, safe.Head(what, room-1))
	switch {
	case note == "":
		d.Add(r)
	case r.Width+2+draw.Cells(note) <= d.Width:
		d.Add(r.Put(draw.Muted, "  "+note))
	default:
		d.Add(r)
		d.SayBehind(draw.Text, "", LabelWidth+3, draw.Muted, note)
	}
}

// does is an element in words, raw: a file is named by its path, seen from cwd when it lies
// there, and the rest by its text.
func does(e rules.Judged, cwd string) string {
	switch e.Kind {
	case "read":
		return "reads " + from(cwd, e.Path)
	case "write":
		if e.Deletes {
			return "deletes " + from(cwd, e.Path)
		}
		return "writes " + from(cwd, e.Path)
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

// from is path as a person in the folder cwd would name it. A path outside stays whole.
func from(cwd, path string) string {
	if inside, ok := strings.CutPrefix(path, strings.TrimSuffix(cwd, "/")+"/"); ok && cwd != "" && inside != "" {
		return inside
	}
	return path
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
		notes = append(notes, "through "+draw.SafeLine(strings.Join(e.Via, ", ")))
	}
	if to := leads(e); to != "" {
		notes = append(notes, "leads to "+draw.SafeLine(to))
	}
	why := e.Why
	if e.Neutral && (e.Kind == "read" || e.Kind == "write") {
		why = "" // the row says all: which file it is, and that it is read or written
	}
	for _, it := range []string{strings.TrimSpace(e.Text), e.Path} { // stands beside the note already
		if it != "" {
			why = strings.ReplaceAll(why, `"`+it+`"`, "it")
		}
	}
	if why = strings.TrimPrefix(why, "it: "); why != "" {
		notes = append(notes, draw.SafeLine(why))
	}
	return strings.Join(notes, " · ")
}

// verdictMark is the sign for what the rules say of an element.
func verdictMark(e rules.Judged) (string, draw.Ink) {
	switch {
	case e.Verdict == rules.Deny:
		return "✗", draw.Danger
	case e.Neutral:
		return "·", draw.Muted
	case e.Verdict == rules.Allow:
		return "✓", draw.OK
	}
	return "?", draw.Warn
}

// WorstOf picks n elements to draw, those that keep a call from running first, in the
// order of the text, and gives back the others too.
func WorstOf(all []rules.Judged, n int) (list, rest []rules.Judged) {
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
			parts = append(parts, figures.Count(n)+" "+[]string{"without a say", "allowed", "to be asked about", "refused"}[w])
		}
	}
	return fmt.Sprintf("%s more: %s", figures.Count(len(rest)), strings.Join(parts, ", "))
}

// riskInk is how a class is drawn; the word stands beside it.
func riskInk(c risk.Class) draw.Ink {
	switch {
	case c >= risk.Dangerous:
		return draw.Danger
	case c <= risk.Safe:
		return draw.Muted
	}
	return draw.Text
}

// AlarmOf is what the title says of a call's risk; safe to draw, and empty unless the call is
// dangerous.
func AlarmOf(r broker.Request) string {
	a := r.Assessment
	if a == nil || a.Class < risk.Dangerous {
		return ""
	}
	if a.Why != "" {
		return risk.Dangerous.String() + ": " + draw.SafeLine(a.Why)
	}
	return risk.Dangerous.String()
}
