//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
)

const (
	quietCalls  = 300 // half of them decided at their machine's own console
	mostBeyond  = 150 * time.Millisecond
	repaintKeys = 60
	healWithin  = 3 * time.Minute
)

// quiet measures what a decision takes, with nothing else to do.
func (t *trial) quiet(ctx context.Context) error {
	var ordered, local spread
	for i := range quietCalls {
		took, err := t.one(ctx, t.crowd.intn(t.machines), i%2 == 0)
		if err != nil {
			return err
		}
		if i%2 == 0 {
			local = append(local, took)
		} else {
			ordered = append(ordered, took)
		}
	}
	t.report.told("from a key at the machine to the answer", "%v", local)
	t.report.told("from an order of the fleet to the answer", "%v", ordered)
	beyond := ordered.at(99) - local.at(99)
	t.report.measure(beyond <= mostBeyond, "the order's p99 beyond the local one", "%.1f ms, at most %.0f; p50 %.1f", ms(beyond), ms(mostBeyond), ms(ordered.at(50)-local.at(50)))
	if err := t.keys(ctx, "quiet", false); err != nil {
		return err
	}
	return t.steady(ctx)
}

// one has one call decided, at its machine or over the fleet, and says how long that took.
func (t *trial) one(ctx context.Context, machine int, own bool) (time.Duration, error) {
	s, err := t.crowd.on(ctx, machine)
	if err != nil {
		return 0, err
	}
	defer s.busy.Store(false)
	command := held.command()
	done := make(chan asked, 1)
	go func() { done <- t.crowd.ask(ctx, s, held, command) }()
	within, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c := t.consoles[t.crowd.intn(len(t.consoles))]
	r, err := c.drawn(within, command)
	if err != nil {
		return 0, fmt.Errorf("a call is not drawn: %w", err)
	}
	time.Sleep(20 * time.Millisecond) // so that all consoles have drawn it
	var pressed time.Time
	if own {
		p := t.journal.press(r.ID, ownConsole, broker.Allow)
		pressed, err = t.boxOf(machine).allow(within, machine, r.ID, r.Digest)
		t.journal.change(func() { p.done, p.err = err == nil, err })
	} else {
		p := c.press(within, &r, broker.Allow)
		pressed, err = p.at, p.err
	}
	if err != nil {
		return 0, fmt.Errorf("allow a call: %w", err)
	}
	a := <-done
	if a.err != nil {
		return 0, a.err
	}
	return a.answered.Sub(pressed), nil
}

func (t *trial) boxOf(machine int) *box {
	for _, b := range t.boxes {
		if machine >= b.first && machine < b.last {
			return b
		}
	}
	return nil
}

// keys measures how soon the real console draws what a key does.
func (t *trial) keys(ctx context.Context, when string, busy bool) error {
	took, err := t.screen.repaint(ctx, repaintKeys)
	if err != nil {
		return err
	}
	name := "key to repaint at the terminal, " + when
	if busy {
		t.report.told(name, "%v", took)
		return nil
	}
	t.report.measure(took.at(95) <= mostRepaint, name, "%v; p95 at most %.1f ms", took, ms(mostRepaint))
	return nil
}

// steady measures it while calls come at a rate that this machine bears.
func (t *trial) steady(ctx context.Context) error {
	before, stop := t.journal.count(), make(chan struct{})
	var crowd sync.WaitGroup
	crowd.Go(func() { t.crowd.pace(ctx, stop, faultRate) })
	err := t.keys(ctx, fmt.Sprintf("%d calls a second", faultRate), false)
	close(stop)
	crowd.Wait()
	t.report.told(fmt.Sprintf("from an order to the answer, %d calls a second", faultRate), "%v", t.journal.releases(before))
	return err
}

// many has all calls come as fast as they are answered.
func (t *trial) many(ctx context.Context) error {
	stop := make(chan struct{})
	memory := t.screen.memory(ctx, stop)
	before, began := t.journal.count(), time.Now()
	var crowd sync.WaitGroup
	var took time.Duration
	crowd.Go(func() {
		t.crowd.all(ctx, t.calls, began.Add(t.limit/2))
		took = time.Since(began)
	})
	err := t.keys(ctx, "all processors busy", true)
	crowd.Wait()
	if err == nil {
		err = t.healed(ctx, "all events are in the stream after the last call")
	}
	close(stop)
	most := memory()
	if err != nil {
		return err
	}
	n := t.journal.count() - before
	t.report.measure(n >= t.calls, fmt.Sprintf("%d calls of %d sessions", t.calls, t.sessions), "%d in %.0f s, %.0f a second", n, took.Seconds(), float64(n)/took.Seconds())
	t.report.told("from an order to the answer, meanwhile", "%v", t.journal.releases(before))
	t.report.measure(most <= mostMemory, "the console's memory, at most", "%.0f MiB, at most %d", math.Ceil(most/(1<<20)), mostMemory>>20)
	return nil
}

// healed waits until all that is on record now is in the stream, and reports how long that took.
func (t *trial) healed(ctx context.Context, what string) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, healWithin)
	defer cancel()
	heads := map[string]int64{}
	t.sent = map[string]int64{}
	for {
		behind, example := 0, ""
		for _, b := range t.boxes {
			links, err := b.links(ctx)
			if err != nil {
				return fmt.Errorf("%s: %d machines were behind, such as %s: %w", what, behind, example, err)
			}
			for _, l := range links {
				if _, ok := heads[l.Machine]; !ok {
					heads[l.Machine] = l.Head
				}
				t.sent[l.Machine] = l.Sent
				if l.Sent < heads[l.Machine] {
					behind, example = behind+1, fmt.Sprintf("%+v", l)
				}
			}
		}
		if behind == 0 {
			t.report.told(what, "%.1f s", time.Since(began).Seconds())
			return nil
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%s: %d machines are behind after %s, such as %s", what, behind, time.Since(began).Round(time.Second), example)
		}
	}
}
