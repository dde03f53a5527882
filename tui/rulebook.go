package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// rulebook is what the console knows of rules, rules files and tokens, and where the
// screens about them stand.
type rulebook struct {
	book  broker.RuleBook
	byID  map[string]int    // places in book.Rules
	names map[string]string // what rules are called, safe to draw; filled when needed

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

	stats statsSeen
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
	rb.book = b
	rb.byID = make(map[string]int, len(b.Rules))
	for i, r := range b.Rules {
		rb.byID[r.ID] = i
	}
	rb.names = nil
	rb.files = slices.Clone(b.Files)
	slices.SortFunc(rb.files, func(x, y broker.RulesFile) int { return cmp.Compare(x.Path, y.Path) })
	rb.refilter()
	if rb.place() < 0 {
		rb.choose(at)
	}
	if now, ok := rb.selected(); ok && m.screen == screenRules && !rb.same(chosen, now) {
		m.guard.Doubt(m.at) // a key pressed just now was meant for what stood there before
	}
	if now, _ := rb.selectedFile(); m.screen == screenFile && now.Digest != before.Digest {
		rb.scroll = 0 // what was read is not what stands there now
		m.guard.Doubt(m.at)
	}
}

// same reports whether the selected rule is still the one that the operator looked at:
// as it was, or as a key on this screen has just made it.
func (rb *rulebook) same(before, now rules.Rule) bool {
	return before.ID == now.ID && (before.Version == now.Version || rb.sent == ruleVersion{now.ID, now.Version})
}

// rule is the rule with this id.
func (rb *rulebook) rule(id string) (rules.Rule, bool) {
	if i, ok := rb.byID[id]; ok {
		return rb.book.Rules[i], true
	}
	for _, f := range rb.book.Files {
		for _, r := range f.Rules {
			if r.ID == id && id != "" {
				return r, true
			}
		}
	}
	return rules.Rule{}, false
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
	i, ok := rb.byID[rb.at]
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
	return rb.rule(rb.at)
}

// ruleName is what a rule is called in few words; safe to draw. A rule that is no
// longer there is called by the end of its id.
func (m *model) ruleName(id string) string {
	if name, ok := m.rb.names[id]; ok {
		return name
	}
	name := draw.SafeLine(strings.TrimPrefix(id, "builtin:"))
	if r, ok := m.rb.rule(id); ok && id != rules.BuiltinReadOnly {
		name = ruleTitle(r)
	} else if !strings.HasPrefix(id, "builtin:") {
		name = draw.SafeLine(draw.LastOf(id, 8))
	}
	if m.rb.names == nil || len(m.rb.names) > summariesKept {
		m.rb.names = map[string]string{}
	}
	m.rb.names[id] = name
	return name
}

// ruleTitle is the pattern that tells most, or the tool.
func ruleTitle(r rules.Rule) string {
	for _, name := range whereNames(r) {
		return patternText(r, name)
	}
	return draw.SafeLine(r.Tool)
}

// patternText is a rule's pattern on one line; a path in the rule's own project begins
// there. Safe to draw.
func patternText(r rules.Rule, name string) string {
	p := r.Where[name]
	if strings.HasSuffix(name, "path") && r.Scope.Project != "" {
		if short := callview.Within(p, r.Scope.Project); short != p {
			p = "./" + short
		}
	}
	return draw.SafeLine(p)
}

// ruleText is tool and patterns on one line; safe to draw.
func (m *model) ruleText(r rules.Rule) string {
	text := draw.SafeLine(r.Tool)
	for i, name := range whereNames(r) {
		if i == 0 && slices.Contains(callview.MainFields, name) {
			text += ` "` + patternText(r, name) + `"`
			continue
		}
		text += " " + draw.SafeLine(name) + `="` + patternText(r, name) + `"`
	}
	return text
}

// ruleSays is what a rule does, in a phrase: allows "npm run test *" in api for 1 h.
func (m *model) ruleSays(r rules.Rule) string {
	verb := map[rules.Verdict]string{rules.Allow: "allows", rules.Deny: "denies", rules.Ask: "asks about", rules.Defer: "puts off"}[r.Decision]
	text := ruleTitle(r)
	if len(r.Where) > 0 {
		text = `"` + text + `"`
	} else {
		text = "every " + text + " call"
	}
	agent := r.Scope.Agent
	r.Scope.Agent = ""
	where := " in " + m.scopeWords(r.Scope)
	if r.Scope == (rules.Scope{}) {
		where = " everywhere"
	}
	if agent != "" {
		where += " by " + draw.SafeLine(agent)
	}
	return verb + " " + text + where + m.lifeTail(r)
}

func (m *model) lifeTail(r rules.Rule) string {
	switch {
	case !r.ExpiresAt.IsZero():
		return " for " + span(r.ExpiresAt.Sub(m.at))
	case r.MaxUses > 0:
		return ", " + figures.Plural(max(0, r.MaxUses-r.Uses), "time")
	}
	return ""
}

// scopeWords is where a rule holds, in few words; safe to draw.
func (m *model) scopeWords(s rules.Scope) string {
	var parts []string
	if s.Session != "" {
		parts = append(parts, "session "+m.board.Label(s.Session))
	}
	if s.Project != "" {
		parts = append(parts, projectName(s.Project))
	}
	if s.Agent != "" {
		parts = append(parts, draw.SafeLine(s.Agent)+" only")
	}
	if len(parts) == 0 {
		return "everywhere"
	}
	return strings.Join(parts, " · ")
}

// over reports in words why a rule no longer speaks; empty when it does.
func over(r rules.Rule, now time.Time) string {
	switch {
	case !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt):
		return "expired"
	case r.MaxUses > 0 && r.Uses >= r.MaxUses:
		return "used up"
	}
	return ""
}

// lifeWords is how long a rule still holds, in few letters.
func lifeWords(r rules.Rule, now time.Time) string {
	if word := over(r, now); word != "" {
		return word
	}
	switch {
	case !r.ExpiresAt.IsZero() && r.MaxUses > 0:
		return span(r.ExpiresAt.Sub(now)) + ", " + figures.Count(r.MaxUses-r.Uses) + "×"
	case !r.ExpiresAt.IsZero():
		return span(r.ExpiresAt.Sub(now))
	case r.MaxUses > 0:
		return figures.Plural(r.MaxUses-r.Uses, "use")
	case r.Scope.Session != "":
		return "session"
	}
	return "for ever"
}

// lastHit is when a rule spoke last.
func lastHit(r rules.Rule, now time.Time) string {
	if r.LastUsedAt.IsZero() {
		if r.Uses > 0 {
			return "?"
		}
		return "never"
	}
	return figures.Ago(now.Sub(r.LastUsedAt)) + " ago"
}

// actor names who decided, and a rule by what it says; safe to draw.
func (m *model) actor(a broker.Actor) string {
	if a.Kind == broker.ByRule && a.ID != "" {
		return "rule " + m.ruleName(a.ID)
	}
	return callview.Actor(a)
}

// ended is how a call ended, with a rule called by what it says; safe to draw.
func (m *model) ended(r broker.Request) string {
	text := callview.Ended(r)
	if o := r.Outcome; o != nil && o.By.Kind == broker.ByRule && o.By.ID != "" {
		text = strings.TrimSuffix(text, callview.Actor(o.By)) + m.actor(o.By)
	}
	if r.Unrecorded {
		text += ", which is not on record yet"
	}
	return text
}
