// Command shells checks what broker/shell reads in a command line against what shells do
// with it. It makes lines (lines.go), keeps those that a rule with a wildcard could allow, runs
// them in every shell in a sandbox whose only programs are recorders (sandbox.go), and compares each
// call with the commands that were read (compare.go).
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// errCannot is returned where this machine lacks what the trial needs.
var errCannot = errors.New("cannot run here")

type options struct {
	runs   int // of a line in a shell
	seed   uint64
	short  bool
	defect bool
	most   int // failures that are shown
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == insideArg {
		fmt.Fprintln(os.Stderr, insideArg, inside(os.Args[2:]))
		os.Exit(126)
	}
	var o options
	flag.IntVar(&o.runs, "runs", 1_000_000, "runs of a line in a shell")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "of the lines")
	flag.BoolVar(&o.short, "short", false, "some thousand runs, always the same")
	flag.BoolVar(&o.defect, "defect", false, "leave the strict reader out: the trial must find something")
	flag.IntVar(&o.most, "most", 20, "failures that are shown")
	flag.Parse()
	if o.short {
		o.runs, o.seed = 6_000, 7
	}
	err := run(o, os.Stdout)
	switch {
	case errors.Is(err, errCannot):
		fmt.Println("SKIPPED:", err)
	case err != nil:
		fmt.Fprintln(os.Stderr, "shells:", err)
		os.Exit(1)
	}
}

// batch is how many lines a shell runs before it is started anew.
const batch = 250

// run makes lines and runs them until there were enough runs.
func run(o options, out io.Writer) error {
	seeds, err := seedLines()
	if err != nil {
		return err
	}
	box, err := newSandbox(programNames(seeds))
	if err != nil {
		return err
	}
	defer box.close()
	fmt.Fprintf(out, "seed %d; %s; not here: %s\n", o.seed, strings.Join(box.names(), ", "), strings.Join(box.missing, ", "))
	g := newGenerator(o, seeds)
	c := comparison{out: out, most: o.most}
	start, told := time.Now(), time.Now()
	for round := 0; c.runs < o.runs; round++ {
		lines := g.lines(batch)
		for i, sh := range box.shells {
			these, each := lines, round%100 == i // some go in by -c, one line a shell: eval must not read otherwise
			if each {
				these = lines[:batch/5]
			}
			calls, err := box.run(sh, these, each)
			if err != nil {
				return err
			}
			c.compare(sh.name, these, calls)
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			fmt.Fprintf(out, "%d runs, %d calls, %d unnamed\n", c.runs, c.calls, c.failures)
		}
	}
	fmt.Fprintf(out, "%d runs of %d lines made %d calls in %s: %d unnamed (%d lines were made, %d of them plain)\n",
		c.runs, g.kept, c.calls, time.Since(start).Round(time.Second), c.failures, g.made, g.kept)
	switch {
	case c.calls < c.runs/4:
		return fmt.Errorf("only %d calls were recorded: the trial does not see what runs", c.calls)
	case o.defect && c.failures == 0:
		return errors.New("the defect was not found")
	case !o.defect && c.failures > 0:
		return fmt.Errorf("%d calls were not named", c.failures)
	}
	return nil
}
