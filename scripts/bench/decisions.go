package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/host"
)

// decisions measures the broker's own part: from a decision to the waiting client
// one at a time, and how many it records from many callers at once.
func (b *bench) decisions(ctx context.Context) ([]row, error) {
	h, err := host.Start(ctx, b.dir, "decisions")
	if err != nil {
		return nil, err
	}
	defer h.Stop()
	v, err := h.Do(fmt.Sprintf("latency %d", b.often.decisions))
	if err != nil {
		return nil, err
	}
	rows := []row{against("decision to waiting client, synced, p50", time.Duration(v["decision_ns"]), "fdatasync", time.Duration(v["sync_ns"]), 4)}
	if v, err = h.Do(fmt.Sprintf("throughput %d", b.often.decided)); err != nil {
		return rows, err
	}
	rows = append(rows, rate("broker", v["per_second"]))
	alone, err := b.goBench(ctx, "./store", "BenchmarkDecideSynced64")
	if err != nil {
		return rows, err
	}
	return append(rows, rate("store alone", alone["decisions/s"])), nil
}

func rate(of string, perSecond float64) row {
	const least = 10_000
	return row{
		measure: fmt.Sprintf("synced decisions a second, %d callers, %s", host.Callers, of),
		value:   fmt.Sprintf("%.0f", perSecond), floor: "-", ratio: "-",
		limit: fmt.Sprintf(">= %d", least), met: perSecond >= least,
	}
}
