//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
)

const (
	faultRate   = 20               // calls a second while something is wrong
	deadFor     = 5 * time.Second  // a server
	frozenFor   = 20 * time.Second // a server or two
	fullFor     = 15 * time.Second
	little      = 64 << 10 // bytes of events, where the stream is to be full
	suspended   = 12       // calls that wait on suspended machines
	outOfReach  = 90 * time.Second
	backInReach = 2 * time.Minute
)

// faults has things go wrong one after the other, while calls go on.
func (t *trial) faults(ctx context.Context) error {
	before, began := t.journal.count(), time.Now()
	stop := make(chan struct{})
	var crowd sync.WaitGroup
	crowd.Go(func() { t.crowd.pace(ctx, stop, faultRate) })
	err := t.wrong(ctx)
	close(stop)
	crowd.Wait()
	if err != nil {
		return err
	}
	t.report.told(fmt.Sprintf("%d calls during all that", t.journal.count()-before), "in %.0f s; orders: %v", time.Since(began).Seconds(), t.journal.releases(before))
	return nil
}

func (t *trial) wrong(ctx context.Context) error {
	for i, s := range t.servers.list {
		s.signal(syscall.SIGKILL)
		if err := pause(ctx, deadFor); err != nil {
			return err
		}
		if err := s.start(ctx, t.servers.program, roomy); err != nil {
			return err
		}
		if err := t.healed(ctx, fmt.Sprintf("server %d was killed for %s; all is out after", i, deadFor)); err != nil {
			return err
		}
	}
	first := t.crowd.intn(replicas)
	for _, frozen := range [][]int{{first}, {(first + 1) % replicas, (first + 2) % replicas}} {
		for _, i := range frozen {
			t.servers.list[i].signal(syscall.SIGSTOP)
		}
		err := pause(ctx, frozenFor)
		for _, i := range frozen {
			t.servers.list[i].signal(syscall.SIGCONT)
		}
		if err == nil {
			err = t.healed(ctx, fmt.Sprintf("%d of %d servers did not answer for %s; all is out after", len(frozen), replicas, frozenFor))
		}
		if err != nil {
			return err
		}
	}
	if err := t.full(ctx); err != nil {
		return err
	}
	return t.suspend(ctx)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// full has the stream be full for a time.
func (t *trial) full(ctx context.Context) error {
	room := func(bytes int) error {
		t.servers.stopAll()
		return t.servers.startAll(ctx, bytes)
	}
	if err := room(little); err != nil {
		return err
	}
	before := t.journal.count()
	if err := pause(ctx, fullFor); err != nil {
		return err
	}
	said, behind := 0, 0
	for _, b := range t.boxes {
		links, err := b.links(ctx)
		if err != nil {
			return err
		}
		for _, l := range links {
			if l.Sent < l.Head {
				behind++
			}
			if strings.Contains(l.Problem, "full") {
				said++
			}
		}
	}
	if behind == 0 {
		return fmt.Errorf("the stream has %d bytes of room, and nobody is behind", little)
	}
	t.report.told("the stream was full", "%d machines behind, %d of them say so, and %d calls answered", behind, said, t.journal.count()-before)
	if err := room(roomy); err != nil {
		return err
	}
	return t.healed(ctx, "there is room in the stream again; all is out after")
}

// suspend stops the machines of a box, as a closed lid does. Nothing on them can be allowed then, and
// what is refused is so when they are back.
func (t *trial) suspend(ctx context.Context) error {
	b, c := t.boxes[0], t.consoles[0]
	var ids []string
	for _, m := range t.world.machines[b.first:b.last] {
		ids = append(ids, m.ID())
	}
	within, cancel := context.WithTimeout(ctx, outOfReach)
	defer cancel()
	if err := c.reach(within, ids, broker.ReachLive); err != nil {
		return fmt.Errorf("the machines are not live: %w", err)
	}
	type waiting struct {
		r    broker.Request
		done chan asked
	}
	var list []waiting
	for i := range suspended {
		s, err := t.crowd.on(within, b.first+i%(b.last-b.first))
		if err != nil {
			return err
		}
		command, done := held.command(), make(chan asked, 1)
		go func() {
			defer s.busy.Store(false)
			done <- t.crowd.ask(ctx, s, held, command)
		}()
		r, err := c.drawn(within, command)
		if err != nil {
			return fmt.Errorf("a call is not drawn: %w", err)
		}
		list = append(list, waiting{r, done})
	}
	if err := b.signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("suspend machines: %w", err)
	}
	err := c.reach(within, ids, broker.ReachOut)
	var wrong []string
	for i := range list {
		r := &list[i].r
		if p := c.press(within, r, broker.Allow); p.done || p.later {
			wrong = append(wrong, "an order to allow "+r.ID+" was taken")
		}
		if p := c.press(within, r, broker.Deny); !p.later {
			wrong = append(wrong, fmt.Sprintf("an order to deny %s does not wait: %v", r.ID, p.err))
		}
	}
	if back := b.signal(syscall.SIGCONT); err == nil {
		err = back
	}
	if err != nil {
		return fmt.Errorf("the machines are not drawn as out of reach: %w", err)
	}
	began := time.Now()
	back, cancel := context.WithTimeout(ctx, backInReach)
	defer cancel()
	for i := range list {
		select {
		case a := <-list[i].done:
			if a.answer.Verdict != "deny" {
				wrong = append(wrong, fmt.Sprintf("%s was told %q: %v", list[i].r.ID, a.answer.Verdict, a.err))
			}
		case <-back.Done():
			return fmt.Errorf("%s was denied while its machine was out of reach, and is not answered", list[i].r.ID)
		}
	}
	t.report.promise(wrong, "suspended machines: no allow waits, each deny does", "%d machines; all %d denied %.1f s after they were back", len(ids), len(list), time.Since(began).Seconds())
	return t.healed(ctx, "machines were suspended; all is out after")
}
