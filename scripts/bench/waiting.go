package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/host"
)

// waiting holds many hooks at one broker, weighs them, and answers them all.
func (b *bench) waiting(ctx context.Context) ([]row, error) {
	if err := host.NeedDescriptors(waiting + 200); err != nil {
		return nil, err
	}
	h, err := host.Start(ctx, b.dir, "waiting")
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
	var after float64
	took, err := h.Crowd(ctx, "wait", b.often.waiting, func() (err error) {
		after, err = h.Memory(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	each, most, longest := (after-before)/float64(b.often.waiting)/1024, 20.0, 2*time.Second
	return []row{
		{
			measure: fmt.Sprintf("memory of each of %d waiting hooks", b.often.waiting),
			value:   fmt.Sprintf("%.1f KB", each), floor: "-", ratio: "-",
			limit: fmt.Sprintf("<= %.0f KB", most), met: each <= most,
		},
		{
			measure: fmt.Sprintf("all %d answered, no error", b.often.waiting),
			value:   fmt.Sprintf("%.2f s", took.Seconds()), floor: "-", ratio: "-",
			limit: fmt.Sprintf("<= %.0f s", longest.Seconds()), met: took <= longest,
		},
	}, nil
}
