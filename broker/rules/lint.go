package rules

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// FindingKind names what is odd about a rule.
type FindingKind string

// The kinds of finding.
const (
	Expired   FindingKind = "expired"   // its time is over
	UsedUp    FindingKind = "used up"   // it has spoken as often as it may
	Shadowed  FindingKind = "shadowed"  // another rule refuses all that it matches
	Redundant FindingKind = "redundant" // another rule says the same about all that it matches
	Conflict  FindingKind = "conflict"  // another rule with the same patterns says something else
	Broken    FindingKind = "broken"    // it cannot be used at all
)

// Finding is one thing about a list of rules that its owner may not have meant. Other is "" for
// findings that are about the rule alone. Why has no name of a rule in it.
type Finding struct {
	ID    string      `json:"id"`              // of the rule
	Index int         `json:"index"`           // its place in the list, from 0
	Kind  FindingKind `json:"kind"`            //
	Other string      `json:"other,omitempty"` // id of the other rule
	Why   string      `json:"why"`             // one sentence
}

// Lint looks for rules that do nothing, as of now. It reports only what the patterns prove, so
// a list without findings may still have such rules. Findings are in the order of the list.
// Disabled rules are left out, but for those that cannot be used. It compares each rule with
// those of the same program, so a long list takes little more than a short one.
func Lint(list []Rule, now time.Time) []Finding {
	l := &linter{byName: map[string][]*linted{}}
	for i, r := range list {
		l.read(i, r, now)
	}
	for _, b := range l.live {
		l.compare(b)
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return cmp.Compare(a.Index, b.Index) })
	return l.findings
}

// linter sorts the rules that can speak by the programs that they are about, as most pairs have
// none in common.
type linter struct {
	live     []*linted
	byName   map[string][]*linted // rules about commands of one program
	others   []*linted            // all other rules
	findings []Finding
}

// linted is one such rule, with what tells it from others at a glance.
type linted struct {
	*entry
	index   int
	pattern string // about commands
	second  string // the second word, in lower case, of a command of one alternative, if it is literal
}

// apart reports whether a certainly takes nothing from b. It is for the common case, of many
// pairs: a command's expression or whole line is only like the very same one, and git push says
// nothing about git pull. A no proves nothing; covers looks further.
func (a *linted) apart(b *linted) bool {
	return len(a.conds) > len(b.conds) || a.parts > 0 && b.parts == 0 ||
		a.command != nil && a.command.Alike() && a.pattern != b.pattern ||
		a.second != "" && b.second != "" && a.second != b.second
}

// note adds a finding about the rule at place i.
func (l *linter) note(i int, r Rule, kind FindingKind, other, why string) {
	l.findings = append(l.findings, Finding{ID: r.ID, Index: i, Kind: kind, Other: other, Why: why})
}

// read sorts out rules that cannot speak. What remains is built a second time, as Check keeps
// nothing.
func (l *linter) read(i int, r Rule, now time.Time) {
	err := r.Check()
	switch {
	case err != nil:
		l.note(i, r, Broken, "", "it cannot be used: "+err.Error())
		return
	case !r.Enabled:
		return
	case !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now):
		l.note(i, r, Expired, "", "its time ended at "+r.ExpiresAt.UTC().Format(time.RFC3339))
		return
	case r.MaxUses > 0 && r.Uses >= r.MaxUses:
		l.note(i, r, UsedUp, "", fmt.Sprintf("it has been used %d times, which is all that it may", r.Uses))
		return
	}
	e, err := build(r)
	if err != nil {
		l.note(i, r, Broken, "", "it cannot be used: "+err.Error())
		return
	}
	x := &linted{entry: e, index: i}
	if e.command != nil {
		x.pattern, x.second = r.Where[e.commandKey], e.command.Second()
	}
	l.live = append(l.live, x)
	if names := x.programs(); len(names) > 0 {
		for _, n := range names {
			l.byName[n] = append(l.byName[n], x)
		}
		return
	}
	l.others = append(l.others, x)
}

// programs are the names of all programs that the rule is about, if it says them; nil is any.
func (x *linted) programs() []string {
	if x.command == nil {
		return nil
	}
	return x.command.Programs()
}

// compare reports the first rule, in each kind, that takes the effect from b. More of a kind
// would say nothing new to whoever mends the list.
func (l *linter) compare(b *linted) {
	found := map[FindingKind]bool{}
	try := func(a *linted) {
		if kind, why := relation(a, b); kind != "" && !found[kind] {
			found[kind] = true
			l.note(b.index, b.rule, kind, a.rule.ID, why)
		}
	}
	for _, name := range b.programs() {
		for _, a := range l.byName[name] {
			try(a)
		}
	}
	for _, a := range l.others {
		try(a)
	}
}

// relation says what a does to b, or "". The cases follow the order of precedence: what beats b
// outright comes first, then what says the same.
func relation(a, b *linted) (FindingKind, string) {
	ra, rb := &a.rule, &b.rule
	if a.index == b.index || a.apart(b) {
		return "", ""
	}
	switch {
	case ra.Decision == Deny && rb.Decision != Deny && covers(a.entry, b.entry):
		return Shadowed, "a deny rule matches all that it matches, and a deny always wins"
	case rb.Decision != Deny && strength(ra) > strength(rb) && speaksBefore(ra, rb) && covers(a.entry, b.entry):
		return Shadowed, fmt.Sprintf("%s rule of priority %d matches all that it matches", withArticle[ra.Decision], ra.Priority)
	case ra.Decision == rb.Decision && (ra.Decision == Deny || ra.Priority <= rb.Priority) && covers(a.entry, b.entry):
		if covers(b.entry, a.entry) && (ra.Decision == Deny || ra.Priority == rb.Priority) && a.index > b.index {
			return "", "" // alike in all: the later one is reported
		}
		return Redundant, "another rule already says so about all that it matches"
	case ra.Effects == 0 && ra.Decision != Deny && strength(ra) < strength(rb) && ra.Priority < rb.Priority && sameRule(ra, rb):
		return Conflict, fmt.Sprintf("%s rule with the same patterns has priority %d and speaks first", withArticle[ra.Decision], ra.Priority)
	}
	return "", ""
}

// speaksBefore reports whether a speaks before b where both match. No grant speaks before a rule that
// refuses the same effects.
func speaksBefore(a, b *Rule) bool { return a.Priority <= b.Priority || a.Effects != 0 }

// withArticle are the decisions of rules that do not deny, in a sentence.
var withArticle = map[Verdict]string{Ask: "an ask", Defer: "a defer", Allow: "an allow"}

// strength orders what rules that do not deny say at one priority.
func strength(r *Rule) int {
	switch r.Decision {
	case Ask:
		return 2
	case Defer:
		return 1
	case Allow, Deny:
	}
	return 0
}

// sameRule reports whether two rules look at the same: tool, scope and patterns as they are
// written.
func sameRule(a, b *Rule) bool {
	if a.Tool != b.Tool || a.Effects != b.Effects || a.Scope != b.Scope || len(a.Where) != len(b.Where) {
		return false
	}
	for key, p := range a.Where {
		if q, ok := b.Where[key]; !ok || p != q {
			return false
		}
	}
	return true
}
