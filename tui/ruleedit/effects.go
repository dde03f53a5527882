package ruleedit

import (
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/words"
)

// writesAndRuns is what a person should know who lets calls edit and run the project's code.
const writesAndRuns = "edit + check: it can run what it writes, like auto-accept; everything beyond the project still asks"

// title is what a rule about effects says, in a few words; empty for other rules, and where the form has
// a mistake. Safe to draw.
func (x *Screen) title() string {
	e := x.editor
	set, err := effects.Parse(e.effects.String())
	if !e.about || err != nil || set == 0 || e.once() {
		return ""
	}
	text := string(e.verdict()) + " " + set.String()
	if e.place().scope == (rules.Scope{}) {
		return text + " everywhere"
	}
	return text + " in " + words.Scope(e.place().scope, x.Board)
}

// means says below the effects of the form what they are. Names that are none are told as a mistake.
func (p page) means() {
	set, err := effects.Parse(p.e.effects.String())
	if err != nil {
		return
	}
	p.meanings(set)
}

// meanings says what each effect is, and what comes of editing and running code together.
func (p page) meanings(set effects.Set) {
	for _, e := range set.List() {
		if p.Width < leastWide {
			p.SayBehind(draw.Text, "", text.LabelWidth, draw.Muted, e.String()+": "+e.Means())
			continue
		}
		p.SayBehind(draw.Muted, draw.Spaces(text.LabelWidth)+e.String(), text.LabelWidth+effectWidth, draw.Muted, e.Means())
	}
	if p.e.verdict() == rules.Allow && p.bothGranted(set) {
		p.SayBehind(draw.Warn, draw.Spaces(text.LabelWidth)+"! ", text.LabelWidth+2, draw.Warn, writesAndRuns)
	}
}

// leastWide is from how many cells on the names of effects stand in a column.
const leastWide = 60

// effectWidth is how many cells the name of an effect takes.
const effectWidth = 10

// bothGranted reports whether calls that edit and run code pass with a grant of set, alone or with what is
// granted where it holds.
func (p page) bothGranted(set effects.Set) bool {
	both := effects.Of(effects.Edit, effects.Check)
	if set&both == 0 {
		return false
	}
	for _, r := range p.x.Book.Rules {
		if r.ID != p.e.old.ID && r.Enabled && r.Decision == rules.Allow && words.Over(r, p.x.At) == "" && meets(r.Scope, p.e.place().scope) {
			set |= r.Effects
		}
	}
	return both.Within(set)
}

// meets reports whether some calls may be of both scopes.
func meets(a, b rules.Scope) bool {
	apart := func(x, y string) bool { return x != "" && y != "" && x != y }
	far := a.Project != "" && b.Project != "" && !patterns.Below(a.Project, b.Project) && !patterns.Below(b.Project, a.Project)
	return !far && !apart(a.Session, b.Session) && !apart(a.Agent, b.Agent)
}
