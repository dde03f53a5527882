// Command verdicts runs the built hook clients, and real agents, under every fault that
// is known to have opened a gate of this kind, and prints what an agent would make of each:
//
//	DENY   the call is refused, in words
//	ALLOW  the call runs because somebody allowed it
//	ASK    the agent asks its own user
//	LEFT   the console says on purpose that the agent decides; only while it observes
//	OPEN   nothing was said, so the call runs: always a defect
//	KNOWN  it runs, and nothing helps against that habit of the agent's (docs/agents.md)
//
// Each fault knows what must come of it, and which words the reason must hold; a control
// between them is a call that must come through, so that a refusal can be told from a
// client that is broken altogether.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		if err := serve(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "verdicts: console's process:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.IntVar(&o.runs, "n", 1000, "how many mixed runs to make after the table of faults")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of the mixed runs and random moments")
	flag.StringVar(&o.programs, "programs", "", "folder with the programs, as verdicts.sh builds it")
	flag.StringVar(&o.only, "only", "", "only faults whose name holds this `TEXT`")
	flag.BoolVar(&o.brief, "q", false, "print only what is not as it must be, and the sums")
	flag.BoolVar(&o.noisy, "v", false, "print what the consoles say on standard error")
	flag.IntVar(&o.jobs, "jobs", 6*runtime.NumCPU(), "how many runs at once; most of them wait")
	flag.Func("agent", "a real agent to run too, as `NAME=PROGRAM`, for cursor the folder of @cursor/sdk; may be repeated", o.addAgent)
	limit := flag.Duration("limit", 20*time.Minute, "give up after this long")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts: FAILED:", err)
		os.Exit(1)
	}
}

type options struct {
	runs     int
	seed     uint64
	programs string
	only     string
	brief    bool
	noisy    bool
	jobs     int
	agents   []realAgent
}

func run(ctx context.Context, o options) error {
	if o.programs == "" {
		return errors.New("-programs is not set; start this with scripts/verdicts.sh")
	}
	l, err := openLab(ctx, o.programs)
	if err != nil {
		return err
	}
	defer l.close()
	l.quiet = !o.noisy
	if len(o.agents) > 0 {
		return runAgents(ctx, l, o)
	}
	faults := slices.DeleteFunc(allFaults(), func(f fault) bool { return !strings.Contains(f.name, o.only) })
	fmt.Printf("%d faults, seed %d\n\n", len(faults), o.seed)
	table := do(ctx, o, planTable(l, faults))
	bad := report(os.Stdout, table, o.brief)
	bad = append(bad, alike(table)...)
	bad = append(bad, runRunner(ctx, l, o)...)
	mixed := do(ctx, o, planMixed(l, faults, o))
	bad = append(bad, mixedReport(os.Stdout, mixed)...)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("not finished: %w", err)
	}
	if len(bad) > 0 {
		return fmt.Errorf("%d not as they must be (seed %d):\n%s", len(bad), o.seed, strings.Join(bad, "\n"))
	}
	return nil
}

func allFaults() []fault {
	return slices.Concat(controls(), causes(), places(), ends(), answers(), inputs(), surroundings(), processes(), clocks())
}

// job is one trial that is still to be made.
type job struct {
	lab    *lab
	fault  *fault
	client client
	form   string
	seed   uint64
}

// forms are the ways in which a fault can be tried: the program itself, and the guarded
// line that agents run.
func (f *fault) forms() []string {
	switch {
	case f.onlyLine:
		return []string{"line"}
	case f.onlyBare:
		return []string{"bare"}
	}
	return []string{"bare", "line"}
}

// planTable tries every fault once with each client in each form.
func planTable(l *lab, faults []fault) []job {
	var jobs []job
	for i := range faults {
		for _, c := range l.clients {
			for _, form := range faults[i].forms() {
				jobs = append(jobs, job{l, &faults[i], c, form, uint64(len(jobs))})
			}
		}
	}
	return jobs
}

// planMixed draws faults, clients, forms and moments.
func planMixed(l *lab, faults []fault, o options) []job {
	random := rand.New(rand.NewPCG(o.seed, 1)) //nolint:gosec // G404: trials, no secrets
	faults = slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return f.slow || f.timeout > 5*time.Second })
	var jobs []job
	for len(jobs) < o.runs && len(faults) > 0 {
		f := &faults[random.IntN(len(faults))]
		jobs = append(jobs, job{l, f, l.clients[random.IntN(len(l.clients))], f.forms()[random.IntN(len(f.forms()))], random.Uint64()})
	}
	return jobs
}

// do makes the trials, several at once, and returns the results in their order.
func do(ctx context.Context, o options, jobs []job) []result {
	results := make([]result, len(jobs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(o.jobs, len(jobs)) {
		workers.Go(func() {
			for i := range next {
				j := jobs[i]
				results[i] = try(ctx, j.lab, j.fault, j.client, j.form, rand.New(rand.NewPCG(o.seed, j.seed))) //nolint:gosec // G404: random moments
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}
