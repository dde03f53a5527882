package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/tui/safe"
)

// realAgent is an agent's own program, run against a scripted model.
type realAgent struct {
	drill.Agent

	program string
}

// agentTime bounds one run of an agent.
const agentTime = 6 * time.Minute

// addAgent reads NAME=PROGRAM.
func (o *options) addAgent(text string) error {
	name, program, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("want NAME=PROGRAM")
	}
	a, ok := drill.Named(name)
	if !ok {
		return fmt.Errorf("unknown agent %q", name)
	}
	o.agents = append(o.agents, realAgent{a, program})
	return nil
}

// agentJob is one run of an agent; a nil fault is one without any hook.
type agentJob struct {
	agent  realAgent
	fault  *agentFault
	mode   drill.Mode
	client client
}

func (j agentJob) name() string {
	if j.fault == nil {
		return "control: no hook"
	}
	return j.fault.name
}

func (j agentJob) want() verdict {
	if j.fault == nil {
		return allow
	}
	return cmp.Or(j.fault.want, deny)
}

// plan lists the runs: every agent without a hook in each mode, then under every fault.
func (o options) plan(l *lab) []agentJob {
	faults := slices.DeleteFunc(agentFaults(), func(f agentFault) bool { return !strings.Contains(f.name, o.only) })
	if o.runs < len(faults) { // the short form: the first ones
		faults = faults[:o.runs]
	}
	var jobs []agentJob
	for _, a := range o.agents {
		shown := map[drill.Mode]bool{}
		for i, f := range append([]agentFault{permitted}, faults...) {
			if !f.concerns(a) {
				continue
			}
			if !shown[f.mode] {
				shown[f.mode] = true
				jobs = append(jobs, agentJob{agent: a, mode: f.mode})
			}
			for n := range max(1, f.times) {
				jobs = append(jobs, agentJob{a, &f, f.mode, l.clients[(i+n)%len(l.clients)]})
			}
		}
	}
	return jobs
}

// runAgents makes every agent try its call under every fault. The witness is a file that
// the call would leave. An agent whose call does not run without a hook proves nothing.
func runAgents(ctx context.Context, l *lab, o options) error {
	jobs := o.plan(l)
	slices.SortStableFunc(jobs, func(a, b agentJob) int { return int(b.length() - a.length()) }) // the long ones first
	bad := make([]string, len(jobs))
	opened := 0
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := make(chan int)
	for range min(o.jobs, agentsAtOnce) {
		workers.Go(func() {
			for i := range next {
				line, wrong := jobs[i].run(ctx, l)
				mu.Lock()
				if bad[i] = wrong; wrong != "" || !o.brief {
					fmt.Println(line, wrong)
				}
				if wrong == theCallRan {
					opened++
				}
				mu.Unlock()
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	workers.Wait()
	bad = slices.DeleteFunc(bad, func(s string) bool { return s == "" })
	fmt.Printf("\n%d runs of real agents, %d OPEN, %d not as they must be\n", len(jobs), opened, len(bad))
	if err := errors.Join(ctx.Err()); err != nil || len(bad) > 0 {
		return errors.Join(err, fmt.Errorf("%d runs: %s", len(bad), strings.Join(bad, "; ")))
	}
	return nil
}

const (
	agentsAtOnce = 4
	theCallRan   = "the call ran"
)

// length is how long a run of the job waits.
func (j agentJob) length() time.Duration {
	if j.fault == nil {
		return 0
	}
	return j.fault.waits
}

// run is one run; wrong says what is not as it must be.
func (j agentJob) run(ctx context.Context, l *lab) (line, wrong string) {
	began := time.Now()
	ran, told, err := j.try(ctx, l)
	got := deny
	switch {
	case errors.Is(err, errNotTried):
		got, told = "-", err.Error()
	case err != nil:
		wrong = "the trial failed: " + err.Error()
		got = "VOID"
	case ran && j.want() == allow:
		got = allow
	case ran && j.fault != nil && j.fault.known == j.agent.Name:
		got = known
	case ran:
		got, wrong = open, theCallRan
	case j.want() == allow:
		wrong = "the call did not run, so this agent shows nothing"
	}
	return fmt.Sprintf("%-8s %-11s %-44s %-5s %6d ms  %s", j.agent.Name, j.mode, j.name(), got, time.Since(began).Milliseconds(), safe.Cut(safe.Line(told), 160)), wrong
}
