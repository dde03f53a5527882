//go:build linux

// Command load puts aoctl under load, case by case, and prints for each what was to be
// reached and what was. Real programs are used wherever that is possible: the console at
// a terminal, hook processes; where calls are allowed from outside the console, a real
// broker in a process of its own stands in for it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

// sizes are how much load there is.
type sizes struct {
	waiting   int           // hooks waiting at once
	processes int           // hook processes waiting at once
	steady    time.Duration // how long calls come at rate
	rate      int           // calls a second
	greedy    int           // calls of one session at once
	fair      int           // calls of another, one a second
	slow      int           // slow headers, and as many slow bodies
	slowFor   time.Duration // how long they come again
	events    int           // of a long log
	runs      int           // sessions held by runners at once
}

var (
	full  = sizes{waiting: 10_000, processes: 500, steady: 10 * time.Minute, rate: 200, greedy: 1000, fair: 30, slow: 1000, slowFor: 20 * time.Second, events: 1_000_000, runs: 200}
	short = sizes{waiting: 5000, processes: 60, steady: 6 * time.Second, rate: 200, greedy: 1000, fair: 4, slow: 1000, slowFor: time.Second, events: 30_000, runs: 20}
)

// verdict is how a measure compares with its target.
type verdict string

const (
	pass verdict = "PASS"
	fail verdict = "FAIL"
	void verdict = "VOID" // there was too little load to say, or too much of others
)

// row is one line of the table.
type row struct {
	name, target, measured string
	verdict                verdict
	timed                  bool // about time, so that other programs can spoil it
}

// check is a row that passes when ok.
func check(ok bool, name, target, measured string, a ...any) row {
	r := row{name: name, target: target, measured: fmt.Sprintf(measured, a...), verdict: fail}
	if ok {
		r.verdict = pass
	}
	return r
}

// checkTime is check for a measure of time.
func checkTime(ok bool, name, target, measured string, a ...any) row {
	r := check(ok, name, target, measured, a...)
	r.timed = true
	return r
}

// load is one run: how much, and where things lie.
type load struct {
	sizes
	dir, cache  string // of this run; kept between runs
	aoctl, hook string // the programs
	standin     string // the stand-in for Claude Code
}

func main() {
	if code, ok := child(); ok {
		os.Exit(code)
	}
	var l load
	less := flag.Bool("short", false, "a minute of all cases with smaller counts, the same checks")
	only := flag.String("only", "", "run these cases only, comma-separated: waiting, processes, steady, greedy, slow, million, runs")
	minutes := flag.Float64("minutes", 0, "let the steady calls come for so long instead of 10 minutes")
	limit := flag.Duration("limit", 30*time.Minute, "give up after this long")
	flag.StringVar(&l.aoctl, "aoctl", "", "the aoctl program (required)")
	flag.StringVar(&l.hook, "hook", "", "the aoctl-hook program (required)")
	flag.StringVar(&l.standin, "standin", "", "the stand-in for Claude Code (required)")
	flag.IntVar(&l.runs, "runs", 0, "hold so many sessions at once instead of 200, or 20 with -short")
	flag.StringVar(&l.cache, "cache", filepath.Join(os.TempDir(), fmt.Sprintf("aoctl-load-cache-%d", os.Getuid())), "keep the long log in this folder between runs")
	flag.Parse()
	asked := l.runs
	l.sizes = full
	if *less {
		l.sizes = short
	}
	if asked > 0 {
		l.runs = asked
	}
	if *minutes > 0 {
		l.steady = time.Duration(*minutes * float64(time.Minute))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit+l.steady)
	defer cancel()
	if err := l.run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// child does the work of the broker's process. A console lets fewer calls wait than one
// case needs, and a crowd comes faster than sessions may ask.
func child() (code int, is bool) {
	o := service.Options{MaxPending: 2 * full.waiting, Rate: -1}
	return host.Child(o, map[string]host.Command{"operator": watchAndDecide, "rule": saveRule, "verdicts": decideEach})
}

// run runs the cases and prints the table. It is an error when one of them has not
// passed.
func (l *load) run(ctx context.Context, only string) error {
	if l.aoctl == "" || l.hook == "" || l.standin == "" {
		return errors.New("-aoctl, -hook and -standin are needed; use scripts/load.sh")
	}
	dir, err := os.MkdirTemp("", "aoctl-load")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	if l.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("resolve the folder: %w", err)
	}
	var rows []row
	for _, c := range []struct {
		name string
		run  func(context.Context) ([]row, error)
	}{
		{"waiting", l.manyWaiting},
		{"processes", l.manyProcesses},
		{"steady", l.steadyCalls},
		{"greedy", l.oneGreedySession},
		{"slow", l.slowPeers},
		{"million", l.longLog},
		{"runs", l.manyRuns},
	} {
		if only != "" && !strings.Contains(","+only+",", ","+c.name+",") {
			continue
		}
		fmt.Fprintf(os.Stderr, "load: %s\n", c.name)
		before, err := readUsage()
		if err != nil {
			return err
		}
		got, err := c.run(ctx)
		if err != nil {
			got = append(got, check(false, c.name, "runs to its end", "%v", err))
		}
		foreign, err := foreignSince(before)
		if err != nil {
			return err
		}
		excuse(got, foreign)
		for _, r := range got {
			fmt.Fprintf(os.Stderr, "  %s  %s: %s\n", r.verdict, r.name, r.measured)
		}
		fmt.Fprintf(os.Stderr, "  %.0f s; other programs took %.0f %% of the processors\n", time.Since(before.at).Seconds(), 100*foreign)
		rows = append(rows, got...)
	}
	if rows == nil {
		return fmt.Errorf("no case is called %q", only)
	}
	return conclude(rows)
}

func conclude(rows []row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CASE\tTARGET\tMEASURED\t")
	bad := 0
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.name, r.target, strings.ReplaceAll(r.measured, "\n", " "), r.verdict)
		if r.verdict != pass {
			bad++
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d measures did not pass", bad, len(rows))
	}
	return nil
}
