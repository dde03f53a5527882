package main

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	pulseEvery = 5 * time.Millisecond
	stall      = 30 * time.Millisecond // between two beats of the pulse
)

// lastStall is when this program was last found not to have run for a while, in
// nanoseconds since 1970. What it measured around then is wrong.
var lastStall atomic.Int64

// feelPulse notices when this program gets no time to run.
func feelPulse(ctx context.Context) {
	beat := time.NewTicker(pulseEvery)
	defer beat.Stop()
	last := time.Now()
	for {
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
		now := time.Now()
		if now.Sub(last) > stall {
			lastStall.Store(now.UnixNano())
		}
		last = now
	}
}

func stalledSince(t time.Time) bool { return lastStall.Load() > t.UnixNano() }
