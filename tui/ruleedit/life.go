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

// The lives, in the order in which they are drawn.
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
// ends with it.
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
// ends with the session or within the hour, what refuses stays.
func (f *form) chosenLife() lifeKind {
	if f.lifeSet && slices.Contains(f.lives(), f.life) {
		return f.life
	}
	switch {
	case f.place().scope.Session != "":
		return lifeSession
	case f.verdict() == rules.Allow:
		return lifeHour
	}
	return lifeForEver
}

func (f *form) turnLife(by int) {
	list := f.lives()
	i := slices.Index(list, f.chosenLife())
	f.life, f.lifeSet = list[desk.Turned(i, by, len(list))], true
}

// lifeName is what a life is called.
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

// live gives r its end, as of now.
func (f *form) live(r *rules.Rule, now time.Time) {
	life := f.chosenLife()
	if life == lifeKept {
		return
	}
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
