package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// PerSession is how many calls of one session wait at a time in a crowd.
const PerSession = 50

// Crowd lets n hooks wait, calls seen once all of them do, and has them allowed. It
// returns the time from that word to the last hook's answer.
func (h *Host) Crowd(ctx context.Context, name string, n int, seen func() error) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var hooks sync.WaitGroup
	errs := make(chan error, n)
	client := ask.Client{Socket: h.Socket()}
	for i := range n {
		hooks.Go(func() {
			errs <- waitOne(ctx, client, fmt.Sprintf("%s-%d", name, i/PerSession), fmt.Sprintf("toolu_%s_%d", name, i), filepath.Dir(h.Home))
		})
	}
	if err := h.AllWaiting(ctx, n, errs); err != nil {
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
	if _, err := h.Do("allow"); err != nil {
		return 0, err
	}
	hooks.Wait()
	took := time.Since(began)
	close(errs)
	return took, Join(errs)
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

// AllWaiting returns once the broker counts n waiting calls, or a hook has failed.
func (h *Host) AllWaiting(ctx context.Context, n int, errs <-chan error) error {
	for {
		v, err := h.Do("pending")
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

// Join reads errs to its end and says how many failed, with the first few causes.
func Join(errs <-chan error) error {
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
