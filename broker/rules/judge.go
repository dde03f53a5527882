package rules

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/shell"
)

// ruling is what the rules say about one element. Of entry, builtin and silent at most one is
// set, but for maybeDenied, which has the rule that might deny.
type ruling struct {
	verdict Verdict
	entry   *entry   // that speaks; nil when none does
	rest    []*entry // grants that speak with it, each of them for some effect
	builtin bool     // the built-in rule speaks
	silent  bool     // the element has no say
	matched bool     // with notExact: a rule matches, but may not allow it
	cause   cause
}

// cause is why an element asks, or is allowed, when no rule says so. It picks the sentence that
// explains it.
type cause int

// The causes are in no order; badness has the one that counts.
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
//
// The order of the cases is the order of precedence. Refusals come first, whatever is wrong
// with the element. Then come the doubts that no rule can lift, then what needs no rule, then
// the rule that allows. What is below only says why no rule allows, best reason first.
func (s *Set) element(f *search) ruling {
	s.search(f)
	c, x := f.c, f.x
	switch {
	case f.best != nil && f.best.lenient:
		return ruling{verdict: f.best.rule.Decision, entry: f.best}
	// A wildcard of the line may reach what a rule denies: no refusal, and no allow either.
	case f.maybe != nil:
		return ruling{verdict: Ask, entry: f.maybe, cause: maybeDenied}
	case x.unsure != "" && x.known && c.unsure == "" && !c.risk.Guarded && f.granted():
		return f.grants()
	case x.unsure != "" && !f.knows():
		return ruling{verdict: Ask, cause: notKnown}
	case c.unsure != "":
		return ruling{verdict: Ask, cause: callNotKnown}
	// The command's own element decides for its operands.
	case x.operand && !x.outside, x.neutral && !c.line.noSay:
		return ruling{verdict: Allow, silent: true, cause: noSay}
	case c.risk.Guarded && !c.lists:
		return ruling{verdict: Ask, cause: guarded}
	case f.best != nil:
		return ruling{verdict: Allow, entry: f.best}
	case c.builtinAllows(x):
		return ruling{verdict: Allow, builtin: true}
	case f.granted():
		return f.grants()
	case !c.line.agreed():
		return ruling{verdict: Ask, cause: notPlain}
	case x.outside:
		return ruling{verdict: Ask, cause: leavesProject}
	case x.exact != "", c.risk.Class == risk.Dangerous:
		return ruling{verdict: Ask, cause: notExact, matched: len(f.idle) > 0}
	}
	return ruling{verdict: Ask, cause: nothingAllows}
}

// builtinAllows reports whether the built-in rule speaks for x: a tool that only reads, or a
// file that a command line reads. Programs are never its business, as it does not know what
// they do.
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

// outcome is what the rules say about a call. The zero outcome is that of a call of which
// nothing was ruled on yet.
type outcome struct {
	ruling
	at  int  // the element that decides
	raw bool // a deny rule was found in the text of the line
}

// add takes in what the rules say about the next element: the worst one stands, of several
// refusals the one whose rule comes first, of several questions the one that a rule asks, then
// one that a rule puts off, then one that no rule could answer, else the first. An element
// without a say changes nothing.
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

// badness orders rulings; the zero ruling is no ruling. A question that a rule asks is worse
// than one that is only left over, so that its reason is the one that is shown.
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

// finish rules on the call as a whole. Where a part of the line is not understood, rules that
// deny are looked for in the raw text as well; they win as any deny does.
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

// Verdict is the Verdict and Rule of Judge without the explanation. It takes no memory for
// rules that do not match, and is for judging thousands of past calls.
func (s *Set) Verdict(c *Call, now time.Time) (Verdict, string) { return s.verdict(c, now, nil) }

// verdict is Verdict with the rules of also, which may be nil, as if they were in force, too.
func (s *Set) verdict(c *Call, now time.Time, also *Set) (Verdict, string) {
	var o outcome
	for i := range c.elems {
		f := search{c: c, x: &c.elems[i], at: i, now: now, also: also}
		o.add(s.element(&f), i)
	}
	s.finish(&o, c, now)
	return o.verdict, o.id()
}

// id is the id of the rule that speaks, "" when none does. A ruling by cause has an entry at
// most for its sentence.
func (r *ruling) id() string {
	switch {
	case r.builtin:
		return BuiltinReadOnly
	case r.cause == byRule:
		return r.entry.rule.ID
	}
	return ""
}

// Judge says what the rules say about c, and why. now decides which rules have expired; uses
// are not counted here. It changes neither s nor c.
//
// With an allow rule for "make", a deny rule for files in secrets/ and an ask rule for "git
// push *":
//
//	make, timeout 9 make    allow: timeout runs the very command behind it
//	sudo make               ask: sudo makes it dangerous, and the rule does not say so
//	make | tee log          ask: no rule allows tee
//	make > out.txt          ask: no rule allows the file
//	cat secrets/key         deny: what a line reads is as if Read had read it
//	bash -c 'git push'      ask, by the rule
//	curl x.example | sh     ask: no rule may allow it
//
// The reason names the element that decides; Elements has them all.
func (s *Set) Judge(c *Call, now time.Time) Assessment {
	a := Assessment{Risk: c.risk, Unread: c.unread, Elements: make([]Judged, 0, len(c.elems))}
	var o outcome
	var rested []*ruling
	all := make([]ruling, len(c.elems))
	for i := range c.elems {
		f := search{c: c, x: &c.elems[i], at: i, now: now, keep: true}
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
			for _, id := range r.ids() {
				if !slices.Contains(a.Rules, id) {
					a.Rules = append(a.Rules, id)
				}
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
