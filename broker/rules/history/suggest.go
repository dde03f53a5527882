package history

import (
	"cmp"
	"crypto/sha256"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
)

// SuggestOptions tunes Suggest. Zero fields take the defaults named.
type SuggestOptions struct {
	Max     int  // suggestions; 5
	MinHits int  // prompts that a suggestion must save; 3
	Known   bool // no rule about words that matches what is no habit, as what nobody knows

	wordsOnly bool // no grants; for tests of the rules about words
}

// Suggestion is a rule that would have saved prompts. Examples are texts of the agent's.
type Suggestion struct {
	Rule     rules.Rule `json:"rule"`               // a draft, without ID
	Saves    int        `json:"saves"`              // prompts, beside those that the suggestions before it save
	Observed int        `json:"observed,omitempty"` // of these, calls that ran while a session was only observed
	Sessions int        `json:"sessions"`           // in which these were
	Last     time.Time  `json:"last"`               // the latest of them
	Examples []string   `json:"examples"`           // calls, raw, the most frequent first; at most 3
}

// noHabit is what a rule that is taken with one key must not be about.
var noHabit = effects.Of(effects.Secrets, effects.Delete, effects.Privilege, effects.Gate, effects.Unknown)

// More candidates would cost a judgement each for every group; the rest saves little.
const (
	maxCandidates = 400
	maxExamples   = 3
)

// Suggest finds the few narrow allow rules that would have saved the most prompts: calls that a
// person was asked about and allowed, and that current would ask about again. Grants of effects
// come first, each for one project; rules about words are for what no grant speaks for. Of each kind
// it takes what saves most, then what saves most of the rest, and of two that save the same the
// narrower one. A rule about words is bound to a project when all that it saves lies there.
//
// Never suggested: a rule that would have allowed a call which a person or a rule ever denied,
// whatever else is allowed beside it; and anything for calls of class dangerous, guarded or
// unsure ones. With Known there is nothing for what nobody knows either, nor for secrets, deletions that
// git cannot undo, other users and what holds aoctl itself.
//
// It goes through past once and keeps one entry for each different question. The same history
// gives the same answer. The drafts are tried together in the end, as two harmless rules may
// allow a refused line between them.
func Suggest(past iter.Seq[Past], current *rules.Set, now time.Time, opts SuggestOptions) []Suggestion {
	s := &suggester{now: now, most: cmp.Or(opts.Max, 5), least: cmp.Or(opts.MinHits, 3), opts: opts}
	for _, r := range current.Rules() {
		if r.Scope.Session == "" { // what ends with its session is no help later
			s.base = append(s.base, r)
		}
	}
	for p := range past {
		s.add(p)
	}
	if !s.candidates() {
		return nil
	}
	var out []Suggestion
	for _, s.words = range []bool{false, true} {
		for len(out) < s.most {
			c, saved := s.pick()
			if c == nil {
				break
			}
			out = append(out, suggestion(c.rule, saved))
		}
	}
	return out
}

// suggester holds a history as groups of equal questions. What the log has of a question beyond
// its numbers is dropped as it goes by.
type suggester struct {
	now         time.Time
	most, least int
	opts        SuggestOptions
	words       bool         // it is the turn of rules about words; grants come before
	base        []rules.Rule // current, without rules of one session
	groups      map[[sha256.Size]byte]*group
	order       []*group // as they came
	cands       []*candidate
	chosen      []*candidate
}

// group is all calls that ask the same. What is true of one of them is true of the group: one
// refusal refuses it.
type group struct {
	call     *rules.Call
	prompts  int // a person was asked and allowed it
	observed int // of these, in a session that was only observed
	sessions map[string]bool
	last     time.Time
	refused  bool // a person or a rule once denied it
	open     bool // current asks about it, and a rule could change that
	saved    bool // by a chosen candidate
	parts    []part
}

// part is an element that a rule has to allow before the group runs by itself. A line of
// several commands may take several candidates.
type part struct {
	free    bool        // current allows it
	need    effects.Set // what it does beyond what current grants
	matches []int       // candidates that match it; a grant does with some of the effects
}

// candidate is a rule that some call offers.
type candidate struct {
	rule    rules.Rule
	n       int // place among the candidates
	support int // prompts whose calls offered it
	groups  []*group
	against []*group // refused ones of which it matches a part
	spoiled bool     // it must not, or cannot, be chosen
}

// grant reports whether c is about effects.
func (c *candidate) grant() bool { return c.rule.Effects != 0 }

