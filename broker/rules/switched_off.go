package rules

import (
	"slices"
	"time"
)

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
		f := search{c: c, x: &c.elems[i], now: now, keep: true}
		s.off.find(&f)
		for _, e := range f.all {
			if len(list) < offTried && !slices.Contains(list, e) {
				list = append(list, e)
			}
		}
	}
	return list
}
