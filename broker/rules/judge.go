package rules

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/shell"
)

// ruling is what the rules say about one element.
type ruling struct {
	verdict Verdict
	entry   *entry // that speaks; nil when none does
	builtin bool   // the built-in rule speaks
	silent  bool   // the element has no say
	matched bool   // with notExact: a rule matches, but may not allow it
	cause   cause
}

// cause is why an element asks, or is allowed, when no rule says so.
type cause int

const (
	byRule cause = iota
	notKnown
	callNotKnown
	guarded
	maybeDenied
	notExact
	notPlain
	leavesProject
	nothingAllows
	noSay
)

// element rules on x. With keep f.all are all rules that match.
func (s *Set) element(f *search) ruling {
	s.search(f)
	c, x := f.c, f.x
	switch {
	case f.best != nil && f.best.lenient:
		return ruling{verdict: f.best.rule.Decision, entry: f.best}
	case f.maybe != nil:
		return ruling{verdict: Ask, entry: f.maybe, cause: maybeDenied}
	case x.unsure != "":
		return ruling{verdict: Ask, cause: notKnown}
	case c.unsure != "":
		return ruling{verdict: Ask, cause: callNotKnown}
	case x.operand && !x.outside, x.neutral && !c.line.noSay:
		return ruling{verdict: Allow, silent: true, cause: noSay}
	case c.risk.Guarded && !c.lists:
		return ruling{verdict: Ask, cause: guarded}
	case f.best != nil:
		return ruling{verdict: Allow, entry: f.best}
	case c.builtinAllows(x):
		return ruling{verdict: Allow, builtin: true}
	case !c.line.agreed():
		return ruling{verdict: Ask, cause: notPlain}
	case x.outside:
		return ruling{verdict: Ask, cause: leavesProject}
	case x.exact != "", c.risk.Class == risk.Dangerous:
		return ruling{verdict: Ask, cause: notExact, matched: len(f.idle) > 0}
	}
	return ruling{verdict: Ask, cause: nothingAllows}
}

// builtinAllows reports whether the built-in rule speaks for x.
func (c *Call) builtinAllows(x *elem) bool {
	if c.lists {
		return true
	}
	if !c.q.Trusted || !c.line.agreed() || c.risk.Guarded || c.risk.Class == risk.Dangerous || x.exact != "" {
		return false
	}
	switch x.kind {
	case toolKind:
		return c.readsOnly
	case shell.Read:
		return c.q.mayRead(x.path)
	case shell.Command, shell.Write, shell.Assign, shell.Unknown:
	}
	return false
}

// outcome is what the rules say about a call.
type outcome struct {
	ruling
	at  int  // the element that decides
	raw bool // a deny rule was found in the text of the line
}

// add takes in what the rules say about the next element: the worst one stands, of
// several refusals the one whose rule comes first, of several questions the one that a
// rule asks, then one that a rule puts off, then one that no rule could answer, else the
// first.
func (o *outcome) add(r ruling, at int) {
	switch worse := badness(r) - badness(o.ruling); {
	case r.silent, worse < 0:
		return
	case worse > 0:
	case r.entry == nil || o.entry == nil || r.entry.rank >= o.entry.rank || r.verdict == Allow:
		return
	}
	o.ruling, o.at = r, at
}

// badness orders rulings; the zero ruling is no ruling.
func badness(r ruling) int {
	switch {
	case r.verdict == Deny:
		return 6
	case r.verdict == Ask && r.cause == byRule:
		return 5
	case r.verdict == Defer:
		return 4
	case r.cause == notKnown || r.cause == guarded:
		return 3
	case r.verdict == Ask:
		return 2
	case r.verdict == Allow:
		return 1
	}
	return 0
}

// finish rules on the call as a whole.
func (s *Set) finish(o *outcome, c *Call, now time.Time) {
	if c.line.text != nil {
		if e := s.rawDeny(c, now); e != nil && (o.verdict != Deny || e.rank < o.entry.rank) {
			o.ruling, o.raw = ruling{verdict: Deny, entry: e}, true
		}
	}
	if o.verdict == "" { // no element had a say
		o.ruling = ruling{verdict: Ask, cause: nothingAllows}
	}
}

// Verdict is the Verdict and Rule of Judge without the explanation. It takes no memory
// for rules that do not match.
func (s *Set) Verdict(c *Call, now time.Time) (Verdict, string) {
	var o outcome
	for i := range c.elems {
		f := search{c: c, x: &c.elems[i], now: now}
		o.add(s.element(&f), i)
	}
	s.finish(&o, c, now)
	return o.verdict, o.id()
}

// id is the id of the rule that speaks.
func (r *ruling) id() string {
	switch {
	case r.builtin:
		return BuiltinReadOnly
	case r.cause == byRule:
		return r.entry.rule.ID
	}
	return ""
}

// Judge says what the rules say about c, and why.
func (s *Set) Judge(c *Call, now time.Time) Assessment {
	a := Assessment{Risk: c.risk, Unread: c.unread, Elements: make([]Judged, 0, len(c.elems))}
	var o outcome
	var rested []*ruling
	all := make([]ruling, len(c.elems))
	for i := range c.elems {
		f := search{c: c, x: &c.elems[i], now: now, keep: true}
		r := s.element(&f)
		o.add(r, i)
		all[i] = r
		if !r.silent {
			rested = append(rested, &r)
		}
		a.Elements = append(a.Elements, c.judged(&f, r))
	}
	s.finish(&o, c, now)
	a.Verdict, a.Rule, a.Raw = o.verdict, o.id(), o.raw
	switch a.Verdict {
	case Allow:
		for _, r := range rested {
			if id := r.id(); !slices.Contains(a.Rules, id) {
				a.Rules = append(a.Rules, id)
			}
		}
		a.Reason = allowed(rested)
	case Deny:
		a.Rules = []string{a.Rule}
		a.Reason = denied(o.entry)
	case Defer:
		a.Rules = []string{a.Rule}
		a.Reason = deferred(o.entry)
	case Ask:
		c.speaks(&o, all)
		a.Reason = c.why(&c.elems[o.at], o.ruling)
	}
	return a
}
