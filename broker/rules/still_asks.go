package rules

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// StillAsks is a plain command line that allow rule r seems to be made for and does not allow,
// because its pattern begins with a wrapper: "timeout 60 make x" for "timeout 60 make *". why
// says what to write. Both are empty when there is no such thing to say of the pattern's first
// alternative. It is for whoever is about to add r; place is where. Nothing is stored, and the
// line is never run.
func StillAsks(r Rule, place risk.Place) (line, why string) {
	pattern, ok := r.Where[commandKey]
	if r.Decision != Allow || !ok || len(r.Where) != 1 {
		return "", ""
	}
	// Only the pattern is in question here.
	r.Enabled, r.Scope, r.ExpiresAt, r.MaxUses = true, Scope{}, time.Time{}, 0
	e, err := build(r)
	if err != nil {
		return "", ""
	}
	words, ok := e.command.Sample()
	if !ok {
		return "", ""
	}
	line = patterns.Quote(words)
	input, err := json.Marshal(map[string]string{commandKey: line})
	if err != nil {
		return "", ""
	}
	call := Prepare(Question{Tool: "Bash", Input: input, Place: place})
	a := arrange([]*entry{e}).Judge(call, time.Now())
	if why = a.behindWrapper(pattern); a.Verdict == Allow || why == "" {
		return "", ""
	}
	return line, why
}

// behindWrapper says what to write in place of pattern, which names the wrapper of a command
// that it does not match, "" when there is none. The last word of an open pattern's sample is a
// stand-in for any words, and gives way to the "*": of "timeout 60 make *" the rule to write is
// "make *".
func (a Assessment) behindWrapper(pattern string) string {
	i := slices.IndexFunc(a.Elements, func(j Judged) bool { return len(j.Via) > 0 && len(j.Matches) == 0 && len(j.Argv) > 0 })
	if i < 0 {
		return ""
	}
	wrapper, own := a.Elements[i].Via[0], a.Elements[i].Argv
	open := strings.HasSuffix(pattern, " *")
	switch {
	case !runsItself(wrapper):
		return "what runs through " + wrapper + " is allowed by its exact words only"
	// The sample is the wrapper with nothing of its own behind it.
	case open && len(own) == 1:
		return "say as well what " + wrapper + " is to run"
	case open:
		own = append(own[:len(own)-1:len(own)-1], "*")
	}
	return `a rule looks at what ` + wrapper + ` runs: write "` + strings.Join(own, " ") + `"`
}

// offTried is how many rules that are switched off are tried on one call.
const offTried = 8

// SwitchedOff is the id of a rule of the operator's own that is switched off and alone would allow
// c if it were on; "" when there is none. It is for the operator, who wonders why they are asked about a call that
// they have a rule for. It changes no verdict. A rule that would speak for a part of the call
// only, or that a refusing rule comes before, is not named.
func (s *Set) SwitchedOff(c *Call, now time.Time) string {
	for _, e := range s.offMatching(c, now) {
		alone := newSet()
		alone.shelve(e)
		if v, _ := s.verdict(c, now, alone); v == Allow {
			return e.rule.ID
		}
	}
	return ""
}

// offMatching are rules that are switched off and may speak for some element of c, at most
// offTried. Only these are tried one by one.
func (s *Set) offMatching(c *Call, now time.Time) (list []*entry) {
	if s.off == nil {
		return nil
	}
	for i := range c.elems {
		f := search{c: c, x: &c.elems[i], at: i, now: now, keep: true}
		s.off.find(&f)
		for _, e := range f.all {
			if len(list) < offTried && !slices.Contains(list, e) {
				list = append(list, e)
			}
		}
	}
	return list
}
