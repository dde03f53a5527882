// Package tally says what the gate costs and what it saves, from the calls that are over.
//
// Count takes the calls one by one, in any order, and needs a few words of each; so a store can
// hand it every call that it has. It asks no clock, no disk and no console, and gives the same
// Report to a command and to a screen.
//
// The cost is that a person is interrupted. A call that somebody was asked about is a prompt: it
// waited, or a person decided it. What a rule, a stop or a failure ended in the moment in which it
// came was no prompt, nor was a call that aoctl only watched, nor one that an earlier answer let
// pass (a grant). Prompts per 100 calls say how often one is interrupted, and over time whether
// the rules get better. How long an answer took counts only for answers at the keyboard.
//
// What came is counted by session, agent, tool and rule, the group with the most prompts first,
// and over time in hours, days or weeks, whichever gives a row that can be read.
//
// What sessions spent is no matter of calls: Spend adds it to a Report, for those who have read it.
//
// It cannot tell what the hook itself costs. A call is on record from the moment in which the
// console judged it, and a call that a rule decides ends in that same moment. A console that runs
// measures its own part (package calls).
package tally

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Counts are calls by how they ended. The zero value counts nothing, and is ready. Percentiles
// are there only after finish.
type Counts struct {
	Calls    int `json:"calls"`
	ByRule   int `json:"allowed_by_rule"`
	ByHand   int `json:"allowed_by_hand"`
	Denied   int `json:"denied"` // by hand, or by a command
	RuleDeny int `json:"denied_by_rule"`
	Expired  int `json:"expired"`
	Observed int `json:"observed"`
	Other    int `json:"other"`         // cancelled, answered elsewhere, stopped …
	Saved    int `json:"prompts_saved"` // a rule decided at once, so nobody was asked

	Prompts   int       `json:"prompts"`           // somebody was asked
	Per100    float64   `json:"prompts_per_100"`   // of the calls that were not only observed
	MedianMS  int64     `json:"answer_p50_ms"`     // how long a person took; 0 when none answered
	SlowestMS int64     `json:"answer_p95_ms"`     // 95 of 100 answers took no longer
	WaitedMS  int64     `json:"answer_total_ms"`   // all answers together
	Answers   int       `json:"answers"`           // that the three are about
	LastAt    time.Time `json:"last_at,omitzero"`  // when the last call ended
	FirstAt   time.Time `json:"first_at,omitzero"` // when the first one was asked

	took []time.Duration
}

// Group are the calls of one session, agent, tool or rule.
type Group struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // of a session or a rule, where whoever asks knows it

	Counts
	Spent Spent `json:"spent,omitzero"` // of a session and an agent, see Report.Spend
}

// Slot are the calls that were asked in one span of time.
type Slot struct {
	At      time.Time `json:"at"`
	Calls   int       `json:"calls"`
	Prompts int       `json:"prompts"`
}

// Report is all that there is to say of some calls.
type Report struct {
	Counts

	SlotMS   int64   `json:"slot_ms"` // how long a slot is; 0 when there are none
	OverTime []Slot  `json:"over_time"`
	Sessions []Group `json:"sessions"`
	Agents   []Group `json:"agents"`
	Tools    []Group `json:"tools"`
	Rules    []Group `json:"rules"` // what each rule decided

	Spent Spent `json:"spent,omitzero"` // of all sessions, see Spend

	ArchivedMS int64 `json:"archived_before_ms,omitempty"` // calls that ended before are in archives, and not counted; 0 when none are missing
}