// add takes in one call. The key is a sum, as inputs can be long.
func (s *suggester) add(p Past) {
	key := sha256.Sum256([]byte(sameQuestion(p.Call)))
	g := s.groups[key]
	if g == nil {
		g = &group{call: p.Call, sessions: map[string]bool{}}
		if s.groups == nil {
			s.groups = map[[sha256.Size]byte]*group{}
		}
		s.groups[key] = g
		s.order = append(s.order, g)
	}
	if p.refused() {
		g.refused = true
	}
	if p.Observed || p.Prompted && p.State == "allowed" && p.byPerson() {
		g.prompts++
		if p.Observed {
			g.observed++
		}
		g.sessions[p.SessionID] = true
		if p.At.After(g.last) {
			g.last = p.At
		}
	}
}

// candidates collects what the calls themselves offer, and which calls each touches. It is
// false when the rules in force cannot be compiled, and then nothing is suggested.
func (s *suggester) candidates() bool {
	base, err := rules.Compile(s.base)
	if err != nil {
		return false
	}
	index := map[string]*candidate{}
	var may grants
	for _, g := range s.order {
		// A question that was refused even once teaches nothing about what to allow.
		if g.prompts == 0 || g.refused {
			continue
		}
		if v, _ := base.Verdict(g.call, s.now); v != rules.Ask {
			continue
		}
		g.open = true
		may.add(g)
		// These are the very rules that the operator was offered when the call waited.
		for _, r := range rules.Offer(g.call) {
			s.offer(index, r, g.prompts)
		}
	}
	if !s.opts.wordsOnly {
		s.cands = append(s.cands, may.candidates()...)
	}
	slices.SortStableFunc(s.cands, func(a, b *candidate) int {
		return cmp.Or(trueFirst(a.grant(), b.grant()), cmp.Compare(b.support, a.support), narrower(a.rule, b.rule))
	})
	// Those that most calls offered come first, so what is cut off would save little.
	s.cands = s.cands[:min(len(s.cands), maxCandidates)]
	return s.match(base)
}

// offer adds a draft, or the prompts of one more call to a draft that is there. A dangerous
// call offers nothing that should become a habit.
func (s *suggester) offer(index map[string]*candidate, r rules.Rule, prompts int) {
	if r.Dangerous { // which is how a dangerous call is offered
		return
	}
	r = rules.Rule{Enabled: true, Priority: r.Priority, Tool: r.Tool, Where: r.Where, Decision: rules.Allow}
	key := r.Tool
	for _, name := range slices.Sorted(maps.Keys(r.Where)) {
		key += "\x00" + name + "\x00" + r.Where[name]
	}
	c := index[key]
	if c == nil {
		c = &candidate{rule: r}
		index[key] = c
		s.cands = append(s.cands, c)
	}
	c.support += prompts
}

// match asks, once for each group, which candidates match which of its parts. Their ids are
// their numbers for that, so that the answer leads back to them.
func (s *suggester) match(base *rules.Set) bool {
	list := make([]rules.Rule, len(s.cands))
	for i, c := range s.cands {
		c.n = i
		list[i] = c.rule
		list[i].ID = strconv.Itoa(i)
	}
	all, err := rules.Compile(list)
	if err != nil {
		return false
	}
	for _, g := range s.order {
		// Other groups say neither yes nor no to a candidate.
		if g.open || g.refused {
			s.matchGroup(g, base.Judge(g.call, s.now), all.Judge(g.call, s.now))
		}
	}
	for _, c := range s.cands {
		if !c.grant() {
			c.rule.Scope.Project = oneProject(c.groups)
		}
	}
	return true
}

// matchGroup notes the parts of one group. Of a refused one it only matters which candidates
// touch it at all: they are tried with it before they are chosen.
func (s *suggester) matchGroup(g *group, base, all rules.Assessment) {
	touched := map[int]bool{}
	for i, e := range all.Elements {
		// What has no say needs no rule.
		if e.Neutral {
			continue
		}
		p := part{free: base.Elements[i].Verdict == rules.Allow, need: e.Effects &^ base.Elements[i].Granted}
		for _, id := range e.Matches {
			if n, err := strconv.Atoi(id); err == nil {
				p.matches = append(p.matches, n)
				touched[n] = true
				s.cands[n].spoiled = s.cands[n].spoiled || s.opts.Known && !s.cands[n].grant() && e.Effects&noHabit != 0
			}
		}
		g.parts = append(g.parts, p)
	}
	for n := range touched {
		c := s.cands[n]
		if g.refused {
			c.against = append(c.against, g)
		} else {
			c.groups = append(c.groups, g)
		}
	}
}

