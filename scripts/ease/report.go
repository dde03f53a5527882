package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/aoctl/aoctl/tui/safe"
)

// table is what was measured.
type table []result

// asked counts the calls that waited for a person.
func (r result) asked() (n int) {
	for _, o := range r.outcomes {
		if o.asked {
			n++
		}
	}
	return n
}

// print writes a line for each day and level, one for all days of a level, and, unless brief,
// what asks.
func (t table) print(w io.Writer, title string, brief bool) {
	fmt.Fprintf(w, "\n%s\n\n", title)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "day\tgrants\tgated\tasked\tby rules\tasked per 100\t")
	row := func(day string, l level, asked, gated int) {
		fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%d\t%.1f\t\n", day, l.name, gated, asked, gated-asked, 100*float64(asked)/float64(max(1, gated)))
	}
	for _, l := range levels {
		asked, gated, rows := 0, 0, 0
		for _, r := range t {
			if r.level.name != l.name {
				continue
			}
			row(r.day, l, r.asked(), len(r.outcomes))
			asked, gated, rows = asked+r.asked(), gated+len(r.outcomes), rows+1
		}
		if rows > 1 {
			row("all", l, asked, gated)
		}
	}
	_ = out.Flush()
	if !brief {
		t.printAsked(w)
	}
}

// printAsked lists what asks with the form's grants, and why. As installed nearly all that
// changes something does, and with more grants the list is nearly the same.
func (t table) printAsked(w io.Writer) {
	for _, r := range t {
		if r.level.name != levels[1].name {
			continue
		}
		fmt.Fprintf(w, "\n%s asks with %s:\n", r.day, r.level.name)
		for _, o := range r.outcomes {
			if o.asked {
				fmt.Fprintf(w, "  %s\n      %s; %s\n", clip(o.line, 110), clip(strings.Join(o.missing(r.level.grants), ", "), 200), clip(o.reason, 160))
			}
		}
	}
}

// clip is a text of an agent in one line.
func clip(text string, most int) string { return safe.Cut(safe.Line(text), most) }

// compare says which calls a dry run judges otherwise, or does not have. Calls are compared by
// their lines, in their order.
func (t table) compare(w io.Writer, dry table) {
	n := 0
	for _, r := range t {
		for _, d := range dry {
			if d.day == r.day && d.level.name == r.level.name {
				n += r.differs(w, d)
			}
		}
	}
	fmt.Fprintf(w, "\n%d calls came out otherwise than in a dry run\n", n)
}

// differs prints what came out otherwise in dry and counts it.
func (r result) differs(w io.Writer, dry result) (n int) {
	left := map[string][]bool{}
	for _, o := range dry.outcomes {
		left[o.line] = append(left[o.line], o.asked)
	}
	say := func(what, line, why string) {
		n++
		fmt.Fprintf(w, "  %s, %s: %s: %s %s\n", r.day, r.level.name, what, clip(line, 100), clip(why, 120))
	}
	for _, o := range r.outcomes {
		was := left[o.line]
		if len(was) == 0 {
			say("not in the dry run", o.line, "")
			continue
		}
		if left[o.line] = was[1:]; was[0] != o.asked {
			say(map[bool]string{true: "asked", false: "passed"}[o.asked], o.line, o.reason)
		}
	}
	for line, rest := range left {
		for range rest {
			say("only in the dry run", line, "")
		}
	}
	return n
}
