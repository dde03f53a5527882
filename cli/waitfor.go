package cli

import (
	"context"
	"time"
)

// client.WaitFor waits for d, or until ctx ends, which is its error.
func waitFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
