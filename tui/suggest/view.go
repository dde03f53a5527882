package suggest

import (
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules/history"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

const (
	indent = 7 // cells left of what a suggestion is unfolded to
)

// View draws the list.
func (x *Screen) View(_, _ int) []string {
	width, height := x.Inner()
	rows, _, _ := x.rows(width, height)
	f := draw.Caption{Title: "Rules that would have saved prompts", Right: desk.Position(x.top, height, len(rows))}
	if width < draw.Narrow {
		f.Title = "Would have saved"
	}
	if n := len(x.list); n > 0 {
		f.Note = figures.Count(saves(x.list)) + " of " + figures.Count(x.line.found.Prompts+x.line.found.Observed)
	}
	return x.Framed(f, rows, min(x.top, max(0, len(rows)-height)))
}

// rows lays the list out. from and to are the rows of the selected one that must be seen before it is
// saved.
func (x *Screen) rows(width, height int) (rows []string, from, to int) {
	p := x.Styles.Paper(width)
	if problem := x.Book.Problem; problem != "" {
		p.Say(draw.Danger, "no rule may allow anything now: "+draw.SafeLine(problem))
	}
	switch {
	case x.looking():
		p.Say(draw.Muted, "looking at your last decisions …")
		return p.Rows, 0, 0
	case x.line.found.err != nil:
		p.Say(draw.Warn, "could not be looked for: "+draw.SafeLine(x.line.found.err.Error()))
		return p.Rows, 0, 0
	case len(x.list) == 0:
		x.nothing(p)
		return p.Rows, 0, 0
	}
	for i, s := range x.list {
		if i == x.at {
			from = len(p.Rows)
		}
		x.title(p, s, i == x.at)
		if i == x.at {
			x.does(p, s)
			to = len(p.Rows) - 1
			x.examples(p, s, height-1-(to-from))
		}
	}
	return p.Rows, from, to
}

// nothing says why nothing is listed, and what there is instead.
func (x *Screen) nothing(p *draw.Paper) {
	p.Say(draw.Bold, "nothing to suggest")
	p.Blank()
	p.Say(draw.Muted, p.Either("A rule is suggested when it would have saved three of your decisions and allowed nothing that you ever denied, nothing dangerous, and nothing that aoctl does not know.",
		"too few calls alike, or you denied one like them"))
	p.Blank()
	p.SayBehind(draw.Key, x.Called("p"), 3, draw.Text, p.Either("on a card: what agents may do in its project", "on a card: its project"))
	p.SayBehind(draw.Key, x.Called("A"), 3, draw.Text, "on a card: a rule for calls like it")
}

// title draws one suggestion in a row: what it would have saved, and what it says.
func (x *Screen) title(p *draw.Paper, s history.Suggestion, chosen bool) {
	bar, ink := " ", draw.Text
	if chosen {
		bar, ink = "▌", draw.Bold
	}
	r := p.Styles.Row(p.Width).Choose(chosen).Put(draw.Key, bar).Right(draw.Text, figures.Count(s.Saves), indent-2).To(indent)
	p.Add(r.Fit(ink, words.RuleSays(s.Rule, x.Board, x.At), p.Width-r.Width))
}

// does says what the selected one would have done, and what it does now. What must not be overlooked
// comes first.
func (x *Screen) does(p *draw.Paper, s history.Suggestion) {
	say := func(i draw.Ink, text string) { p.SayBehind(draw.Text, "", min(indent, p.Width/8), i, text) }
	if set := s.Rule.Effects; set != 0 && p.Width >= draw.Narrow {
		say(draw.Muted, "agents may then, in "+draw.SafeLine(s.Rule.Scope.Project)+", "+may(set))
	}
	if both := effects.Of(effects.Edit, effects.Check); s.Rule.Effects&both != 0 && both.Within(s.Rule.Effects|x.Book.Grant(s.Rule.Scope.Project).Effects) {
		say(draw.Warn, p.Either(words.EditAndCheck, words.EditAndCheckBrief))
	}
	say(draw.Text, x.past(p, s))
	x.replay(p, say)
}

// past says how often it would have spoken, and when.
func (x *Screen) past(p *draw.Paper, s history.Suggestion) string {
	text, sessions, ago := figures.Plural(s.Saves, "prompt"), figures.Plural(s.Sessions, "session"), figures.Ago(x.At.Sub(s.Last))+" ago"
	if s.Observed > 0 {
		text = figures.Plural(s.Saves, "call") + " (" + figures.Count(s.Observed) + " only observed)"
	}
	return p.Either(text+" in "+sessions+" · last "+ago, text+", "+sessions+", "+ago)
}

// replay says what the rule would have done to all past calls, and does to those that wait.
func (x *Screen) replay(p *draw.Paper, say func(draw.Ink, string)) {
	got := x.trial.Preview
	switch {
	case !x.trial.Known():
		say(draw.Muted, "trying it on the past calls …")
		return
	case x.trial.Err != nil:
		say(draw.Warn, "could not be tried: "+draw.SafeLine(x.trial.Err.Error()))
		return
	case got.Denied > 0: // somebody denied one since
		say(draw.Danger, "! "+figures.Plural(got.Denied, "call")+" that you denied would have passed")
	case got.Matched > 0:
		n, all := figures.Count(got.Matched), figures.Plural(got.Past, "past call")
		say(draw.Text, p.Either("tried on "+all+": it would have let "+n+" go on, and you denied none of these", n+" of "+all+", none you denied"))
	}
	if n := len(got.Waiting); n > 0 {
		say(draw.Warn, "lets "+figures.Plural(n, "waiting call")+" go on now")
	}
}

// examples draws calls that it would have saved, as many as have room.
func (x *Screen) examples(p *draw.Paper, s history.Suggestion, room int) {
	for _, e := range s.Examples[:max(0, min(len(s.Examples), room))] {
		r := p.Styles.Row(p.Width).To(min(indent, p.Width/8)).Put(draw.Muted, "such as ")
		p.Add(r.Fit(draw.Text, draw.SafeLine(e), p.Width-r.Width))
	}
}

// may lists what effects mean, as the end of a sentence.
func may(set effects.Set) string {
	var list []string
	for _, e := range set.List() {
		list = append(list, e.Means())
	}
	return strings.Join(list, "; ")
}
