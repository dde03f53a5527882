package ruleedit

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// lifeKind is how long a rule holds.
type lifeKind int

// The lives, in the order in which they are drawn: from short to long.
const (
	lifeKept lifeKind = iota // what the rule has already
	lifeQuarter
	lifeHour
	lifeSession // as long as the session that the rule is about
	lifeUses
	lifeForEver
)

const someUses = 20 // of lifeUses

// lives are the lives that go with the chosen scope: only a rule about one session
// ends with it, and only one that is not about a session may hold for ever.
func (f *form) lives() []lifeKind {
	var list []lifeKind
	if f.old.ID != "" {
		list = append(list, lifeKept)
	}
	list = append(list, lifeQuarter, lifeHour)
	if f.place().scope.Session != "" {
		return append(list, lifeSession, lifeUses)
	}
	return append(list, lifeUses, lifeForEver)
}

// chosenLife is the operator's choice, or what is safest and still of use: what allows
// ends with the session or within the hour, what refuses stays, and so does a grant of effects. A choice that does not
// go with the scope that was chosen later does not count.
func (f *form) chosenLife() lifeKind {
	if f.lifeSet && slices.Contains(f.lives(), f.life) {
		return f.life
	}
	switch {
	case f.place().scope.Session != "":
		return lifeSession
	case f.verdict() == rules.Allow && !f.about: // what calls do is decided once
		return lifeHour
	}
	return lifeForEver
}

// turnLife steps to another life. From then on the operator's choice holds, whatever
// is decided.
func (f *form) turnLife(by int) {
	list := f.lives()
	i := slices.Index(list, f.chosenLife())
	f.life, f.lifeSet = list[desk.Turned(i, by, len(list))], true
}

// lifeName is what a life is called. now is for what is left of the life that the rule
// has.
func (f *form) lifeName(l lifeKind, now time.Time) string {
	switch l {
	case lifeKept:
		return "as it is: " + words.Life(f.old, now)
	case lifeQuarter:
		return "15 min"
	case lifeHour:
		return "1 h"
	case lifeSession:
		return "session"
	case lifeUses:
		return figures.Count(someUses) + " uses"
	case lifeForEver:
	}
	return "for ever"
}

// live gives r its end, as of now. Uses that the rule had before do not count towards
// a new limit. A rule about a session needs no end of its own.
func (f *form) live(r *rules.Rule, now time.Time) {
	life := f.chosenLife()
	if life == lifeKept {
		return
	}
	// A new life takes the place of both ends that a rule may have.
	r.ExpiresAt, r.MaxUses = time.Time{}, 0
	switch life {
	case lifeQuarter:
		r.ExpiresAt = now.Add(15 * time.Minute)
	case lifeHour:
		r.ExpiresAt = now.Add(time.Hour)
	case lifeUses:
		r.MaxUses = r.Uses + someUses
	case lifeKept, lifeSession, lifeForEver:
	}
}

// lifeNames are the lives that may be chosen, and which one is.
func (f *form) lifeNames(now time.Time) (names []string, at int) {
	list := f.lives()
	for _, l := range list {
		names = append(names, f.lifeName(l, now))
	}
	return names, max(0, slices.Index(list, f.chosenLife()))
}
