// Command presses is a person with the worst timing: at real consoles, each at a
// pseudo-terminal of its own, it presses keys just before and just after the card
// changes, holds them down, pastes them and resizes the window meanwhile.
//
// Every press and what the terminal had shown by then is noted here, outside of the
// console. A key that decided a call which had not been on the screen for half a second,
// or that was not a single press of a person, is a fault. So that a console that is
// always deaf does not pass, presses that must count are part of the trials.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.trials, "n", 2000, "how many trials")
	flag.IntVar(&o.consoles, "consoles", 12, "how many consoles at a time")
	flag.StringVar(&o.aoctl, "aoctl", "", "path of the aoctl program")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of the random moments")
	limit := flag.Duration("limit", 20*time.Minute, "give up after this long")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "presses: FAILED:", err)
		if errors.Is(err, errVoid) {
			os.Exit(exitVoid)
		}
		os.Exit(1)
	}
}

// errVoid is a run that proves nothing, for consoles that were always deaf would pass it
// too; exitVoid is its exit code.
var errVoid = errors.New("void")

const exitVoid = 3

type options struct {
	trials, consoles int
	aoctl            string
	seed             uint64
}

// tally is what all trials together showed.
type tally struct {
	mu       sync.Mutex
	begun    int
	ran      map[string]int
	decided  map[string]int
	faults   []string
	stalled  int           // trials in which this program got no time to run: they prove nothing
	missed   int           // presses that had to count and did not
	counted  int           // presses that had to count and did
	earliest time.Duration // the shortest time on the screen of a call that a key decided
}

// begin reports whether another trial is wanted, and counts it as running.
func (t *tally) begin(trials int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begun >= trials {
		return false
	}
	t.begun++
	return true
}

func (t *tally) add(kind string, r result, stalled bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if stalled {
		t.stalled++
		t.begun--
		return
	}
	t.ran[kind]++
	if r.decided {
		t.decided[kind]++
	}
	if r.decided && r.shown > 0 && (t.earliest == 0 || r.shown < t.earliest) {
		t.earliest = r.shown
	}
	switch {
	case r.fault != "":
		t.faults = append(t.faults, kind+": "+r.fault)
	case r.due && r.decided:
		t.counted++
	case r.due:
		t.missed++
	}
}

func run(ctx context.Context, o options) error {
	if o.aoctl == "" || o.trials < 1 || o.consoles < 1 {
		return errors.New("-aoctl, -n and -consoles must be set")
	}
	go feelPulse(ctx)
	fmt.Printf("%d trials at %d consoles, seed %d\n", o.trials, o.consoles, o.seed)
	t := &tally{ran: map[string]int{}, decided: map[string]int{}}
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, o.consoles)
	for i := range o.consoles {
		wg.Go(func() {
			moments := rand.New(rand.NewPCG(o.seed, uint64(i))) //nolint:gosec // G404: random moments, no secrets
			failed[i] = work(ctx, o, moments, &next, t)
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return t.conclude(o)
}

// work runs trials at one console until there are enough.
func work(ctx context.Context, o options, moments *rand.Rand, next *atomic.Int64, t *tally) error {
	c, err := openConsole(ctx, o.aoctl)
	if err != nil {
		return err
	}
	defer c.close()
	for t.begin(o.trials) {
		n := next.Add(1)
		tr := &trial{console: c, n: int(n), moments: moments}
		kind := kinds[moments.IntN(len(kinds))]
		start := time.Now()
		r, err := kind.play(ctx, tr)
		if err == nil {
			err = tr.clear(ctx)
		}
		if err != nil {
			return fmt.Errorf("trial %d (%s, seed %d): %w", n, kind.name, o.seed, err)
		}
		t.add(kind.name, r, stalledSince(start))
	}
	return nil
}

func (t *tally) conclude(o options) error {
	for _, kind := range slices.Sorted(maps.Keys(t.ran)) {
		fmt.Printf("%-34s %5d trials, %5d decided\n", kind, t.ran[kind], t.decided[kind])
	}
	fmt.Printf("shortest time on the screen of a call that was decided: %v\n", t.earliest.Round(time.Millisecond))
	fmt.Printf("trials repeated because this machine was too busy to measure: %d\n", t.stalled)
	fmt.Printf("presses that had to count: %d did, %d did not\n", t.counted, t.missed)
	for _, f := range t.faults {
		fmt.Println("FAULT", f)
	}
	switch {
	case len(t.faults) > 0:
		return fmt.Errorf("%d of %d trials decided what they must not (seed %d)", len(t.faults), o.trials, o.seed)
	case t.counted < 10 && t.counted+t.missed > 20, t.missed > t.counted/4:
		return fmt.Errorf("%w: only %d of %d presses that had to count did", errVoid, t.counted, t.counted+t.missed)
	}
	fmt.Println("no key decided a call that had not been shown for half a second")
	return nil
}
