package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// waiting holds many hooks at one broker, weighs them, and answers them all.
func (b *bench) waiting(ctx context.Context) ([]row, error) {
	if err := needDescriptors(waiting + 200); err != nil {
		return nil, err
	}
	h, err := startHost(ctx, b.dir, "waiting")
	if err != nil {
		return nil, err
	}
	defer h.stop()

	if _, err := b.crowd(ctx, h, "warm", 10*perSession, nil); err != nil {
		return nil, err
	}
	before, err := h.memory(ctx)
	if err != nil {
		return nil, err
	}
	var after float64
	took, err := b.crowd(ctx, h, "wait", waiting, func() (err error) {
		after, err = h.memory(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	each, most, longest := (after-before)/waiting/1024, 20.0, 2*time.Second
	return []row{
		{
			measure: fmt.Sprintf("memory of each of %d waiting hooks", waiting),
			value:   fmt.Sprintf("%.1f KB", each), floor: "-", ratio: "-",
			limit: fmt.Sprintf("<= %.0f KB", most), met: each <= most,
		},
		{
			measure: fmt.Sprintf("all %d answered, no error", waiting),
			value:   fmt.Sprintf("%.2f s", took.Seconds()), floor: "-", ratio: "-",
			limit: fmt.Sprintf("<= %.0f s", longest.Seconds()), met: took <= longest,
		},
	}, nil
}

// crowd lets n hooks wait, calls seen once all of them do, and has them allowed. It
// returns the time from that word to the last hook's answer.
func (b *bench) crowd(ctx context.Context, h *host, name string, n int, seen func() error) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var hooks sync.WaitGroup
	errs := make(chan error, n)
	client := ask.Client{Socket: h.socket()}
	for i := range n {
		hooks.Go(func() {
			errs <- waitOne(ctx, client, fmt.Sprintf("%s-%d", name, i/perSession), fmt.Sprintf("toolu_%s_%d", name, i), b.dir)
		})
	}
	if err := allWaiting(ctx, h, n, errs); err != nil {
		cancel()
		hooks.Wait()
		return 0, err
	}
	if seen != nil {
		if err := seen(); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	if _, err := h.do("allow"); err != nil {
		return 0, err
	}
	hooks.Wait()
	took := time.Since(began)
	close(errs)
	return took, join(errs)
}

func waitOne(ctx context.Context, client ask.Client, session, toolUse, cwd string) error {
	a, err := client.Hook(ctx, ask.Call{
		Session: session, ToolUse: toolUse, Tool: "Bash", CWD: cwd,
		Input: map[string]any{"command": "make " + toolUse, "description": "Build one target"},
	}, uuid.NewString())
	if err != nil {
		return fmt.Errorf("hook %s: %w", toolUse, err)
	}
	if a.Verdict != "allow" {
		return fmt.Errorf("hook %s was told %s: %s", toolUse, a.Verdict, a.Reason)
	}
	return nil
}

// allWaiting returns once the broker counts n waiting calls, or a hook has failed.
func allWaiting(ctx context.Context, h *host, n int, errs <-chan error) error {
	for {
		v, err := h.do("pending")
		if err != nil {
			return err
		}
		if int(v["pending"]) == n {
			return nil
		}
		select {
		case err := <-errs:
			return fmt.Errorf("with %.0f of %d waiting: %w", v["pending"], n, err)
		case <-ctx.Done():
			return fmt.Errorf("with %.0f of %d waiting: %w", v["pending"], n, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// join reads errs to its end and says how many failed, with the first few causes.
func join(errs <-chan error) error {
	var first []error
	count := 0
	for err := range errs {
		if err == nil {
			continue
		}
		if count++; count <= 3 {
			first = append(first, err)
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%d hooks failed, such as: %w", count, errors.Join(first...))
}
