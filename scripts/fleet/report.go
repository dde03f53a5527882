//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// report has what was found.
type report struct {
	over, broken []string
}

func (r *report) line(mark, name, format string, a ...any) {
	fmt.Printf("%-5s%-58s %s\n", mark, name, strings.ReplaceAll(fmt.Sprintf(format, a...), "\n", " "))
}

// told is a measure without a limit.
func (r *report) told(name, format string, a ...any) { r.line("", name, format, a...) }

// measure is one with a limit, which format says.
func (r *report) measure(ok bool, name, format string, a ...any) {
	mark := "ok"
	if !ok {
		mark = "over"
		r.over = append(r.over, name)
	}
	r.line(mark, name, format, a...)
}

// promise is what must never be otherwise. wrong are examples of where it was.
func (r *report) promise(wrong []string, name, format string, a ...any) {
	if len(wrong) == 0 {
		r.line("ok", name, format, a...)
		return
	}
	r.broken = append(r.broken, name)
	r.line("NOT", name, format, a...)
	for _, w := range wrong[:min(len(wrong), 5)] {
		fmt.Println("       ", w)
	}
	if more := len(wrong) - 5; more > 0 {
		fmt.Printf("        and %d more\n", more)
	}
}

// conclude prints the summary and returns the exit code, otherwise for a run with nothing wrong.
func (r *report) conclude(strict bool, otherwise int) int {
	switch {
	case len(r.broken) > 0:
		fmt.Printf("FAILED: %d promises broken: %s\n", len(r.broken), strings.Join(r.broken, "; "))
		return 1
	case otherwise != 0:
		return otherwise
	case len(r.over) > 0:
		fmt.Printf("all promises kept; %d measures over their limit: %s\n", len(r.over), strings.Join(r.over, "; "))
		if strict {
			return 1
		}
	default:
		fmt.Println("all promises kept, all measures within their limits")
	}
	return 0
}

// spread is how a measure is distributed.
type spread []time.Duration

// at is the percentile p; 0 for nothing.
func (s spread) at(p float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	slices.Sort(s)
	return s[min(len(s)-1, int(float64(len(s))*p/100))]
}

func (s spread) String() string {
	return fmt.Sprintf("p50 %.1f, p95 %.1f, p99 %.1f, longest %.1f ms (%d)", ms(s.at(50)), ms(s.at(95)), ms(s.at(99)), ms(s.at(100)), len(s))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
