//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/scripts/internal/ask"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

const (
	steadySessions = 40
	leastRate      = 180  // calls a second below which the run says nothing
	mostAtOnce     = 2000 // calls under way; more are not sent, which is an error
)

// tally is what came of the steady calls.
type tally struct {
	mu      sync.Mutex
	byRule  []time.Duration // from when a call was due to its answer
	byHand  []time.Duration
	failed  int
	example error // one failure
}

func (t *tally) add(byHand bool, took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.failed++
		t.example = err
	case byHand:
		t.byHand = append(t.byHand, took)
	default:
		t.byRule = append(t.byRule, took)
	}
}

// steadyCalls lets calls come at a fixed rate: nine in ten are decided by rules, the
// tenth by a scripted operator, who allows and denies.
func (l *load) steadyCalls(ctx context.Context) ([]row, error) {
	h, err := host.Start(ctx, l.dir, "steady")
	if err != nil {
		return nil, err
	}
	defer h.Stop()
	for _, command := range []string{"rule", "operator"} {
		if _, err := h.Do(command); err != nil {
			return nil, err
		}
	}
	if _, err := l.comeSteadily(ctx, h, "warm", min(l.steady/4, 10*time.Second)); err != nil {
		return nil, err
	}
	before, err := footprint(ctx, h)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	t, err := l.comeSteadily(ctx, h, "steady", l.steady)
	if err != nil {
		return nil, err
	}
	answered := len(t.byRule) + len(t.byHand)
	rate := float64(answered) / time.Since(began).Seconds()
	after, err := footprint(ctx, h)
	if err != nil {
		return nil, err
	}
	r := check(t.failed == 0, fmt.Sprintf("%d calls a second for %v", l.rate, l.steady), "no error; void below 180/s",
		"%.0f/s, %d errors; p50/p99 by rule %.1f/%.1f ms, by operator %.1f/%.1f ms; memory %.0f to %.0f MB, database %.0f to %.0f MB (%.1f KB a call)",
		rate, t.failed, ms(percentile(t.byRule, 50)), ms(percentile(t.byRule, 99)), ms(percentile(t.byHand, 50)), ms(percentile(t.byHand, 99)),
		before.memory/mb, after.memory/mb, before.database/mb, after.database/mb, (after.database-before.database)/1024/float64(max(1, answered)))
	if t.example != nil {
		r.measured += fmt.Sprintf("; such as: %v", t.example)
	} else if rate < leastRate {
		r.verdict = void
	}
	return []row{r}, nil
}

// comeSteadily sends calls when they are due, whether or not the earlier ones were
// answered, and returns once all are.
func (l *load) comeSteadily(ctx context.Context, h *host.Host, name string, how time.Duration) (*tally, error) {
	read, err := l.readCall("", "")
	if err != nil {
		return nil, err
	}
	t := &tally{}
	client := ask.Client{Socket: h.Socket()}
	slots := make(chan struct{}, mostAtOnce)
	var calls sync.WaitGroup
	began := time.Now()
	for i := range int(how.Seconds() * float64(l.rate)) {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(l.rate))
		select {
		case <-time.After(time.Until(due)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case slots <- struct{}{}:
		default:
			t.add(false, 0, fmt.Errorf("%d calls are under way", mostAtOnce))
			continue
		}
		calls.Go(func() {
			defer func() { <-slots }()
			c, byHand, want := steadyCall(name, i, read)
			a, err := client.Hook(ctx, c, uuid.NewString())
			if err == nil && a.Verdict != want {
				err = fmt.Errorf("%s was told %s instead of %s: %s", c.ToolUse, a.Verdict, want, a.Reason)
			}
			t.add(byHand, time.Since(due), err)
		})
	}
	calls.Wait()
	return t, ctx.Err()
}

// steadyCall is the i-th call, who decides it, and how.
func steadyCall(name string, i int, read ask.Call) (c ask.Call, byHand bool, want string) {
	c = read
	c.Session, c.ToolUse = fmt.Sprintf("%s-%d", name, i%steadySessions), fmt.Sprintf("toolu_%s_%d", name, i)
	if i%2 == 1 {
		return c, false, "allow" // by the built-in rule
	}
	c.Tool, c.Input = "Bash", map[string]any{"command": ruledCommand}
	if i%20 == 4 {
		c.Input["command"] = denyMark + c.ToolUse
		return c, true, "deny"
	}
	if i%20 == 14 {
		c.Input["command"] = "make " + c.ToolUse
		return c, true, "allow"
	}
	return c, false, "allow" // by the operator's rule
}

const (
	ruledCommand = "go test ./..."
	denyMark     = "make refuse-"
)

// saveRule allows one command from now on.
func saveRule(ctx context.Context, s *host.Server, _ int) (map[string]float64, error) {
	_, err := s.Broker.SaveRule(ctx, rules.Rule{
		Priority: rules.DefaultPriority, Enabled: true, Tool: "Bash", Where: map[string]string{"command": ruledCommand}, Decision: rules.Allow,
	}, host.Operator)
	return nil, err
}

// watchAndDecide decides what waits from now on, as soon as it is seen. It returns at
// once; the deciding goes on until the process ends.
func watchAndDecide(ctx context.Context, s *host.Server, _ int) (map[string]float64, error) {
	asked := make(chan broker.Request, mostAtOnce)
	go func() {
		for ctx.Err() == nil {
			snap, updates := s.Broker.Watch(ctx)
			for _, r := range snap.Requests {
				asked <- r
			}
			for u := range updates {
				if u.Request != nil && u.Request.State == broker.Pending {
					asked <- *u.Request
				}
			}
		}
	}()
	for range 4 {
		go func() {
			for r := range asked {
				d := broker.Decision{Verdict: broker.Allow, By: host.Operator}
				if bytes.Contains(r.ToolInput, []byte(denyMark)) {
					d.Verdict, d.Reason = broker.Deny, "load run"
				}
				if _, err := s.Decide(ctx, r, d); err != nil && !errors.Is(err, broker.ErrAlreadyDecided) && ctx.Err() == nil {
					fmt.Fprintln(os.Stderr, "load: decide:", err)
				}
			}
		}()
	}
	return nil, nil
}

// sizeOf is what a broker takes, in bytes.
type sizeOf struct{ memory, database float64 }

func footprint(ctx context.Context, h *host.Host) (s sizeOf, err error) {
	if s.memory, err = h.Memory(ctx); err != nil {
		return s, err
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(filepath.Join(h.Home, "aoctl.db"+suffix)); err == nil {
			s.database += float64(info.Size())
		}
	}
	return s, nil
}
