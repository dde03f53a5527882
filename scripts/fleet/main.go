//go:build linux

// Command fleet runs a large fleet on this machine and measures it: three aoctl-fleet processes
// that replicate each message three times, machines with real brokers and stores, sessions whose
// calls come over each broker's socket as from hooks, and consoles, one of which is the real
// `aoctl --fleet` at a terminal.
//
// Machines live in processes of their own, many in each (box.go). Two of these have clocks that are ten minutes off.
// First nothing else happens, and the time from an order to the asker's answer is
// compared with that of the machine's own console. Then as many calls as were asked for come as
// fast as they are answered: rules decide most, people the rest, and sometimes two at once. Then,
// while calls go on, servers are killed and frozen, machines suspended, and the stream is full
// (faults.go). At the end the logs of all machines are compared with the stream, with what
// was ordered, and with what askers were told (check.go).
//
// It prints a line for each measure and promise. Exit 0: all promises were kept; 1: one was broken,
// or with -strict a measure is over its limit; 3: void, because too little happened to say.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

// sizes are how large the fleet is.
type sizes struct {
	machines, perBox, sessions, calls, consoles int
}

// trial is one run.
type trial struct {
	sizes
	limit         time.Duration
	aoctl, server string // programs
	dir           string
	seed          uint64
	strict, keep  bool

	report   report
	world    *world
	servers  *servers
	boxes    []*box
	journal  *journal
	crowd    *crowd
	consoles []*console
	screen   *screenConsole
	sent     map[string]int64 // by machine's id: the events that were in the stream when that was looked at last
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "box" {
		os.Exit(runBox())
	}
	if code, is := host.Child(service.Options{}, nil); is { // what parses for the brokers of a box
		os.Exit(code)
	}
	os.Exit(run())
}

func run() int {
	var t trial
	flag.IntVar(&t.machines, "machines", 200, "how many machines there are")
	flag.IntVar(&t.perBox, "box", 25, "how many of them live in one process")
	flag.IntVar(&t.sessions, "sessions", 2000, "how many sessions there are, on all machines together")
	flag.IntVar(&t.calls, "calls", 50_000, "how many calls they make, before those that come during faults")
	flag.IntVar(&t.sizes.consoles, "consoles", 5, "how many consoles watch; the last is the real one at a terminal")
	minutes := flag.Float64("minutes", 45, "give up after so long")
	flag.Uint64Var(&t.seed, "seed", uint64(time.Now().UnixNano()), "what is drawn")
	flag.BoolVar(&t.strict, "strict", false, "a measure over its limit is a failure, too")
	flag.BoolVar(&t.keep, "keep", false, "keep the folder with logs")
	flag.StringVar(&t.aoctl, "aoctl", "", "the aoctl program (required)")
	flag.StringVar(&t.server, "server", "", "the aoctl-fleet program (required)")
	flag.Parse()
	if t.aoctl == "" || t.server == "" || t.machines < 4 || t.sizes.consoles < 3 || t.sessions < t.machines || t.perBox < 1 {
		fmt.Fprintln(os.Stderr, "fleet: -aoctl and -server are needed, 4 machines, 3 consoles, and a session for each machine; use scripts/fleet.sh")
		return 2
	}
	t.perBox = min(t.perBox, t.machines/4) // one is suspended, two have other clocks
	t.limit = time.Duration(*minutes * float64(time.Minute))
	fmt.Printf("%d machines, %d sessions, %d calls, %d consoles on %d cores; -seed %d\n", t.machines, t.sessions, t.calls, t.sizes.consoles, runtime.NumCPU(), t.seed)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	err := t.run(ctx)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		fmt.Printf("VOID: not done within %s: %v\n", t.limit, err)
		return t.report.conclude(t.strict, 3)
	case err != nil:
		fmt.Printf("VOID: %v\n", err)
		return t.report.conclude(t.strict, 3)
	}
	return t.report.conclude(t.strict, 0)
}

// run runs all phases. An error is about the trial, and not about what is tried.
func (t *trial) run(ctx context.Context) (err error) {
	if err := host.NeedDescriptors(uint64(t.sessions + 64*t.perBox + 2048)); err != nil { //nolint:gosec // not negative
		return err
	}
	if t.dir, err = os.MkdirTemp("", "fleet"); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if t.keep {
		fmt.Println("logs are kept in", t.dir)
	} else {
		defer os.RemoveAll(t.dir)
	}
	defer t.end()
	if err := t.begin(ctx); err != nil {
		return err
	}
	for _, phase := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"quiet", t.quiet},
		{"many calls", t.many},
		{"faults", t.faults},
		{"check", t.check},
	} {
		began := time.Now()
		if err := phase.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
		fmt.Printf("     %s took %.0f s; load average %s\n", phase.name, time.Since(began).Seconds(), loadAverage())
	}
	return nil
}

// loadAverage is how many processes wanted a processor of this machine in the last minute, others' too:
// where that is far more than there are, times say little.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// begin starts everything.
func (t *trial) begin(ctx context.Context) (err error) {
	began := time.Now()
	if t.world, err = newWorld(t.dir, t.sizes); err != nil {
		return err
	}
	if t.servers, err = startServers(ctx, t.server, filepath.Join(t.dir, "servers"), t.world); err != nil {
		return err
	}
	t.journal = newJournal()
	for first := 0; first < t.machines; first += t.perBox {
		b, err := startBox(ctx, t.dir, t.world, first, min(first+t.perBox, t.machines), clockOf(len(t.boxes)))
		if err != nil {
			return err
		}
		t.boxes = append(t.boxes, b)
	}
	t.crowd = newCrowd(t.world, t.sizes, t.journal, rand.New(rand.NewPCG(t.seed, 0))) //nolint:gosec // no secret
	for i := range t.sizes.consoles - 1 {
		c, err := openConsole(ctx, t.world, i, t.journal)
		if err != nil {
			return err
		}
		t.consoles = append(t.consoles, c)
	}
	if t.screen, err = openScreen(ctx, t.aoctl, t.world); err != nil {
		return err
	}
	if err := t.allLive(ctx); err != nil {
		return err
	}
	t.report.told("all machines live on all consoles", "%.1f s after the start", time.Since(began).Seconds())
	return nil
}

// allLive waits until each console has each machine in reach.
func (t *trial) allLive(ctx context.Context) error {
	for _, c := range t.consoles {
		if err := c.until(ctx, func(live int) bool { return live == t.machines }); err != nil {
			return err
		}
	}
	return nil
}

// end ends what was started, in order.
func (t *trial) end() {
	if t.screen != nil {
		t.screen.Close()
	}
	for _, c := range t.consoles {
		c.close()
	}
	for _, b := range t.boxes {
		b.stop()
	}
	if t.servers != nil {
		t.servers.stop()
	}
}

// clockOf is how far the clock of a box is off, in seconds.
func clockOf(box int) int {
	switch box {
	case 1:
		return 600
	case 2:
		return -600
	}
	return 0
}
