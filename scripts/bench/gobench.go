package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// repaint takes the console's own benchmark: one key press and its repaint with
// 10,000 calls waiting and 500 arriving a second.
func (b *bench) repaint(ctx context.Context) ([]row, error) {
	ns, err := goBench(ctx, "./tui", "BenchmarkRepaint10k", "ns/op")
	if err != nil {
		return nil, err
	}
	took := time.Duration(ns)
	const frame = 16 * time.Millisecond
	return []row{{
		measure: "repaint, 10000 waiting, 500 a second", value: ms(took), floor: "-", ratio: "-",
		limit: "<= 16 ms", met: took <= frame,
	}}, nil
}

// goBench runs one benchmark of pkg three times and returns the median of what it
// reports in unit, such as "ns/op".
func goBench(ctx context.Context, pkg, name, unit string) (float64, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^"+name+"$", "-benchtime", "1s", "-count", "3", pkg) //nolint:gosec // G204: our own words
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("go test -bench %s %s: %w\n%s", name, pkg, err, out)
	}
	var values []float64
	for line := range strings.Lines(string(out)) {
		// BenchmarkName-2  8588  170800 ns/op  5855 decisions/s
		f := strings.Fields(line)
		at := slices.Index(f, unit)
		if at < 1 || !strings.HasPrefix(f[0], name) {
			continue
		}
		v, err := strconv.ParseFloat(f[at-1], 64)
		if err != nil {
			return 0, fmt.Errorf("read %q: %w", line, err)
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return 0, fmt.Errorf("%s has no %s that reports %s", pkg, name, unit)
	}
	slices.Sort(values)
	return values[len(values)/2], nil
}
