//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/far"
	"github.com/aoctl/aoctl/broker/fleet/jet"
)

const (
	pressAgain = 2 * time.Second // after a key that did nothing
	handsMost  = 64              // keys that a person may press at a time
)

// console is a person who decides what waits, as soon as it is drawn.
type console struct {
	who, of int // the person's number, and how many there are
	journal *journal
	broker  *far.Broker
	line    *jet.Line
	stop    context.CancelFunc
	work    sync.WaitGroup
	hands   chan struct{}

	mu       sync.Mutex
	changed  chan struct{} // closed at the next change
	pending  map[string]broker.Request
	under    map[string]bool // calls that a hand is on
	machines map[string]broker.Machine
}

func openConsole(ctx context.Context, w *world, who int, j *journal) (*console, error) {
	me := w.people[who]
	line, err := jet.Dial(ctx, jet.Options{Servers: w.urls, Pin: w.pin, Key: me.key, Fleet: fleetID, Name: "aoctl"})
	if err != nil {
		return nil, fmt.Errorf("open a console: %w", err)
	}
	c := &console{
		who: who, of: len(w.people) - 1, journal: j, line: line, hands: make(chan struct{}, handsMost), changed: make(chan struct{}),
		broker:  far.New(far.Options{Key: me.key, Roster: w.roster, Line: line, Log: slog.New(slog.DiscardHandler)}),
		pending: map[string]broker.Request{}, under: map[string]bool{}, machines: map[string]broker.Machine{},
	}
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.work.Go(func() { c.broker.Run(ctx) })
	c.work.Go(func() { c.watch(ctx) })
	return c, nil
}

func (c *console) close() {
	c.stop()
	c.work.Wait()
	c.line.Close()
}

// watch follows what is drawn until ctx ends.
func (c *console) watch(ctx context.Context) {
	for ctx.Err() == nil {
		snap, updates := c.broker.Watch(ctx)
		c.change(func() {
			clear(c.pending)
			clear(c.machines)
			for _, m := range snap.Machines {
				c.machines[m.ID] = m
			}
			for i := range snap.Requests {
				c.take(ctx, &snap.Requests[i])
			}
		})
		for u := range updates {
			c.change(func() {
				switch {
				case u.Machine != nil:
					c.machines[u.Machine.ID] = *u.Machine
				case u.Request != nil:
					c.take(ctx, u.Request)
				}
			})
		}
	}
}

// change changes what is drawn, and wakes those who wait for something.
func (c *console) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	close(c.changed)
	c.changed = make(chan struct{})
}

// take takes in a call; c.mu is held.
func (c *console) take(ctx context.Context, r *broker.Request) {
	if r.State != broker.Pending {
		delete(c.pending, r.ID)
		return
	}
	c.pending[r.ID] = *r
	if v := c.wants(r); v != "" && !c.under[r.ID] {
		c.under[r.ID] = true
		c.work.Go(func() { c.decide(ctx, *r, v) })
	}
}

// wants is what this person decides about a call, "" for nothing.
func (c *console) wants(r *broker.Request) broker.Verdict {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(r.ID))                 // it never fails
	mine := int(sum.Sum32()%uint32(c.of)) == c.who //nolint:gosec // there are few
	switch k := kindOf(commandOf(r)); {
	case k == allowed && mine, k == both && c.who == 0:
		return broker.Allow
	case k == denied && mine, k == both && c.who == 1:
		return broker.Deny
	}
	return ""
}

func commandOf(r *broker.Request) string {
	var in struct{ Command string }
	_ = json.Unmarshal(r.ToolInput, &in) // a call that is none of ours has none
	return in.Command
}

// decide presses a key for a call until that is no longer drawn as waiting, or waits for its machine.
func (c *console) decide(ctx context.Context, r broker.Request, v broker.Verdict) {
	defer c.change(func() { delete(c.under, r.ID) })
	for {
		c.hands <- struct{}{}
		p := c.press(ctx, &r, v)
		<-c.hands
		if p.later {
			return
		}
		again := pressAgain
		if p.done {
			again = drawnWithin // what came of it is on its way
		}
		within, end := context.WithTimeout(ctx, again)
		gone := c.wait(within, func() bool { _, drawn := c.pending[r.ID]; return !drawn })
		end()
		if gone == nil || ctx.Err() != nil {
			return
		}
		if now, ok := c.call(r.ID); ok {
			r = now
		}
	}
}

// press presses a key once.
func (c *console) press(ctx context.Context, r *broker.Request, v broker.Verdict) *press {
	p := c.journal.press(r.ID, c.who, v)
	_, err := c.broker.Decide(ctx, r.ID, broker.Decision{Verdict: v, Digest: r.Digest, By: broker.Actor{Kind: broker.ByOperator}})
	var later *far.LaterError
	c.journal.change(func() { p.done, p.later, p.err = err == nil, errors.As(err, &later), err })
	return p
}

// call is a call that is drawn as waiting.
func (c *console) call(id string) (broker.Request, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.pending[id]
	return r, ok
}

// waiting is how many calls are drawn as waiting.
func (c *console) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

// wait waits until something is drawn.
func (c *console) wait(ctx context.Context, drawn func() bool) error {
	for {
		c.mu.Lock()
		ok, changed := drawn(), c.changed
		c.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// drawn waits until a call with a command is drawn as waiting.
func (c *console) drawn(ctx context.Context, command string) (r broker.Request, err error) {
	err = c.wait(ctx, func() bool {
		for _, r = range c.pending {
			if commandOf(&r) == command {
				return true
			}
		}
		return false
	})
	return r, err
}

// until waits until so many machines are live.
func (c *console) until(ctx context.Context, good func(live int) bool) error {
	return c.wait(ctx, func() bool {
		live := 0
		for _, m := range c.machines {
			if m.Reach == broker.ReachLive {
				live++
			}
		}
		return good(live)
	})
}

// reach waits until all of some machines are drawn as reached so far.
func (c *console) reach(ctx context.Context, ids []string, reach broker.Reach) error {
	return c.wait(ctx, func() bool {
		for _, id := range ids {
			if c.machines[id].Reach != reach {
				return false
			}
		}
		return true
	})
}
