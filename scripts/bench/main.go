// Command bench prints how fast aoctl is, as ratios against floors measured in the
// same run: what one program start, one disk sync or one empty answer costs here.
//
// The broker under test runs in a process of its own, so that its memory is
// measured alone; everything lies in a temporary folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

// Sizes of the measurements.
const (
	decided  = 20_000  // decisions from many callers at once, of which up to waiting wait
	waiting  = 10_000  // hooks waiting at once
	recorded = 100_000 // calls that rules are replayed on
)

// often says how often what is short is measured, and of how much.
type often struct {
	hooks     int           // runs of each program
	decisions int           // decisions one at a time
	benchtime string        // of a benchmark of the packages
	count     int           // runs of such a benchmark
	outside   int           // hooks that wait at the real console
	settle    time.Duration // before memory is weighed

	decided, waiting, recorded int // the sizes
}

// row is one line of the table.
type row struct {
	measure, value, floor, ratio, limit string
	met                                 bool
}

// bench is one run: where things lie.
type bench struct {
	dir   string
	often often
}

func main() {
	// The crowd is larger, and asks faster, than a console allows. A part of the room is kept
	// for sessions that have few calls waiting, so there is more room than calls wait.
	options := service.Options{MaxPending: 2 * waiting, Rate: -1}
	if code, ok := host.Child(options, map[string]host.Command{"latency": latency, "throughput": throughput}); ok {
		os.Exit(code)
	}
	if len(os.Args) == 4 && os.Args[1] == crowdArg {
		os.Exit(runCrowd(os.Args[2], os.Args[3]))
	}
	limit := flag.Duration("limit", 4*time.Minute, "give up after this long")
	dir := flag.String("dir", "", "measure in this folder (its disk is what is synced) instead of the temporary one")
	only := flag.String("only", "", "take one measure: hooks, decisions, waiting, outside, served, repaint or rules")
	once := flag.Bool("once", false, "measure everything just once: whether it can be measured, not how fast it is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	o := often{hooks: 250, decisions: 400, benchtime: "1s", count: 3, outside: 5000, settle: 3 * time.Second, decided: decided, waiting: waiting, recorded: recorded}
	if *once {
		o = often{hooks: 1, decisions: 1, benchtime: "1x", count: 1, outside: 100, decided: 500, waiting: 500, recorded: 1000}
	}
	if err := run(ctx, o, *dir, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run takes every measure. One that cannot be taken does not keep the others from
// being printed, but makes the run fail.
func run(ctx context.Context, o often, parent, only string) error {
	dir, err := os.MkdirTemp(parent, "aoctl-bench")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("resolve the folder: %w", err)
	}
	warnIfBusy()
	b := &bench{dir: dir, often: o}
	var rows []row
	var failed []error
	for _, m := range []struct {
		name string
		take func(context.Context) ([]row, error)
	}{
		{"hooks", b.hooks},
		{"decisions", b.decisions},
		{"waiting", b.waiting},
		{"outside", b.outside},
		{"served", b.served},
		{"repaint", b.repaint},
		{"rules", b.rules},
	} {
		if only != "" && only != m.name {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring: %s\n", m.name)
		got, err := m.take(ctx)
		rows = append(rows, got...)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", m.name, err))
			rows = append(rows, row{measure: m.name, value: "not measured"})
		}
	}
	if rows == nil {
		return fmt.Errorf("no measure is called %q", only)
	}
	return errors.Join(append(failed, printTable(rows))...)
}

// warnIfBusy says so when other programs take the processors: ratios bear that,
// figures per second do not.
func warnIfBusy() {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return // not on this platform
	}
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err == nil && load > float64(runtime.NumCPU())/2 {
		fmt.Fprintf(os.Stderr, "note: the machine is busy (load %.1f on %d processors); absolute figures suffer\n", load, runtime.NumCPU())
	}
}

func printTable(rows []row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MEASURE\tVALUE\tFLOOR\tRATIO\tLIMIT\t")
	for _, r := range rows {
		verdict := "NOT MET"
		switch {
		case r.met:
			verdict = "met"
		case r.limit == "":
			verdict = ""
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.measure, r.value, r.floor, r.ratio, r.limit, verdict)
	}
	return w.Flush()
}
