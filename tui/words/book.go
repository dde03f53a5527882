package words

import (
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
)

// namesKept is how many rules' names are kept.
const namesKept = 1000

// Book is the rules as the console knows them, and what they are called.
type Book struct {
	broker.RuleBook
	byID  map[string]int    // places in Rules
	names map[string]string // safe to draw; filled when needed
}

// NewBook takes in the rules that hold now. The built-in grant stands behind them, as it speaks last.
func NewBook(b broker.RuleBook) *Book {
	b.Rules = append(slices.Clone(b.Rules), rules.LookGrant())
	book := &Book{RuleBook: b, byID: make(map[string]int, len(b.Rules))}
	for i, r := range b.Rules {
		book.byID[r.ID] = i
	}
	return book
}

// Place is where the rule with this id stands in Rules.
func (b *Book) Place(id string) (at int, ok bool) {
	at, ok = b.byID[id]
	return at, ok
}

// Rule is the rule with this id, of ours or of a file.
func (b *Book) Rule(id string) (rules.Rule, bool) {
	if i, ok := b.byID[id]; ok {
		return b.Rules[i], true
	}
	for _, f := range b.Files {
		for _, r := range f.Rules {
			if r.ID == id && id != "" {
				return r, true
			}
		}
	}
	return rules.Rule{}, false
}

// LookAsked is the rule for which calls that only look ask everywhere, whatever the built-in grant says.
// ok is false while that one holds.
func (b *Book) LookAsked(now time.Time) (r rules.Rule, ok bool) {
	i := slices.IndexFunc(b.Rules, func(r rules.Rule) bool {
		return r.Enabled && r.Decision != rules.Allow && r.Effects.Has(effects.Look) && r.Scope == (rules.Scope{}) && Over(r, now) == ""
	})
	if i < 0 {
		return rules.Rule{}, false
	}
	return b.Rules[i], true
}

// Own is how many rules there are beside the built-in one.
func (b *Book) Own() int { return len(b.Rules) - 1 }

// Actor names who decided, and a rule by what it says; safe to draw.
func (b *Book) Actor(a broker.Actor) string {
	if a.Kind == broker.ByRule && a.ID != "" && a.ID != rules.BuiltinLook {
		return "rule " + b.RuleName(a.ID)
	}
	return callview.Actor(a)
}

// Ended is how a call ended, with a rule called by what it says; safe to draw.
func (b *Book) Ended(r broker.Request) string {
	text := callview.Ended(r)
	if o := r.Outcome; o != nil && o.By.Kind == broker.ByRule && o.By.ID != "" {
		text = strings.TrimSuffix(text, callview.Actor(o.By)) + b.Actor(o.By)
	}
	if r.Unrecorded {
		text += ", which is not on record yet"
	}
	return text
}

// RuleName is what a rule is called in few words; safe to draw. A rule that is no
// longer there is called by the end of its id.
func (b *Book) RuleName(id string) string {
	if name, ok := b.names[id]; ok {
		return name
	}
	name := draw.SafeLine(strings.TrimPrefix(id, "builtin:"))
	if r, ok := b.Rule(id); ok && id != rules.BuiltinReadOnly && id != rules.BuiltinLook {
		name = RuleTitle(r)
	} else if !strings.HasPrefix(id, "builtin:") {
		name = draw.SafeLine(draw.LastOf(id, 8))
	}
	if b.names == nil || len(b.names) > namesKept {
		b.names = map[string]string{}
	}
	b.names[id] = name
	return name
}
