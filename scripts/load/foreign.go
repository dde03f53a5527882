//go:build linux

package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mostForeign is the share of the processors that other programs may take before a time
// that is too long says nothing about ours.
const mostForeign = 0.25

// usage is what the processors did until now.
type usage struct {
	at   time.Time
	busy time.Duration // of all processors together, by anybody
	own  time.Duration // by this program and those it has seen end
}

func readUsage() (u usage, err error) {
	u.at = time.Now()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return u, fmt.Errorf("read what the processors do: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	// cpu user nice system idle iowait irq softirq steal …, in hundredths of a second;
	// see proc_stat(5). What runs in guests counts as user already.
	for i, field := range strings.Fields(line) {
		if i == 0 || i == 4 || i == 5 || i > 8 {
			continue
		}
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return u, fmt.Errorf("read what the processors do: %w", err)
		}
		u.busy += time.Duration(ticks) * 10 * time.Millisecond
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var ru syscall.Rusage
		if err := syscall.Getrusage(who, &ru); err != nil {
			return u, fmt.Errorf("read what this program took: %w", err)
		}
		u.own += time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	return u, nil
}

// foreignSince is the share of the processors that other programs took since u.
func foreignSince(u usage) (float64, error) {
	now, err := readUsage()
	if err != nil {
		return 0, err
	}
	all := now.at.Sub(u.at) * time.Duration(runtime.NumCPU())
	return max(0, float64((now.busy-u.busy)-(now.own-u.own))/float64(all)), nil
}

// excuse voids what took too long while other programs had the processors.
func excuse(rows []row, foreign float64) {
	for i := range rows {
		if rows[i].timed && rows[i].verdict == fail && foreign > mostForeign {
			rows[i].verdict = void
			rows[i].measured += fmt.Sprintf("; other programs took %.0f %% of the processors", 100*foreign)
		}
	}
}
