// Command effects tries that no call passes that does more than its grant.
//
// It has a corpus of command lines, made by attacking each effect: corpus/*.txt, in worlds that
// corpus/*.txt builds as well. For each line it asks package rules, as the broker would, what the
// line does and whether it passes when all that can be granted is granted. Each line that passes runs in a
// project that is made afresh, in bash and, where they may read it differently, in dash and zsh,
// under strace and without a network. What the trace shows is turned into effects again, by the table in
// traced.go. One that was not named before is a defect.
//
// The parts: corpus.go reads the lines, world.go makes projects, judge.go asks the rules, run.go runs, trace.go reads
// what strace wrote, traced.go says what it means, main.go goes through all of it and counts.
//
// It must be root of a namespace without a network, in which /mnt is its own: see
// scripts/effects.sh. What a trace cannot show is not tried: what a program prints, but for the marked
// secrets, and what it would do in another version or on another system.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
)

// options are what main is asked to do.
type options struct {
	filter string // only lines that hold this text
	list   bool   // judge and print, run nothing
	verb   bool   // print lines that ask, too
	jobs   int
}

// result is what became of one line.
type result struct {
	Line
	judged  verdict
	runs    int
	missing bool     // the machine does not have the program
	defects []string // what was traced and not named, one for each
}

func main() {
	var o options
	flag.BoolVar(&o.list, "list", false, "judge the lines and print what they do; run nothing")
	flag.BoolVar(&o.verb, "v", false, "with -list: print the lines that ask, too")
	flag.IntVar(&o.jobs, "jobs", 4, "worlds at a time")
	flag.Parse()
	o.filter = strings.Join(flag.Args(), " ")
	bad, err := try(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "effects:", err)
		os.Exit(2)
	}
	if bad {
		os.Exit(1)
	}
}

// try goes through the corpus and prints what it finds.
func try(o options) (bad bool, err error) {
	began := time.Now()
	groups, err := corpus()
	if err != nil {
		return false, err
	}
	var sum summary
	work := make(chan Group)
	var wait sync.WaitGroup
	for i := range o.jobs {
		w, err := newWorld(fmt.Sprintf("/mnt/w%d", i))
		if err != nil {
			return false, err
		}
		wait.Go(func() {
			for g := range work {
				if err := w.group(g, o, &sum); err != nil {
					sum.fail(err)
				}
			}
		})
	}
	for _, g := range groups {
		for _, part := range g.parts(o.filter, 40) {
			work <- part
		}
	}
	close(work)
	wait.Wait()
	sum.print(time.Since(began))
	return sum.defects > 0, sum.err
}

// summary counts. It is shared by all worlds.
type summary struct {
	mu                                            sync.Mutex
	lines, passing, executed, runs, gone, defects int
	err                                           error
}

func (s *summary) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// add counts a result and prints it when it is a defect.
func (s *summary) add(r result, o options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines++
	s.runs += r.runs
	if r.judged.pass {
		s.passing++
	}
	if r.runs > 0 {
		s.executed++
	}
	if r.missing {
		s.gone++
	}
	if o.list && (r.judged.pass || o.verb) {
		fmt.Printf("%-5t %-22s %-14s %q  %s\n", r.judged.pass, r.judged.set, r.World, r.Text, r.judged.why)
	}
	if len(r.defects) > 0 {
		s.defects++
		fmt.Printf("DEFECT  %q in world %s\n        named:  %s\n", r.Text, r.World, r.judged.set|effects.Of(effects.Look))
		for _, d := range r.defects {
			fmt.Println("        traced:", d)
		}
	}
}

func (s *summary) print(took time.Duration) {
	fmt.Printf("%d lines, %d pass with all grants, %d executed (%d runs; %d want a program that is not here), %d defects, %s\n",
		s.lines, s.passing, s.executed, s.runs, s.gone, s.defects, took.Round(time.Second))
}