// Count makes a Report. Days begin when they do in loc. It goes through calls once. Memory grows
// with the number of sessions, tools and rules, and by one duration for each answer.
func Count(calls iter.Seq[broker.EndedCall], loc *time.Location) Report {
	var r Report
	by := [4]map[string]*Counts{{}, {}, {}, {}}
	hours := map[int64]*Slot{}
	for c := range calls {
		r.add(c)
		rule := ""
		if c.By == broker.ByRule {
			rule = c.ByID
		}
		// A call that no rule decided is in no rule's group, and one without a session in no
		// session's.
		for i, name := range [...]string{c.SessionID, c.Agent, c.Tool, rule} {
			if name == "" {
				continue
			}
			if by[i][name] == nil {
				by[i][name] = &Counts{}
			}
			by[i][name].add(c)
		}
		addHour(hours, c, loc)
	}
	r.finish()
	r.Sessions, r.Agents, r.Tools, r.Rules = groups(by[0]), groups(by[1]), groups(by[2]), groups(by[3])
	r.OverTime, r.SlotMS = slots(hours, loc)
	return r
}

// groups are the counts by name, those with the most prompts first.
func groups(by map[string]*Counts) []Group {
	list := make([]Group, 0, len(by))
	for id, c := range by {
		c.finish()
		list = append(list, Group{ID: id, Counts: *c})
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Prompts, a.Prompts), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// add counts one call.
func (n *Counts) add(c broker.EndedCall) {
	n.Calls++
	*n.counter(c)++
	waited := c.Ended.Sub(c.Asked)
	if c.By == broker.ByRule && waited <= 0 {
		n.Saved++
	}
	if Prompted(c) {
		n.Prompts++
	}
	if byHand(c) {
		n.took = append(n.took, max(waited, 0))
	}
	if c.Ended.After(n.LastAt) {
		n.LastAt = c.Ended
	}
	if n.FirstAt.IsZero() || c.Asked.Before(n.FirstAt) {
		n.FirstAt = c.Asked
	}
}

// counter is the number that c belongs to. Each call has exactly one.
func (n *Counts) counter(c broker.EndedCall) *int {
	switch {
	case c.By == broker.ByObserve:
		return &n.Observed
	case c.By == broker.ByRule && c.State == broker.Allowed:
		return &n.ByRule
	case c.By == broker.ByRule && c.State == broker.Denied:
		return &n.RuleDeny
	case c.By == broker.ByOperator && c.State == broker.Allowed:
		return &n.ByHand
	// A process may refuse as well, and whoever ran it counts as a person.
	case (c.By == broker.ByOperator || c.By == broker.ByProcess) && c.State == broker.Denied:
		return &n.Denied
	case c.State == broker.Expired:
		return &n.Expired
	}
	return &n.Other
}

// byHand reports whether a person at the keyboard decided c: no token, and no earlier answer.
func byHand(c broker.EndedCall) bool {
	return c.By == broker.ByOperator && c.ByID == "" && (c.State == broker.Allowed || c.State == broker.Denied)
}

// Prompted reports whether somebody was asked about c. A decision at the keyboard in the very
// moment of the question still counts: somebody looked.
func Prompted(c broker.EndedCall) bool {
	return c.By != broker.ByObserve && (byHand(c) || c.Ended.After(c.Asked))
}

// finish computes what follows from the counts.
func (n *Counts) finish() {
	if held := n.Calls - n.Observed; held > 0 {
		n.Per100 = math.Round(float64(n.Prompts)*1000/float64(held)) / 10
	}
	if n.Answers = len(n.took); n.Answers == 0 {
		return
	}
	slices.Sort(n.took)
	n.MedianMS, n.SlowestMS = percentile(n.took, 50), percentile(n.took, 95)
	for _, d := range n.took {
		n.WaitedMS += d.Milliseconds()
	}
	// Only the figures stay; the durations of a year of answers need not.
	n.took = nil
}

// percentile is the least of the sorted values that p in 100 of them do not exceed, in
// milliseconds. sorted must not be empty. With few values the 95th is the largest.
func percentile(sorted []time.Duration, p int) int64 {
	return sorted[(len(sorted)*p+99)/100-1].Milliseconds()
}

// sortedKeys are the slots that have calls, oldest first.
func sortedKeys(slots map[int64]*Slot) []int64 { return slices.Sorted(maps.Keys(slots)) }