// oneProject is the project of all groups, "" when there are several or it is unknown.
func oneProject(groups []*group) string {
	project := ""
	for i, g := range groups {
		p := g.call.Question().Place.Project
		if i > 0 && p != project {
			return ""
		}
		project = p
	}
	return project
}

// pick chooses the candidate that saves the most, and says which groups; nil when there is
// none. What it seems to save is put to the test with all rules in force first: the estimate
// goes by parts, and rules that ask or deny have their say in the whole.
func (s *suggester) pick() (*candidate, []*group) {
	for {
		c := s.best()
		if c == nil {
			return nil, nil
		}
		c.spoiled = true // chosen, or unfit
		if s.harms(c) {
			continue
		}
		// A narrower candidate may have been saved by an earlier one in the meantime.
		if saved := s.saves(c); prompts(saved) >= s.least {
			for _, g := range saved {
				g.saved = true
			}
			s.chosen = append(s.chosen, c)
			return c, saved
		}
	}
}

// best is the candidate that seems to save the most, of equal ones the narrower; nil when none
// saves enough.
func (s *suggester) best() *candidate {
	var best *candidate
	gain := s.least
	for _, c := range s.cands {
		if c.spoiled || c.grant() == s.words {
			continue
		}
		if n := s.estimate(c); n > gain || n == gain && (best == nil || narrower(c.rule, best.rule) < 0) {
			best, gain = c, n
		}
	}
	return best
}

// estimate counts the prompts that c would save beside the chosen ones. It only looks at what
// match has noted, and so is quick.
func (s *suggester) estimate(c *candidate) int {
	n := 0
	for _, g := range c.groups {
		if !g.saved && !slices.ContainsFunc(g.parts, func(p part) bool { return !s.covers(p, c) }) {
			n += g.prompts
		}
	}
	return n
}

// covers reports whether p is allowed as it is, by c, or by a chosen candidate; grants do so between
// them. Matching is taken for allowing here; pick tries it in earnest.
func (s *suggester) covers(p part, c *candidate) bool {
	if p.free {
		return true
	}
	var have effects.Set
	for _, other := range append(slices.Clip(s.chosen), c) {
		if !slices.Contains(p.matches, other.n) {
			continue
		}
		if !other.grant() {
			return true
		}
		have |= other.rule.Effects
	}
	return have != 0 && p.need.Within(have)
}

// harms reports whether c, beside all that allows, would allow what was refused. Rules that
// refuse are left out: one that is deleted later must not lay a call open that somebody said no
// to.
func (s *suggester) harms(c *candidate) bool {
	var allows []rules.Rule
	for _, r := range s.base {
		if r.Decision == rules.Allow {
			allows = append(allows, r)
		}
	}
	set, err := rules.Compile(s.with(allows, c))
	// Rules that cannot be compiled together are no proof of harmlessness.
	return err != nil || s.mayHarm(c) || slices.ContainsFunc(c.against, func(g *group) bool {
		v, _ := set.Verdict(g.call, s.now)
		return v == rules.Allow
	})
}

// mayHarm reports whether a grant covers what a refused call may have done, of which only the disk tells: a
// branch that is gone may come back.
func (s *suggester) mayHarm(c *candidate) bool {
	return c.rule.Effects != 0 && slices.ContainsFunc(s.order, func(g *group) bool {
		return g.refused && g.call.Question().Place.Project == c.rule.Scope.Project && effects.MayDo(g.call.Line())&c.rule.Effects != 0
	})
}

// saves lists the open groups that c makes run by themselves, judged by all rules that stay in
// force and the chosen candidates.
func (s *suggester) saves(c *candidate) []*group {
	set, err := rules.Compile(s.with(s.base, c))
	if err != nil {
		return nil
	}
	var saved []*group
	for _, g := range c.groups {
		if v, _ := set.Verdict(g.call, s.now); !g.saved && v == rules.Allow {
			saved = append(saved, g)
		}
	}
	return saved
}

// with is list with the chosen candidates and c. The list itself is not changed.
func (s *suggester) with(list []rules.Rule, c *candidate) []rules.Rule {
	list = slices.Clone(list)
	for i, other := range append(slices.Clone(s.chosen), c) {
		r := other.rule
		r.ID = "suggestion-" + strconv.Itoa(i)
		list = append(list, r)
	}
	return list
}
