// Command waits has real agents wait for calls that nobody answers, to the end of what
// aoctl promises: how long an agent waits for its hook is shown only by one that did.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/cli/drill"
)

type options struct {
	aoctl         string
	minutes, more float64
	only          []string
}

func main() {
	var o options
	flag.StringVar(&o.aoctl, "aoctl", "", "the program under trial, as waits.sh builds it")
	flag.Float64Var(&o.minutes, "minutes", 11, "how long nobody answers; 0 leaves this out")
	flag.Float64Var(&o.more, "more", 25, "how long nobody answers when more time is given in between; 0 leaves this out")
	flag.Func("agent", "only this agent; may be repeated", func(s string) error {
		o.only = append(o.only, s)
		return nil
	})
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "waits: FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.aoctl == "" {
		return errors.New("-aoctl is not set; start this with scripts/waits.sh")
	}
	programs := find(o.only)
	if len(programs) == 0 {
		return errors.New("no agent was found")
	}
	var errs []error
	for _, r := range []round{
		{limit: minutes(o.minutes)},
		{limit: minutes(o.more), extended: true},
	} {
		if r.limit > 0 && ctx.Err() == nil {
			errs = append(errs, r.all(ctx, o.aoctl, programs))
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

func minutes(n float64) time.Duration { return time.Duration(n * float64(time.Minute)) }

// found is an agent and its program.
type found struct {
	drill.Agent

	program string
}

func find(only []string) []found {
	var list []found
	for _, a := range drill.Agents() {
		if len(only) > 0 && !strings.Contains(" "+strings.Join(only, " ")+" ", " "+a.Name+" ") {
			continue
		}
		program := os.Getenv("AOCTL_E2E_" + strings.ToUpper(a.Name))
		if program == "" {
			program, _ = exec.LookPath(a.Name)
		}
		if program == "" {
			fmt.Printf("%-8s not found, so not tried\n", a.Name)
			continue
		}
		list = append(list, found{a, program})
	}
	return list
}

// all has every agent wait, each at a console of its own, and prints what came of it.
func (r round) all(ctx context.Context, aoctl string, agents []found) error {
	fmt.Printf("%s\n", r)
	var mu sync.Mutex
	var errs []error
	var running sync.WaitGroup
	for _, a := range agents {
		running.Go(func() {
			seen, err := r.wait(ctx, aoctl, a)
			mu.Lock()
			defer mu.Unlock()
			fmt.Println(seen.line(a.Name, err))
			if err == nil {
				err = seen.wrong()
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", a.Name, err))
			}
		})
		select { // they need the processor at their start only
		case <-time.After(3 * time.Second):
		case <-ctx.Done():
		}
	}
	running.Wait()
	return errors.Join(errs...)
}
