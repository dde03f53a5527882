package rulebook

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/words"
)

// listing is which rules are listed, and which of them is selected. The selection is a
// rule's id, so it stays on its rule whatever comes and goes around it. made and sent
// are what this screen itself has changed: neither is a reason for doubt.
type listing struct {
	book   *words.Book // the rules as they were drawn last
	shown  []int       // places of the rules that pass the filter
	filter string      // as typed
	at     string      // id of the selected rule
	sent   ruleVersion
	made   string // id of a rule that was just saved, until the book has it
	top    int    // first listed rule on the screen
}

// ruleVersion is what a rule will be once the change is saved that was sent last.
type ruleVersion struct {
	id      string
	version int
}

// takeIn lists the rules of another book. same tells whether the selected rule is
// still the one that the operator looked at. When it is gone, the rule that now stands
// in its place is selected, and that is another one.
func (l *listing) takeIn(book *words.Book) (same bool) {
	at := l.place()
	before, _ := l.selected()
	// The old selection is looked up in the old book before this one takes its place.
	l.book = book
	l.refilter()
	l.goToSaved()
	if l.place() < 0 {
		l.choose(at)
	}
	now, ok := l.selected()
	return !ok || l.same(before, now)
}

// goToSaved selects the rule that was just saved, once the book has it, if it is
// listed. The answer and the book come by different ways, so either may be first.
func (l *listing) goToSaved() {
	if _, ok := l.book.Place(l.made); !ok {
		return
	}
	before := l.at
	l.at, l.made = l.made, ""
	// A filter that hides the new rule keeps the selection where it was.
	if l.place() < 0 {
		l.at = before
	}
}

// same reports whether the selected rule is still the one that the operator looked at:
// as it was, or as a key on this screen has just made it.
func (l *listing) same(before, now rules.Rule) bool {
	return before.ID == now.ID && (before.Version == now.Version || l.sent == ruleVersion{now.ID, now.Version})
}

// filterBy lists only the rules that have every word of text, in any of their parts
// and any case. An empty text lists all.
func (l *listing) filterBy(text string) {
	l.filter = text
	l.refilter()
}

// refilter goes through the book again. The order of the book stays.
func (l *listing) refilter() {
	list := strings.Fields(strings.ToLower(l.filter))
	l.shown = l.shown[:0]
	for i, r := range l.book.Rules {
		if len(list) == 0 || hasWords(haystack(r), list) {
			l.shown = append(l.shown, i)
		}
	}
}

// haystack is what the filter looks in, in lower case: what a person reads of a rule.
func haystack(r rules.Rule) string {
	parts := []string{string(r.Decision), r.Tool, r.Effects.String(), r.Reason, r.Scope.Project, r.Scope.Agent, r.Source}
	for name, p := range r.Where {
		parts = append(parts, name, p)
	}
	return strings.ToLower(strings.Join(parts, "\n"))
}

// hasWords reports whether text has all of list.
func hasWords(text string, list []string) bool {
	for _, w := range list {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// place is where the selected rule is listed, -1 when it is not.
func (l *listing) place() int {
	i, ok := l.book.Place(l.at)
	if !ok {
		return -1
	}
	// The places that pass the filter are in ascending order.
	at, found := slices.BinarySearch(l.shown, i)
	if !found {
		return -1
	}
	return at
}

// choose selects the rule listed at place i, or the nearest. An empty list has no
// selection.
func (l *listing) choose(i int) {
	if len(l.shown) == 0 {
		l.at = ""
		return
	}
	l.at = l.book.Rules[l.shown[max(0, min(i, len(l.shown)-1))]].ID
}

// find selects the rule with this id. It lists all rules when the filter hides that
// one: whoever opened the list on a rule wants to see it.
func (l *listing) find(id string) {
	if _, ok := l.book.Place(id); !ok {
		return
	}
	l.at = id
	if l.place() < 0 {
		l.filterBy("")
	}
}

// selected is the rule that keys of the list are about; false when there is none.
func (l *listing) selected() (rules.Rule, bool) {
	if l.place() < 0 {
		return rules.Rule{}, false
	}
	return l.book.Rule(l.at)
}
