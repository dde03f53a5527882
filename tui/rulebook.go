package tui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/words"
)

// rulebook is what the console knows of rules, rules files and tokens, and where the
// screens about them stand.
type rulebook struct {
	book   *words.Book
	shown  []int  // places of the rules that pass the filter
	filter string // as typed
	at     string // id of the selected rule
	last   string // id of the rule that the editor saved last
	sent   ruleVersion
	top    int

	files  []broker.RulesFile
	file   string // path of the selected file
	scroll int    // first row of its page

	tokens []broker.Token
	token  string // id of the selected token
	minted *minted
}

// ruleVersion is what a rule will be once the change is saved that was sent last.
type ruleVersion struct {
	id      string
	version int
}

// minted is a new token while its box is on the screen, the only time it ever is.
type minted struct {
	kind         broker.TokenKind
	label, token string
}

// bookCame takes in the rules that hold now.
func (m *model) bookCame(b broker.RuleBook) {
	rb := &m.rb
	at := rb.place()
	chosen, _ := rb.selected()
	before, _ := rb.selectedFile()
	m.Book = words.NewBook(b)
	rb.book = m.Book
	rb.files = slices.Clone(b.Files)
	slices.SortFunc(rb.files, func(x, y broker.RulesFile) int { return cmp.Compare(x.Path, y.Path) })
	rb.refilter()
	if rb.place() < 0 {
		rb.choose(at)
	}
	if now, ok := rb.selected(); ok && m.screen == screenRules && !rb.same(chosen, now) {
		m.Guard.Doubt(m.At) // a key pressed just now was meant for what stood there before
	}
	if now, _ := rb.selectedFile(); m.screen == screenFile && now.Digest != before.Digest {
		rb.scroll = 0 // what was read is not what stands there now
		m.Guard.Doubt(m.At)
	}
}

// same reports whether the selected rule is still the one that the operator looked at:
// as it was, or as a key on this screen has just made it.
func (rb *rulebook) same(before, now rules.Rule) bool {
	return before.ID == now.ID && (before.Version == now.Version || rb.sent == ruleVersion{now.ID, now.Version})
}

// refilter lists what passes the filter: every word must occur.
func (rb *rulebook) refilter() {
	words := strings.Fields(strings.ToLower(rb.filter))
	rb.shown = rb.shown[:0]
	for i, r := range rb.book.Rules {
		if len(words) == 0 || hasWords(ruleHaystack(r), words) {
			rb.shown = append(rb.shown, i)
		}
	}
}

func ruleHaystack(r rules.Rule) string {
	parts := []string{string(r.Decision), r.Tool, r.Reason, r.Scope.Project, r.Scope.Agent, r.Source}
	for name, p := range r.Where {
		parts = append(parts, name, p)
	}
	return strings.ToLower(strings.Join(parts, "\n"))
}

func hasWords(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// place is where the selected rule is listed, -1 when it is not.
func (rb *rulebook) place() int {
	i, ok := rb.book.Place(rb.at)
	if !ok {
		return -1
	}
	at, found := slices.BinarySearch(rb.shown, i)
	if !found {
		return -1
	}
	return at
}

// choose selects the rule listed at place i, or the nearest.
func (rb *rulebook) choose(i int) {
	if len(rb.shown) == 0 {
		rb.at = ""
		return
	}
	rb.at = rb.book.Rules[rb.shown[max(0, min(i, len(rb.shown)-1))]].ID
}

// selected is the rule that keys of the list are about.
func (rb *rulebook) selected() (rules.Rule, bool) {
	if rb.place() < 0 {
		return rules.Rule{}, false
	}
	return rb.book.Rule(rb.at)
}
