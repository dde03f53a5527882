package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// The model of what may happen to the requests about one call: a request is absent,
// then pending, then one of five ends, once. Requests about the same call (same session,
// tool, input and folder) share what an operator allowed late: the grants. No call is put
// off here: the trial's hooks have a user, and its broker defers nothing.

// status is where a request stands.
type status string

const (
	absent    status = "absent"
	pending   status = "pending"
	allowed   status = "allowed"
	denied    status = "denied"
	expired   status = "expired"
	cancelled status = "cancelled"
	answered  status = "answered"

	// Only as something seen:
	refused    status = "refused"    // told "no", without saying which end that is
	unrecorded status = "unrecorded" // told "no" because the record failed: it may not last
)

func (s status) terminal() bool { return s != absent && s != pending }

// result is what came of an operation.
type result string

const (
	done     result = "done"
	already  result = "already"  // somebody else's answer came first; seen says which
	granted  result = "granted"  // too late for this one; the next such call may run
	offered  result = "offered"  // heard, and whether it did anything is the broker's to say
	conflict result = "conflict" // the id belongs to another call
	missing  result = "missing"  // there is no such request or session
	forbid   result = "forbidden"
	failed   result = "failed"  // the record failed: the answer was no, the disk may have it
	none     result = "none"    // refused without a trace
	unknown  result = "unknown" // the connection was lost
)

// slots is how many requests may be about one call.
const slots = 4

type requestState struct {
	st     status
	digest byte // which of the two calls that are asked under this id
	shaky  bool // a record of it failed, so memory and disk may disagree
}

type callState struct {
	r      [slots]requestState
	grants int
}

func callModel(stops bool) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any {
			var s callState
			for i := range s.r {
				s.r[i].st = absent
			}
			return []any{s}
		},
		Step: func(state, input, _ any) []any {
			var next []any
			for _, s := range callStep(state.(callState), input.(*op), stops) {
				next = append(next, s)
			}
			return next
		},
		DescribeOperation: func(input, _ any) string { return input.(*op).String() },
		DescribeState:     func(s any) string { return fmt.Sprint(s) },
	}
	return m.ToModel()
}

// callStep returns the states in which s may be after o; none when o cannot happen.
func callStep(s callState, o *op, stops bool) []callState {
	r := s.r[o.Slot]
	to := func(st ...status) []callState {
		next := make([]callState, 0, len(st))
		for _, v := range st {
			n := s
			n.r[o.Slot].st = v
			next = append(next, n)
		}
		return next
	}
	same := []callState{s}
	switch o.Kind {
	case "ask":
		return askStep(s, o, stops)
	case "see":
		if o.Seen == "" { // the look failed
			return same
		}
		return seeStep(r, o.Seen, o.Digest, same, to)
	case "decide":
		return decideStep(s, o, same, to)
	case "note":
		return same
	case "expire", "cancel", "answer", "stopped", "aside": // what happens by itself, when it can
		if r.st != pending {
			return same
		}
		return to(map[string]status{"expire": expired, "cancel": cancelled, "answer": answered, "stopped": denied, "aside": denied}[o.Kind])
	}
	return nil
}

// askStep is a question that may make the request.
func askStep(s callState, o *op, stops bool) []callState {
	r := s.r[o.Slot]
	if r.st != absent {
		switch {
		case o.Out == done && r.digest != o.Digest, o.Out == conflict && r.digest == o.Digest && !r.shaky:
			return nil
		}
		if o.Out == failed {
			s.r[o.Slot].shaky = true
		}
		return []callState{s}
	}
	var next []callState
	if o.Out != done { // nothing came of it, or nobody knows
		next = append(next, s)
	}
	if o.Out == none || o.Out == conflict && !r.shaky {
		if o.Out == conflict {
			return nil
		}
		return next
	}
	born := s
	born.r[o.Slot] = requestState{st: pending, digest: o.Digest, shaky: r.shaky || o.Out == failed}
	next = append(next, born)
	if stops {
		n := born
		n.r[o.Slot].st = denied
		next = append(next, n)
	}
	if s.grants > 0 && o.Digest == digestA {
		n := born
		n.r[o.Slot].st = allowed
		n.grants--
		next = append(next, n)
	}
	return next
}

// seeStep is something that was read, or told to who asked. digest is that of the asker.
func seeStep(r requestState, seen status, digest byte, same []callState, to func(...status) []callState) []callState {
	if digest != 0 && r.st != absent && r.digest != digest {
		return nil
	}
	switch {
	case seen == unrecorded && r.st == pending:
		return to(pending, denied)
	case seen == unrecorded && r.st.terminal(), seen == r.st:
		return same
	case seen == refused && r.st.terminal() && r.st != allowed:
		return same
	case seen == absent && r.shaky && r.st == pending:
		return same
	}
	return nil
}

// decideStep is an answer that somebody gave.
func decideStep(s callState, o *op, same []callState, to func(...status) []callState) []callState {
	r := s.r[o.Slot]
	want := denied
	if o.Allow {
		want = allowed
	}
	grant := func() []callState {
		n := s
		n.grants++
		return []callState{s, n}
	}
	late := r.st == expired || r.st == cancelled
	switch o.Out {
	case done:
		if r.st == pending && o.Seen == want && (!o.Allow || !o.Late) {
			return to(want)
		}
	case already:
		return seeStep(r, o.Seen, 0, same, to)
	case granted:
		if late && o.Allow {
			return grant()[1:]
		}
	case missing:
		if r.st == absent || r.shaky && r.st == pending {
			return same
		}
	case forbid:
		if r.st != absent {
			return same
		}
	case failed, unknown:
		switch {
		case r.st == pending && o.Allow && o.Late: // it ends the request, but by its deadline
			return to(pending, expired)
		case r.st == pending && o.Out == failed:
			return to(pending, want, denied)
		case r.st == pending:
			return to(pending, want)
		case late && o.Allow:
			return grant()
		}
		return same
	case conflict, none, offered:
	}
	return nil
}
