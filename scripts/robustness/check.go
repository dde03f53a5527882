package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/aoctl/aoctl/broker"
)

// slack is how far the broker's clocks and ours may differ over a request's life: its
// times are whole milliseconds, and after a restart they are the wall clock's.
const slack = 20 * time.Millisecond

// checkTime is how long one history may be searched.
const checkTime = 30 * time.Second

// violation is a history that no correct broker can have.
type violation struct {
	what string
	ops  []*op
}

func (v *violation) Error() string { return v.what }

// verdict is what check found out about a session.
type verdict struct {
	finals    map[string]final // by request name
	undecided int              // searches that did not end in time
}

// final is how a request was last seen.
type final struct {
	st    status
	maybe bool // a question about it may still have reached a broker
}

// check compares what was done to a session with the models. What happens to a request
// by itself (its deadline, an asker that left, a stop) is added here, with the earliest
// moment at which it may happen.
func check(session string, requests map[string]*request, ops []*op, dir string) (verdict, error) {
	v := verdict{finals: map[string]final{}}
	stops := false
	byCall := map[string][]*op{}
	for _, o := range ops {
		stops = stops || o.Kind == "stop"
		if o.Call != "" {
			byCall[o.Call] = append(byCall[o.Call], o)
		}
	}
	whole := stopHistory(ops, requests)
	for call, list := range byCall {
		list = withSpontaneous(call, list, requests, ops)
		if err := judge(callModel(stops), list, session+" "+call, dir, &v); err != nil {
			return v, err
		}
	}
	if err := judge(sessionModel(), whole, session, dir, &v); err != nil {
		return v, err
	}
	for _, r := range requests {
		v.finals[r.name] = finalOf(r, byCall[r.call])
	}
	return v, nil
}

// judge looks for an order of ops that m allows.
func judge(m porcupine.Model, ops []*op, what, dir string, v *verdict) error {
	history := make([]porcupine.Operation, 0, len(ops))
	for i, o := range ops {
		history = append(history, porcupine.Operation{ClientId: i, Input: o, Call: o.Inv, Output: o, Return: o.Ret})
	}
	switch porcupine.CheckOperationsTimeout(m, history, checkTime) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		v.undecided++
		return nil
	case porcupine.Illegal:
	}
	bad := &violation{what: what + ": no correct broker can have this history", ops: ops}
	if dir == "" {
		return bad
	}
	_, info := porcupine.CheckOperationsVerbose(m, clipped(history), checkTime)
	page := filepath.Join(dir, "violation.html")
	if err := porcupine.VisualizePath(m, info, page); err != nil {
		return fmt.Errorf("%w (not drawn: %w)", bad, err)
	}
	bad.what += "; drawn in " + page
	if err := write(dir, "violation.json", ops); err != nil {
		return fmt.Errorf("%w (%w)", bad, err)
	}
	return bad
}

// clipped lets what never returned return at the end, so that it can be drawn.
func clipped(history []porcupine.Operation) []porcupine.Operation {
	last := int64(0)
	for _, o := range history {
		last = max(last, o.Call)
		if o.Return != never {
			last = max(last, o.Return)
		}
	}
	for i := range history {
		if history[i].Return == never {
			history[i].Return = last + 1
		}
	}
	return history
}

// withSpontaneous adds to the operations on one call what may happen by itself.
func withSpontaneous(call string, list []*op, requests map[string]*request, all []*op) []*op {
	list = slices.Clone(list)
	for _, r := range requests {
		if r.call != call {
			continue
		}
		first, known, aside := int64(never), int64(never), false
		for _, o := range list {
			if o.Slot != r.slot {
				continue
			}
			if o.Kind == "ask" {
				first = min(first, o.Inv)
			}
			if proves(o) {
				known = min(known, o.Ret)
			}
			aside = aside || o.By == broker.AsideID
		}
		if first == never {
			continue
		}
		list = append(list, &op{Kind: "expire", Call: call, Slot: r.slot, Inv: first + int64(r.timeout-slack), Ret: never})
		if aside {
			list = append(list, &op{Kind: "aside", Call: call, Slot: r.slot, Inv: first, Ret: never})
		}
		for i, o := range list {
			if o.Kind == "decide" && o.Slot == r.slot && o.Allow && known != never && o.Inv > known+int64(r.timeout+slack) {
				late := *o
				late.Late = true
				list[i] = &late
			}
		}
		for _, o := range all {
			if o.Kind != "stop" || o.Out == missing {
				continue
			}
			list = append(list, &op{Kind: "stopped", Call: call, Slot: r.slot, Inv: o.Inv, Ret: never})
			if o.Out == done && known < o.Inv && !o.Late { // what was there before must be denied by then
				list = append(list, &op{Kind: "stopped", Call: call, Slot: r.slot, Inv: o.Inv, Ret: o.Ret})
			}
		}
	}
	return list
}

// proves reports whether o shows that its request was on record when it returned.
func proves(o *op) bool {
	switch o.Kind {
	case "ask":
		return o.Out == done
	case "see":
		return o.Seen != absent && o.Seen != unrecorded && o.Seen != ""
	case "decide":
		return o.Out == done || o.Out == already || o.Out == granted
	}
	return false
}

// stopHistory is what was done to the session as a whole, with the moments at which its
// requests were allowed, or denied by a stop.
func stopHistory(ops []*op, requests map[string]*request) []*op {
	var list []*op
	for _, o := range ops {
		switch o.Kind {
		case "stop", "lift", "check stop":
			list = append(list, o)
		}
	}
	for _, r := range requests {
		var asked, seen, settled int64 = never, never, never
		decided := int64(never)
		st, by := absent, ""
		for _, o := range ops {
			if o.Call != r.call || o.Slot != r.slot {
				continue
			}
			if o.Kind == "ask" && o.Out != none {
				asked = min(asked, o.Inv)
			}
			if o.Kind == "decide" && o.Allow && (o.Out == done || o.Out == unknown || o.Out == failed) {
				decided = min(decided, o.Inv)
			}
			if o.Kind == "decide" && o.Allow && o.Out == done {
				settled = o.Inv
			}
			if o.Seen == allowed || o.Seen == denied && o.By == "stop" {
				st, by, seen = o.Seen, o.By, min(seen, o.Ret)
			}
		}
		switch {
		case seen == never:
		case st == allowed:
			from := min(decided, settled)
			if settled != never {
				from = settled
			}
			if from == never { // by a grant
				from = asked
			}
			list = append(list, &op{Kind: "allowed", Slot: r.slot, By: r.name, Inv: from, Ret: seen})
		case by == "stop":
			list = append(list, &op{Kind: "stopped", Slot: r.slot, By: r.name, Inv: asked, Ret: seen})
		}
	}
	return list
}

// finalOf is how r was seen last.
func finalOf(r *request, ops []*op) final {
	f, at := final{st: absent}, int64(-1)
	for _, o := range ops {
		if o.Slot != r.slot {
			continue
		}
		if o.Kind == "ask" && (o.Out == unknown || o.Out == failed) {
			f.maybe = true
		}
		if o.Kind == "see" && o.Road == "last" && o.Ret > at {
			f.st, at = o.Seen, o.Ret
		}
	}
	return f
}
