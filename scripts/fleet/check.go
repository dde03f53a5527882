//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
	"github.com/aoctl/aoctl/store"
)

const (
	drawnWithin = 30 * time.Second // until consoles draw that nothing waits
)

// check compares, once nothing waits any more, what machines have on record with what is in the
// stream, what was ordered, and what askers were told.
func (t *trial) check(ctx context.Context) error {
	if err := t.nothingWaits(ctx); err != nil {
		return err
	}
	if err := t.healed(ctx, "at the end all is out after"); err != nil {
		return err
	}
	t.keptClocks()
	t.report.told("keys that did nothing", "%s", t.journal.refusals())
	line, err := jet.Dial(ctx, jet.Options{Servers: t.world.urls, Pin: t.world.pin, Key: t.world.people[0].key, Fleet: fleetID, Name: "aoctl"})
	if err != nil {
		return err
	}
	defer line.Close()
	a := audit{t: t, line: line, epochs: map[string]*seals.Epoch{}, ends: map[string]broker.DecidedData{}}
	if err := a.readKeys(ctx); err != nil {
		return err
	}
	for i := range t.world.machines {
		if err := a.machine(ctx, i); err != nil {
			return fmt.Errorf("machine %d: %w", i, err)
		}
	}
	a.answers()
	t.report.promise(a.missing, "each committed event is in the stream, once, in order", "%d events of %d machines", a.events, t.machines)
	t.report.promise(a.unordered, "nothing was allowed that nobody allowed", "%d allowed by rules, %d by orders, %d at machines", a.byRule, a.byOrder, a.byHand)
	t.report.promise(a.twice, "no call was decided twice", "%d decided, %d of them by two at a time", len(a.ends), a.raced)
	t.report.promise(a.otherwise, "each asker was told what is on record", "%d askers", len(t.journal.asked))
	if a.byOrder == 0 || a.raced == 0 || a.events == 0 {
		return fmt.Errorf("too little happened: %d allowed by orders, %d decided by two", a.byOrder, a.raced)
	}
	return nil
}

// nothingWaits waits until the consoles draw no call as waiting: all are answered.
func (t *trial) nothingWaits(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, drawnWithin)
	defer cancel()
	var wrong []string
	for i, c := range t.consoles {
		if c.wait(within, func() bool { return len(c.pending) == 0 }) != nil && ctx.Err() == nil {
			wrong = append(wrong, fmt.Sprintf("console %d draws %d calls as waiting that were answered", i, c.waiting()))
		}
	}
	t.report.promise(wrong, "no console draws a call as waiting that was answered", "%d consoles", len(t.consoles))
	return ctx.Err()
}

// keptClocks reports what became of orders for machines whose clocks are off.
func (t *trial) keptClocks() {
	took := map[time.Duration]spread{}
	t.journal.mu.Lock()
	defer t.journal.mu.Unlock()
	for _, a := range t.journal.asked {
		if p := t.journal.presses[a.answer.RequestID]; len(p) == 1 && p[0].done && p[0].who != ownConsole {
			clock := t.boxOf(a.machine).clock
			took[clock] = append(took[clock], a.answered.Sub(p[0].at))
		}
	}
	for _, clock := range []time.Duration{10 * time.Minute, -10 * time.Minute} {
		t.report.measure(len(took[clock]) > 0, fmt.Sprintf("orders for machines whose clocks are off by %.0f min", clock.Minutes()), "%v", took[clock])
	}
}

// audit is what the logs and the stream say.
type audit struct {
	t      *trial
	line   *jet.Line
	epochs map[string]*seals.Epoch
	ends   map[string]broker.DecidedData // by call

	events, byRule, byOrder, byHand, raced int
	missing, unordered, twice, otherwise   []string
}

// readKeys takes in the keys that machines told their people.
func (a *audit) readKeys(ctx context.Context) error {
	ctx, end := context.WithTimeout(ctx, time.Minute)
	defer end()
	of := map[string]int{}
	for i, m := range a.t.world.machines {
		of[m.ID()] = i
	}
	done := false
	err := a.line.Watch(ctx, func(subject string, body []byte) {
		id, place, _ := a.t.world.names.Split(subject)
		i, known := of[id]
		if !known || !told.IsKeys(place) {
			return
		}
		if err := a.key(subject, body, i); err != nil {
			a.missing = append(a.missing, fmt.Sprintf("machine %d: a key: %v", i, err))
		}
	}, func() { done = true; end() })
	if !done {
		return fmt.Errorf("read the keys: %w", err)
	}
	return nil
}

func (a *audit) key(subject string, body []byte, machine int) error {
	var s keys.Signed
	if err := keys.Decode(body, &s); err != nil {
		return err
	}
	said, err := a.t.world.names.Hear(subject, s, a.t.world.machines[machine].Member)
	if err != nil {
		return err
	}
	l, err := said.Letter()
	if err != nil {
		return err
	}
	e, err := l.Open(a.t.world.people[0].key)
	if err == nil {
		a.epochs[e.ID()] = e
	}
	return err
}

// machine checks the log of one machine, and whether the stream has the same.
func (a *audit) machine(ctx context.Context, i int) error {
	out, err := a.stream(ctx, i)
	if err != nil {
		return fmt.Errorf("read the stream: %w", err)
	}
	log, err := store.OpenReadOnly(ctx, a.t.world.machines[i].database())
	if err != nil {
		return err
	}
	given := map[string]int{} // by operator: orders to decide that are on record, less their decisions
	for after := int64(-1); ; {
		list, err := log.Events(ctx, broker.EventFilter{After: after})
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return nil
		}
		for k := range list {
			e := &list[k]
			after = e.Seq
			a.decision(i, e, given)
			if e.Seq <= int64(len(out)) && out[e.Seq-1] != e.Hash {
				a.miss(i, "event %d is another one in the stream", e.Seq)
			}
		}
	}
}

