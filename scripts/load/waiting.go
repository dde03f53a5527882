//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/scripts/internal/ask"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

// settled is how long hooks wait before they are weighed: what reading so many questions
// took is given back to the system by then.
const settled = 3 * time.Second

// manyWaiting lets many hooks wait at one broker and then has them all allowed.
func (l *load) manyWaiting(ctx context.Context) ([]row, error) {
	const mostEach, longest = 20.0, 2 * time.Second
	if err := host.NeedDescriptors(uint64(l.waiting) + 500); err != nil { //nolint:gosec // G115: a small count
		return nil, err
	}
	h, err := host.Start(ctx, l.dir, "waiting")
	if err != nil {
		return nil, err
	}
	defer h.Stop()
	if _, err := h.Crowd(ctx, "warm", 10*host.PerSession, nil); err != nil {
		return nil, err
	}
	before, err := h.Memory(ctx)
	if err != nil {
		return nil, err
	}
	var came, after float64
	took, err := h.Crowd(ctx, "wait", l.waiting, func() (err error) {
		if came, err = h.Memory(ctx); err != nil {
			return err
		}
		select {
		case <-time.After(settled):
		case <-ctx.Done():
			return ctx.Err()
		}
		after, err = h.Memory(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	perHook := func(memory float64) float64 { return (memory - before) / float64(l.waiting) / 1024 }
	each := perHook(after)
	return []row{
		check(each <= mostEach, fmt.Sprintf("%d waiting hooks, memory", l.waiting), "at most 20 KB each", "%.1f KB each, %.1f KB just after they came", each, perHook(came)),
		checkTime(took <= longest, fmt.Sprintf("%d waiting hooks, then all decided", l.waiting), "no error, last answer within 2 s", "no error, %.2f s", took.Seconds()),
	}, nil
}

// manyProcesses lets real hook processes wait, then allows and denies them in turn.
func (l *load) manyProcesses(ctx context.Context) ([]row, error) {
	const longest = time.Second
	h, err := host.Start(ctx, l.dir, "processes")
	if err != nil {
		return nil, err
	}
	defer h.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	got := make([]said, l.processes)
	errs := make(chan error, l.processes)
	var hooks sync.WaitGroup
	for i := range got {
		hooks.Go(func() {
			var err error
			got[i], err = l.runHook(ctx, h.Home, ask.Call{
				Session: fmt.Sprintf("process-%d", i/10), ToolUse: processCall(i), Tool: "Bash", CWD: l.dir,
				Input: map[string]any{"command": "make " + processCall(i)},
			})
			errs <- err
		})
	}
	if err := h.AllWaiting(ctx, l.processes, nil); err != nil {
		return nil, err
	}
	decided, err := h.Do("verdicts")
	if err != nil {
		return nil, err
	}
	hooks.Wait()
	close(errs)
	if err := host.Join(errs); err != nil {
		return nil, err
	}
	count := map[string]int{}
	var waits []time.Duration
	for i, s := range got {
		at := decided[processCall(i)]
		want := "ALLOW"
		if at < 0 { // see decideEach
			at, want = -at, "DENY"
		}
		if s.verdict != want {
			return nil, fmt.Errorf("hook %d was decided %s and said %s: %s", i, want, s.verdict, s.reason)
		}
		count[s.verdict]++
		waits = append(waits, s.ended.Sub(time.UnixMicro(int64(at))))
	}
	most := percentile(waits, 100)
	return []row{checkTime(count["OPEN"] == 0 && most <= longest,
		fmt.Sprintf("%d real hook processes waiting", l.processes), "no OPEN, verdict within 1 s of the decision",
		"%d ALLOW, %d DENY, %d OPEN; p50 %.0f ms, longest %.0f ms", count["ALLOW"], count["DENY"], count["OPEN"], ms(percentile(waits, 50)), ms(most))}, nil
}

func processCall(i int) string { return fmt.Sprintf("toolu_process_%d", i) }

// decideEach allows and denies the waiting calls in turn, as fast as many callers can.
// It returns when each decision began, by tool use id: microseconds since 1970, negative
// for a denial.
func decideEach(ctx context.Context, s *host.Server, _ int) (map[string]float64, error) {
	list := s.Broker.Pending("")
	at := make([]float64, len(list))
	errs := make(chan error, len(list))
	slots := make(chan struct{}, host.Callers)
	var deciding sync.WaitGroup
	for i, r := range list {
		slots <- struct{}{}
		deciding.Go(func() {
			defer func() { <-slots }()
			d := broker.Decision{Verdict: broker.Allow, By: host.Operator}
			at[i] = float64(time.Now().UnixMicro())
			if i%2 == 1 {
				d.Verdict, d.Reason, at[i] = broker.Deny, "load run", -at[i]
			}
			_, err := s.Decide(ctx, r, d)
			errs <- err
		})
	}
	deciding.Wait()
	close(errs)
	times := make(map[string]float64, len(list))
	for i, r := range list {
		times[r.ToolUseID] = at[i]
	}
	if len(times) != len(list) {
		return nil, errors.New("two waiting calls have one tool use id")
	}
	return times, host.Join(errs)
}
