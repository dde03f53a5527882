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
	"runtime"
	"strings"
	"sync"
	"time"
)

// errCannot is returned where this machine lacks what the trial needs.
var errCannot = errors.New("cannot run here")

type options struct {
	lines  int // that are run in every shell
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
	flag.IntVar(&o.lines, "lines", 1_000_000, "lines that are run in every shell")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "of the lines")
	flag.BoolVar(&o.short, "short", false, "some lines, always the same")
	flag.BoolVar(&o.defect, "defect", false, "leave the strict reader out: the trial must find something")
	flag.IntVar(&o.most, "most", 20, "failures that are shown")
	flag.Parse()
	if o.short {
		o.lines, o.seed = 1_500, 7
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

// batch is how many lines a shell runs before it is started anew, and alone how many of
// every hundredth batch go in by -c, one line a shell: eval must not read otherwise.
const (
	batch = 250
	alone = 50
)

// run makes lines and runs them, in as many sandboxes as there are processors.
func run(o options, out io.Writer) error {
	seeds, err := seedLines()
	if err != nil {
		return err
	}
	var boxes []*sandbox
	defer func() {
		for _, b := range boxes {
			b.close()
		}
	}()
	for range runtime.NumCPU() {
		box, err := newSandbox(programNames(seeds))
		if err != nil {
			return err
		}
		boxes = append(boxes, box)
	}
	fmt.Fprintf(out, "seed %d; %s; not here: %s\n", o.seed, strings.Join(boxes[0].names(), ", "), strings.Join(boxes[0].missing, ", "))
	t := trial{options: o, g: newGenerator(o, seeds), c: comparison{out: out, most: o.most}, told: time.Now()}
	start := time.Now()
	if err := t.inAll(boxes); err != nil {
		return err
	}
	c := t.c
	fmt.Fprintf(out, "%d lines in %d shells made %d runs and %d calls in %s: %d unnamed (%d lines were made to get them)\n",
		t.g.kept, len(boxes[0].shells), c.runs, c.calls, time.Since(start).Round(time.Second), c.failures, t.g.made)
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

// trial is what the sandboxes share.
type trial struct {
	options
	made  sync.Mutex // g and batches
	g     *generator
	batch int
	told  time.Time

	compared sync.Mutex
	c        comparison
}

// inAll runs batches in all sandboxes until there were enough lines.
func (t *trial) inAll(boxes []*sandbox) error {
	errs := make([]error, len(boxes))
	var wg sync.WaitGroup
	for i, b := range boxes {
		wg.Go(func() {
			for errs[i] == nil {
				lines, n := t.next()
				if len(lines) == 0 {
					return
				}
				errs[i] = t.in(b, lines, n)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// next makes a batch of lines and numbers it.
func (t *trial) next() ([]line, int) {
	t.made.Lock()
	defer t.made.Unlock()
	n := t.batch
	t.batch++
	return t.g.lines(min(batch, t.lines-t.g.kept)), n
}

// in runs a batch in every shell.
func (t *trial) in(b *sandbox, lines []line, n int) error {
	for i, sh := range b.shells {
		these, each := lines, n%100 == i
		if each {
			these = lines[:min(alone, len(lines))]
		}
		calls, err := b.run(sh, these, each)
		if err != nil {
			return err
		}
		t.compared.Lock()
		t.c.compare(sh.name, these, calls)
		if time.Since(t.told) > time.Minute {
			t.told = time.Now()
			fmt.Fprintf(t.c.out, "%d runs, %d calls, %d unnamed\n", t.c.runs, t.c.calls, t.c.failures)
		}
		t.compared.Unlock()
	}
	return nil
}