func (a *audit) miss(machine int, format string, v ...any) {
	a.missing = append(a.missing, fmt.Sprintf("machine %d: ", machine)+fmt.Sprintf(format, v...))
}

// stream reads a machine's events as its people do: the hash of each, from the first.
func (a *audit) stream(ctx context.Context, i int) (hashes []string, err error) {
	m := &a.t.world.machines[i]
	err = a.line.Past(ctx, m.ID(), 0, func(_ uint64, body []byte) bool {
		var s keys.Signed
		var said told.Told
		var e told.Event
		err := keys.Decode(body, &s)
		if err == nil {
			err = s.Open(keys.KindTold, &said)
		}
		if err == nil {
			_, err = a.t.world.names.Hear(a.t.world.names.At(said.Machine, said.Place), s, m.Member)
		}
		if err == nil {
			err = seals.ErrSealed
			if key, ok := a.epochs[said.Sealed.Epoch]; ok {
				err = said.Read(key, &e)
			}
		}
		if want := int64(len(hashes) + 1); err != nil || e.Event.Seq != want || e.Missed != 0 {
			a.miss(i, "in the place of event %d the stream has %d, %v", want, said.Number, err)
		}
		hashes = append(hashes, said.Hash)
		return true
	})
	a.events += len(hashes)
	if sent := a.t.sent[m.ID()]; int64(len(hashes)) < sent {
		a.miss(i, "the stream has %d of %d events", len(hashes), sent)
	}
	return hashes, err
}

// decision looks at an event that says how a call ended, or that an order is about to be carried out.
func (a *audit) decision(machine int, e *broker.Event, given map[string]int) {
	switch e.Type {
	case broker.EventFleetOrder:
		var o orders.Taken
		if err := json.Unmarshal(e.Data, &o); err == nil && strings.HasPrefix(o.Method, "Calls.Decide") {
			given[broker.FleetID(o.Operator, o.Name)]++
		}
	case broker.EventRequestDecided:
		var d broker.DecidedData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			a.unordered = append(a.unordered, fmt.Sprintf("event %d of machine %d cannot be read: %v", e.Seq, machine, err))
			return
		}
		if _, ok := a.ends[e.RequestID]; ok {
			a.twice = append(a.twice, fmt.Sprintf("machine %d, call %s", machine, e.RequestID))
		}
		a.ends[e.RequestID] = d
		if why := a.unfounded(machine, e.RequestID, &d, given); why != "" {
			a.unordered = append(a.unordered, fmt.Sprintf("machine %d, call %s, by %+v: %s", machine, e.RequestID, d.By, why))
		}
	}
}

// unfounded says what is wrong with a decision, "" when somebody made it.
func (a *audit) unfounded(machine int, id string, d *broker.DecidedData, given map[string]int) string {
	presses := a.t.journal.presses[id]
	pressed := func(who int, v broker.Verdict) bool {
		return slices.ContainsFunc(presses, func(p *press) bool { return p.who == who && p.verdict == v })
	}
	if len(presses) > 1 && presses[0].who != presses[1].who {
		a.raced++
	}
	verdict := broker.Deny
	if d.Status == broker.Allowed {
		verdict = broker.Allow
	}
	switch {
	case d.By.Kind == broker.ByOperator && d.By.ID != "":
		who := slices.IndexFunc(a.t.world.people, func(m party) bool { return broker.FleetID(m.ID(), m.Name) == d.By.ID })
		given[d.By.ID]--
		switch {
		case who < 0:
			return "nobody of the fleet"
		case !pressed(who, verdict):
			return "they pressed no such key"
		case given[d.By.ID] < 0:
			return "their order is not on record before it"
		}
		if verdict == broker.Allow {
			a.byOrder++
		}
	case verdict == broker.Deny: // it is safe, whoever did it
	case d.By.Kind == broker.ByOperator && d.By.PID == a.t.boxOf(machine).cmd.Process.Pid:
		if !pressed(ownConsole, verdict) {
			return "nobody pressed a key there"
		}
		a.byHand++
	case d.By.Kind == broker.ByRule:
		a.byRule++
		if len(presses) > 0 {
			return "a person was asked"
		}
	default:
		return "nobody may allow so"
	}
	return ""
}

// answers compares what askers were told with the logs.
func (a *audit) answers() {
	for _, q := range a.t.journal.asked {
		d, ok := a.ends[q.answer.RequestID]
		verdict := "deny"
		if d.Status == broker.Allowed {
			verdict = "allow"
		}
		kindly := q.kind == held || q.kind == both || verdict == "allow" == (q.kind == ruled || q.kind == allowed)
		switch {
		case q.err != nil:
			a.otherwise = append(a.otherwise, fmt.Sprintf("machine %d, a call that is %s: no answer: %v", q.machine, q.kind, q.err))
		case !ok:
			a.otherwise = append(a.otherwise, fmt.Sprintf("machine %d, call %s: told %s, and nothing is on record", q.machine, q.answer.RequestID, q.answer.Verdict))
		case q.answer.Verdict != verdict, !kindly:
			a.otherwise = append(a.otherwise, fmt.Sprintf("machine %d, call %s that is %s: told %s (%s), on record is %s by %+v", q.machine, q.answer.RequestID, q.kind, q.answer.Verdict, q.answer.Reason, d.Status, d.By))
		}
	}
}
