package history

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
)

// MaxChanges is how many changes a Report lists; it counts all of them.
const MaxChanges = 200

// Report says what other rules would have done to a history of calls. Both sides are judged as
// of one moment, so a rule that has since ended plays no part. Its JSON is for programs: lists
// are never null.
type Report struct {
	Calls         int        `json:"calls"`
	Before        Counts     `json:"before"`  // what the current rules say about them
	After         Counts     `json:"after"`   // what the proposed rules say
	Changed       int        `json:"changed"` // calls with another verdict
	Worse         int        `json:"worse"`   // of these, calls that a person denied and that would be allowed
	Changes       []Change   `json:"changes"` // the worse ones first, then newest first; at most MaxChanges
	PerRule       []RuleStat `json:"per_rule"`
	Dead          []string   `json:"dead"` // ids of proposed, enabled rules that match no call of the history
	PromptsBefore int        `json:"prompts_before"`
	PromptsAfter  int        `json:"prompts_after"`
}

// Counts counts calls by verdict.
type Counts struct {
	Allow int `json:"allow"`
	Deny  int `json:"deny"`
	Ask   int `json:"ask"`
	Defer int `json:"defer,omitempty"`
}

// add counts one verdict.
func (c *Counts) add(v rules.Verdict) {
	switch v {
	case rules.Allow:
		c.Allow++
	case rules.Deny:
		c.Deny++
	case rules.Ask:
		c.Ask++
	case rules.Defer:
		c.Defer++
	}
}

// Change is one call that the proposed rules see differently. Text is the agent's, and must be
// made safe before it is drawn.
type Change struct {
	PastID   string        `json:"past_id"` // of the request
	At       time.Time     `json:"at"`
	Tool     string        `json:"tool"`
	Text     string        `json:"text"`              // raw
	Effects  effects.Set   `json:"effects,omitempty"` // what the call does
	From     rules.Verdict `json:"from"`
	FromRule string        `json:"from_rule,omitempty"`
	To       rules.Verdict `json:"to"`
	ToRule   string        `json:"to_rule,omitempty"`
	Was      string        `json:"was"`   // how it really ended: "denied by a person"
	Worse    bool          `json:"worse"` // a person denied it, and it would now be allowed
}

// RuleStat says how much a proposed rule has to do with the history. A hit is a call of which
// the rule matches at least a part, whether or not another rule decides. LastHit is zero when
// there is none.
type RuleStat struct {
	ID      string    `json:"id"`
	Hits    int       `json:"hits"`
	LastHit time.Time `json:"last_hit,omitzero"`
}

// Replay judges past by the current and by the proposed rules. It goes through past once and
// holds no more of it than the report, so past may be long. Calls made by one Preparer are
// judged once each. now is the time at which all are judged.
func Replay(current, proposed *rules.Set, past iter.Seq[Past], now time.Time) Report {
	r := &replay{current: current, proposed: proposed, now: now, known: map[*rules.Call]replayed{}, stats: map[string]*RuleStat{}}
	r.Changes, r.PerRule, r.Dead = []Change{}, []RuleStat{}, []string{} // for programs, which want no null
	for p := range past {
		r.add(p)
	}
	return r.report()
}

// replay is a report in the making. known remembers what both sides say about a call, and is
// thinned like the Preparer's memory.
type replay struct {
	current, proposed *rules.Set
	now               time.Time
	known             map[*rules.Call]replayed
	stats             map[string]*RuleStat
	Report
}

// replayed is what both sides say about a call.
type replayed struct {
	from, to         rules.Verdict
	fromRule, toRule string
	matches          []string // ids of the proposed rules that match
}

// add takes in one call. A call that was asked about twice counts twice.
func (r *replay) add(p Past) {
	o := r.judge(p.Call)
	r.Calls++
	r.Before.add(o.from)
	r.After.add(o.to)
	for _, id := range o.matches {
		r.hit(id, p.At)
	}
	if o.from == o.to {
		return
	}
	r.Changed++
	c := Change{
		PastID: p.ID, At: p.At, Tool: p.Call.Tool(), From: o.from, FromRule: o.fromRule, To: o.to, ToRule: o.toRule,
		Was: p.ended(), Worse: p.State == "denied" && p.byPerson() && o.to == rules.Allow,
	}
	if c.Worse {
		r.Worse++
	}
	r.list(c, p.Call)
}

// list takes c into the changes, which stay in their order and few. Of a change that falls off
// the end the text is never made.
func (r *replay) list(c Change, call *rules.Call) {
	// The id comes last, so that calls of one moment are always in one order.
	i, _ := slices.BinarySearchFunc(r.Changes, c, func(a, b Change) int {
		return cmp.Or(trueFirst(a.Worse, b.Worse), b.At.Compare(a.At), cmp.Compare(a.PastID, b.PastID))
	})
	if i == MaxChanges {
		return
	}
	c.Text, c.Effects = call.About(), call.Effects()
	r.Changes = slices.Insert(r.Changes, i, c)
	r.Changes = r.Changes[:min(len(r.Changes), MaxChanges)]
}

// judge asks both sides. Only the proposed one is asked for all rules that match, which takes
// longer.
func (r *replay) judge(c *rules.Call) replayed {
	if o, ok := r.known[c]; ok {
		return o
	}
	var o replayed
	o.from, o.fromRule = r.current.Verdict(c, r.now)
	a := r.proposed.Judge(c, r.now)
	o.to, o.toRule, o.matches = a.Verdict, a.Rule, matching(a)
	// A call that was forgotten is judged once more, with the same answer.
	rules.Thin(r.known)
	r.known[c] = o
	return o
}

// matching lists the rules that match any part of a call, each once, in a fixed order.
func matching(a rules.Assessment) []string {
	set := map[string]bool{}
	for _, e := range a.Elements {
		for _, id := range e.Matches {
			set[id] = true
		}
	}
	for _, id := range a.Rules { // a deny rule may be found in the raw text only
		set[id] = true
	}
	return sortedSet(set)
}

// hit counts a call for a rule of the proposed ones.
func (r *replay) hit(id string, at time.Time) {
	s := r.stats[id]
	if s == nil {
		s = &RuleStat{ID: id}
		r.stats[id] = s
	}
	s.Hits++
	if at.After(s.LastHit) {
		s.LastHit = at
	}
}

// report adds what is known at the end: the numbers of questions, and the rules that match
// nothing. Built-in rules are counted too, but are never dead.
func (r *replay) report() Report {
	r.PromptsBefore, r.PromptsAfter = r.Before.Ask+r.Before.Defer, r.After.Ask+r.After.Defer
	for _, rule := range r.proposed.Rules() {
		s := r.stats[rule.ID]
		switch {
		case rule.ID == rules.BuiltinLook && s == nil:
		case s != nil:
			r.PerRule = append(r.PerRule, *s)
		// A disabled rule has not failed to match; it was never asked.
		case rule.Enabled:
			r.Dead = append(r.Dead, rule.ID)
			fallthrough
		default:
			r.PerRule = append(r.PerRule, RuleStat{ID: rule.ID})
		}
	}
	if s := r.stats[rules.BuiltinReadOnly]; s != nil {
		r.PerRule = append(r.PerRule, *s)
	}
	return r.Report
}
