package rulebook

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/words"
)

func bookOf(list ...rules.Rule) *words.Book { return words.NewBook(broker.RuleBook{Rules: list}) }

// A new book leaves the selection on its rule, and says when that is not what was looked at.
func TestSelectionInANewBook(t *testing.T) {
	a, b, c := rules.Rule{ID: "a", Version: 1}, rules.Rule{ID: "b", Version: 1}, rules.Rule{ID: "c", Version: 1}
	used, changed := b, b
	used.Uses++
	changed.Version++
	for name, tc := range map[string]struct {
		book *words.Book
		sent ruleVersion
		at   string
		same bool
	}{
		"hit":             {bookOf(a, used, c), ruleVersion{}, "b", true},
		"moved":           {bookOf(c, a, b), ruleVersion{}, "b", true},
		"changed":         {bookOf(a, changed, c), ruleVersion{}, "b", false},
		"changed by us":   {bookOf(a, changed, c), ruleVersion{"b", 2}, "b", true},
		"removed":         {bookOf(a, c), ruleVersion{}, "c", false},
		"removed at last": {bookOf(a), ruleVersion{}, rules.BuiltinLook, false},
		"all removed":     {bookOf(), ruleVersion{}, rules.BuiltinLook, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := listing{book: bookOf(), sent: tc.sent}
			l.takeIn(bookOf(a, b, c))
			l.find("b")
			if same := l.takeIn(tc.book); same != tc.same || l.at != tc.at {
				t.Errorf("%q is selected, same %v; want %q, %v", l.at, same, tc.at, tc.same)
			}
		})
	}
}

// A rule that is asked for by its id is listed, whatever the filter says; one that is not there
// changes nothing.
func TestFindARule(t *testing.T) {
	l := listing{book: bookOf()}
	l.takeIn(bookOf(rules.Rule{ID: "a", Tool: "Bash"}, rules.Rule{ID: "b", Tool: "Write"}))
	l.filterBy("bash")
	l.find("gone")
	if l.filter == "" || len(l.shown) != 1 {
		t.Errorf("the filter is %q, %d rules are listed", l.filter, len(l.shown))
	}
	l.find("b")
	if r, ok := l.selected(); !ok || r.ID != "b" || l.filter != "" {
		t.Errorf("%q is selected with filter %q", r.ID, l.filter)
	}
}
