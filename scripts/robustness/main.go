// Command robustness drives a broker with many clients while it is killed, paused and
// hindered, and checks with a model that every answer that anybody got is one that a
// correct broker may give.
//
// What was asked and answered is recorded here, outside of the broker's process, with
// the times of start and return on one monotonic clock; an operation whose connection
// was lost may have taken effect at any later time, or never. Each session's history is
// checked by porcupine as soon as the session is over, so memory stays bounded however
// long the trial is: the requests one call at a time (callmodel.go), the stop for the
// session as a whole (sessionmodel.go). At the end the database is compared with how
// each request was seen last.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// What robustness exits with.
const (
	exitViolated = 1 // something happened that must not
	exitUsage    = 2
	exitVoid     = 3 // too little was tried to say anything
)

// errVoid is a trial that tried too little.
var errVoid = errors.New("too little was tried")

type options struct {
	minutes     float64
	seed        uint64
	clients     int
	deciders    int
	aoctl, hook string
	keep        bool
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		if err := serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "robustness: broker's process:", err)
			os.Exit(exitViolated)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "mutants" {
		if err := hunt(ctx, os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "robustness:", err)
			os.Exit(exitViolated)
		}
		return
	}
	var o options
	flag.Float64Var(&o.minutes, "minutes", 1, "how long to go on")
	flag.Uint64Var(&o.seed, "seed", rand.Uint64(), "seed of what is done; when it happens is the machine's") //nolint:gosec // G404: no secret
	flag.IntVar(&o.clients, "clients", 10, "agents at a time, each with several calls")
	flag.IntVar(&o.deciders, "deciders", 3, "deciders at a time")
	flag.StringVar(&o.aoctl, "aoctl", "", "path of the aoctl program")
	flag.StringVar(&o.hook, "hook", "", "path of the aoctl-hook program")
	flag.BoolVar(&o.keep, "keep", false, "keep the folder also when all is well")
	flag.Parse()
	if o.aoctl == "" || o.hook == "" || o.minutes <= 0 || o.clients < 1 || o.deciders < 1 {
		fmt.Fprintln(os.Stderr, "robustness: -aoctl and -hook must name programs; -minutes, -clients and -deciders must be positive; start it with scripts/robustness.sh")
		os.Exit(exitUsage)
	}
	os.Exit(run(ctx, o))
}

// run is one whole trial; it returns the exit code.
func run(ctx context.Context, o options) int {
	dir, err := os.MkdirTemp("", "aoctl-robustness")
	if err != nil {
		fmt.Fprintln(os.Stderr, "robustness: make a folder:", err)
		return exitViolated
	}
	w := newWorld(o, dir)
	fmt.Printf("robustness: %g minutes, %d agents, seed %d\n", o.minutes, o.clients, o.seed)
	err = w.trial(ctx)
	length := time.Since(w.began)
	w.tally.print(os.Stdout, length)
	if err == nil && !o.keep {
		err = os.RemoveAll(dir)
	}
	switch {
	case errors.Is(err, errVoid):
		fmt.Printf("VOID: %v\n", err)
		_ = os.RemoveAll(dir)
		return exitVoid
	case err != nil:
		fmt.Printf("VIOLATED (seed %d): %v\n", o.seed, err)
		fmt.Printf("the database, the broker's log and the history are kept in %s\n", dir)
		return exitViolated
	}
	fmt.Println("PASSED: every history is one that a correct broker may have")
	return 0
}

// watchers are consoles that only look on.
const watchers = 2

// trial does everything and returns the first violation.
func (w *world) trial(ctx context.Context) error {
	err := os.Mkdir(w.home, 0o700)
	if err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	if err := w.begin(rand.New(rand.NewPCG(w.o.seed, 0))); err != nil { //nolint:gosec // G404: no secret
		return err
	}
	work, stop := context.WithCancel(ctx)
	w.stop = stop
	defer stop()
	length := time.Duration(w.o.minutes * float64(time.Minute))
	asking, enough := context.WithTimeout(work, length)
	defer enough()
	deciding, decided := context.WithCancel(work)
	defer decided()

	var agents, others sync.WaitGroup
	if w.console, err = w.attach(); err != nil {
		return err
	}
	for range watchers {
		c, err := w.attach()
		if err != nil {
			return err
		}
		others.Go(func() { w.watch(deciding, c) })
	}
	for i := range w.o.clients {
		agents.Go(func() { w.agent(asking, work, uint64(i)) }) //nolint:gosec // G115: a small count
	}
	for i := range w.o.deciders {
		others.Go(func() { w.decider(deciding, uint64(i)) }) //nolint:gosec // G115: a small count
	}
	others.Go(func() { w.follow(deciding, &w.feed) })
	others.Go(func() { w.trouble(asking) })
	agents.Wait()
	decided()
	others.Wait()
	if ctx.Err() != nil {
		_ = w.end(syscall.SIGKILL)
		return fmt.Errorf("interrupted: %w", ctx.Err())
	}
	err = w.end(syscall.SIGTERM)
	if bad := w.violation(); bad != nil {
		return bad
	}
	if err != nil {
		return err
	}
	return w.conclude(ctx, length)
}

// conclude looks at what is left on the disk.
func (w *world) conclude(ctx context.Context, length time.Duration) error {
	if err := w.verifyLog(ctx); err != nil {
		return err
	}
	events, err := w.compare(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("feed        %d events, none missed, none told twice\n", len(w.feed.told))
	fmt.Printf("database    %d events verified, %d requests as they were seen last, one end each\n", events, len(w.finals))
	if little := w.tally.tooLittle(length); len(little) > 0 {
		return fmt.Errorf("%w: %v", errVoid, little)
	}
	return nil
}
