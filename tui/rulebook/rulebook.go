// Package rulebook holds the screens about rules: the list of rules, the tokens of
// programs, the rules files of projects, and one such file. Each is a screen of its
// own; they open one another by name.
//
// The rules themselves are not here: the desk has them (desk.Book), and the console
// replaces that book when the broker tells of a change. A screen that is drawn
// compares the book with the one that it drew before. When what is selected is not
// what stood there, it makes keys deaf for a moment, because a key that was on its way
// was meant for something else.
//
// Everything here may let agents run more without a question: a rule that is switched
// on, a deny that is switched off, a file that is trusted, a token for a program. So
// each takes a key press of its own, judged by the guard, or a question that is
// answered with y. What is asked about is what was on the screen: a rule is saved with
// the version that was shown, and a file is trusted by the digest that was shown, once
// its last row was on the screen.
//
// What only makes more calls ask, such as taking a file's trust back, happens at once.
//
// A new rule and one that is to be changed are written in the rule editor, which is
// another screen. The broker is asked in commands, and its answers come back as
// messages of this package. Each screen declares what it needs of the broker. Open
// rules.go first; listing.go is its state. A rule that stands in a file is listed here
// and changed in its file.
package rulebook

import (
	"fmt"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// label is how many cells the name of a value takes.
const label = 11

// able is k as the key line shall have it: a key that cannot act now is not named
// there. Pressing it still says why.
func able(k desk.Key) desk.Key {
	if k.Why != "" {
		k.Short = ""
	}
	return k
}

// area is the room for rows of a list, which reach to the border.
func area(d *desk.Desk) (width, height int) { return d.Frames().Inner(d.Whole(), 0) }

// listed draws the rows of a list in a frame that has the focus.
func listed(d *desk.Desk, f draw.Caption, rows []string) []string {
	f.Focus = true
	return d.Frames().Framed(d.Whole(), f, 0, rows)
}

// inSight says which of n items are on the screen; nothing when all are. top is
// counted from 0.
func inSight(top, room, n int) string {
	if n <= room {
		return ""
	}
	return fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+room, n)), figures.Count(n))
}

// begin starts the row of an item. The chosen one has a bar beside its colour, since
// colour alone tells nothing.
func begin(d *desk.Desk, chosen bool, width int) *draw.Row {
	bar := " "
	if chosen {
		bar = "▌"
	}
	return d.Styles.Row(width).Choose(chosen).Put(draw.Key, bar)
}

// decisionInk is the ink of what a rule decides; the word stands beside it.
func decisionInk(v rules.Verdict) draw.Ink {
	switch v {
	case rules.Allow:
		return draw.OK
	case rules.Deny:
		return draw.Danger
	case rules.Ask, rules.Defer:
	}
	return draw.Warn
}

// writeRule lays out what a rule says, with every foreign sign in its patterns
// visible.
func writeRule(p *draw.Paper, r rules.Rule) {
	says := r.Tool
	if r.Effects != 0 {
		says = r.Effects.String()
	}
	p.Write(draw.Fixed(decisionInk(r.Decision), draw.SafeLine(string(r.Decision)), label), draw.Bold, says)
	for _, e := range r.Effects.List() {
		p.SayBehind(draw.Text, "", label, draw.Muted, e.String()+": "+e.Means())
	}
	if r.Dangerous {
		p.SayBehind(draw.Label, "", label, draw.Danger, "dangerous, and meant to be")
	}
	for _, name := range words.Where(r) {
		p.WriteNamed(label, name, r.Where[name])
	}
	if r.Reason != "" {
		p.Write(draw.Fixed(draw.Label, "reason", label), draw.Text, r.Reason)
	}
}
