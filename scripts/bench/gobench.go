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
	v, err := b.goBench(ctx, "./tui", "BenchmarkRepaint10k")
	if err != nil {
		return nil, err
	}
	took, worst := time.Duration(v["ns/op"]), time.Duration(v["ms/worst"]*float64(time.Millisecond))
	const frame = 16 * time.Millisecond
	return []row{{
		measure: "key press to repaint, 10000 waiting, 500 a second",
		value:   fmt.Sprintf("%s, worst %s", ms(took), ms(worst)), floor: "-", ratio: "-",
		limit: "<= 16 ms", met: took <= frame,
	}}, nil
}

// goBench runs one benchmark of pkg, several times if figures are wanted, and returns the median of everything
// that it reports, by unit, such as "ns/op". The name of one below another is
// "BenchmarkX/y".
func (b *bench) goBench(ctx context.Context, pkg, name string) (map[string]float64, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^"+strings.ReplaceAll(name, "/", "$/^")+"$", "-benchtime", b.often.benchtime, "-count", strconv.Itoa(b.often.count), pkg) //nolint:gosec // G204: our own words
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go test -bench %s %s: %w\n%s", name, pkg, err, out)
	}
	values := map[string][]float64{}
	for line := range strings.Lines(string(out)) {
		// BenchmarkName-2  8588  170800 ns/op  5855 decisions/s
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], name) {
			continue
		}
		for at := 3; at < len(f); at += 2 {
			v, err := strconv.ParseFloat(f[at-1], 64)
			if err != nil {
				return nil, fmt.Errorf("read %q: %w", line, err)
			}
			values[f[at]] = append(values[f[at]], v)
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s has no %s", pkg, name)
	}
	medians := map[string]float64{}
	for unit, v := range values {
		slices.Sort(v)
		medians[unit] = v[len(v)/2]
	}
	return medians, nil
}
