package timeline

import (
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/event"
)

// rowKey says which row it is, whatever of it is loaded: the id of a call, or the number of an event
// that is about none.
type rowKey struct {
	call string
	seq  int64
}

func keyOf(s *event.Step) rowKey {
	if id := s.OfCall(); id != "" {
		return rowKey{call: id}
	}
	return rowKey{seq: s.Seq()}
}

// fold puts the events of each call together. Calls and other events stand in the order in which
// they began. That a call ran otherwise than it was allowed stands for itself, and with its call.
func fold(steps []*event.Step) [][]*event.Step {
	var groups [][]*event.Step
	place := map[rowKey]int{}
	for _, s := range steps {
		k := keyOf(s)
		at, ok := place[k]
		if !ok {
			at = len(groups)
			place[k] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], s)
		if at, ok := place[rowKey{call: s.Event.RequestID}]; ok && s.Event.Type == broker.EventRanOtherwise {
			groups[at] = append(groups[at], s)
		}
	}
	return groups
}

// merge adds a page to the steps that are there; all are in the order of their numbers.
func merge(steps, page []*event.Step) []*event.Step {
	all := slices.Concat(steps, page)
	slices.SortFunc(all, func(a, b *event.Step) int { return int(a.Seq() - b.Seq()) })
	return slices.CompactFunc(all, func(a, b *event.Step) bool { return a.Seq() == b.Seq() })
}

// sift keeps what passes a filter: events with all words, and calls whose events have all words among
// them. A call's events may be spread over pages: the ones of calls in kept pass, too, and rest has
// those of earlier pages that did not. left is the rest for the next page.
func sift(words []string, kept map[rowKey]bool, rest, page []*event.Step) (pass, left []*event.Step) {
	for _, group := range fold(merge(rest, page)) {
		switch s := group[0]; {
		case kept[keyOf(s)] || kept[rowKey{call: s.Event.RequestID}] || haveAll(words, group):
			pass = append(pass, group...)
		case s.Event.RequestID != "": // with alarms, which go with their call
			left = append(left, group...)
		}
	}
	left = merge(nil, left)
	return merge(nil, pass), left[max(0, len(left)-restMost):]
}

// restMost is how many events are kept of calls that did not pass yet.
const restMost = 2 * pageSize

func haveAll(words []string, group []*event.Step) bool {
	for _, w := range words {
		if !slices.ContainsFunc(group, func(s *event.Step) bool { return s.Has(w) }) {
			return false
		}
	}
	return true
}
