//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// kind is what is to become of a call, which stands in its command, so that consoles know it.
type kind string

const (
	ruled   kind = "ruled"   // a rule allows it
	refused kind = "refused" // a rule refuses it
	allowed kind = "allow"   // a person allows it
	denied  kind = "deny"    // a person denies it
	both    kind = "both"    // one allows it and another denies it at the same time
	held    kind = "held"    // it waits for a phase that decides it
)

// mix is how many of a hundred calls are of each kind.
var mix = []struct {
	kind kind
	n    int
}{{ruled, 80}, {refused, 5}, {allowed, 8}, {denied, 4}, {both, 3}}

const (
	atOnce   = 64 // calls that are asked at a time where they come as fast as they can
	answerIn = 9 * time.Minute
)

// command is what a call of a kind runs.
func (k kind) command() string {
	if k == ruled {
		return ruleAllows
	}
	if k == refused {
		return ruleRefuses
	}
	return "make " + string(k) + " " + newID()
}

// kindOf is the kind of a call that waits.
func kindOf(command string) kind {
	word, _, _ := strings.Cut(strings.TrimPrefix(command, "make "), " ")
	return kind(word)
}

// session is an agent: it makes one call after the other.
type session struct {
	machine int
	id      string
	busy    atomic.Bool
}

// crowd are all sessions.
type crowd struct {
	world    *world
	journal  *journal
	sessions []*session

	mu   sync.Mutex
	draw *rand.Rand
}

func newCrowd(w *world, n sizes, j *journal, draw *rand.Rand) *crowd {
	c := &crowd{world: w, journal: j, draw: draw}
	for i := range n.sessions {
		c.sessions = append(c.sessions, &session{machine: i % n.machines, id: newID()})
	}
	return c
}

// intn is a number below n.
func (c *crowd) intn(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.draw.IntN(n)
}

// kind draws one of the mix.
func (c *crowd) kind() kind {
	n := c.intn(100)
	for _, m := range mix {
		if n -= m.n; n < 0 {
			return m.kind
		}
	}
	return ruled
}

// ask asks one call and waits for its answer.
func (c *crowd) ask(ctx context.Context, s *session, k kind, command string) asked {
	m := &c.world.machines[s.machine]
	call := ask.Call{Session: s.id, ToolUse: newID(), Tool: "Bash", CWD: c.world.project, Input: map[string]any{"command": command}, Timeout: answerIn}
	a := asked{machine: s.machine, kind: k}
	a.answer, a.err = ask.Client{Socket: m.socket()}.Hook(ctx, call, newID())
	a.answered = time.Now()
	c.journal.told(a)
	return a
}

// all has the sessions make n calls, as fast as they are answered, but begin none after a time.
func (c *crowd) all(ctx context.Context, n int, until time.Time) {
	var work sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	turns := make(chan struct{}, atOnce)
	for _, s := range c.sessions {
		work.Go(func() {
			for left.Add(-1) >= 0 && ctx.Err() == nil && time.Now().Before(until) {
				turns <- struct{}{}
				k := c.kind()
				c.ask(ctx, s, k, k.command())
				<-turns
			}
		})
	}
	work.Wait()
}

// pace has sessions that are idle make calls, so many a second, until stop ends; and returns when all
// are answered.
func (c *crowd) pace(ctx context.Context, stop <-chan struct{}, rate int) {
	var work sync.WaitGroup
	defer work.Wait()
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-stop:
			return
		case <-ctx.Done():
			return
		}
		s := c.sessions[c.intn(len(c.sessions))]
		if !s.busy.CompareAndSwap(false, true) {
			continue
		}
		work.Go(func() {
			defer s.busy.Store(false)
			k := c.kind()
			c.ask(ctx, s, k, k.command())
		})
	}
}

// on is a session of a machine that is idle, as soon as there is one.
func (c *crowd) on(ctx context.Context, machine int) (*session, error) {
	for {
		for _, s := range c.sessions {
			if s.machine == machine && s.busy.CompareAndSwap(false, true) {
				return s, nil
			}
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, fmt.Errorf("no session of machine %d becomes idle: %w", machine, err)
		}
	}
}
