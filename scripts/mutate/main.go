// Command mutate puts small defects into packages, one at a time, and wants their tests to
// notice: a condition turned around, half of an "and" left out, a bound moved by one, a
// statement or a word of a table left out. It touches no file; all defects of a package are
// compiled into one program, and each run of it switches one of them on.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// packages are those that compute without input and output, each with those whose tests
// look at it, too.
var packages = map[string][]string{
	"tui/safe":               nil,
	"broker/agents":          nil,
	"broker/risk":            {"broker/rules"},
	"broker/risk/brings":     {"broker/risk", "broker/rules"},
	"broker/risk/cmdline":    {"broker/risk", "broker/risk/brings", "broker/risk/commands"},
	"broker/risk/commands":   {"broker/risk"},
	"broker/risk/pathtable":  {"broker/risk"},
	"broker/rules":           {"broker/rules/rulesfile", "broker/rules/claude"},
	"broker/rules/patterns":  {"broker/rules"},
	"broker/rules/claude":    nil,
	"broker/rules/history":   nil,
	"broker/rules/rulesfile": nil,
	"broker/shell":           {"broker/rules"},
	"broker/shell/command":   {"broker/shell", "broker/rules"},
	"broker/shell/links":     {"broker/shell"},
	"broker/shell/programs":  {"broker/shell/command"},
	"broker/shell/little":    {"broker/shell/command"},
	"broker/shell/plain":     {"broker/shell"},
}

// known holds mutants that nobody can notice, or needs to, with the reason.
//
//go:embed known.txt
var known string

type options struct {
	n, jobs int
	all     bool
	seed    uint64
	most    float64
	only    string
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 300, "mutants of each package, half of them in tables where there are so many")
	flag.BoolVar(&o.all, "all", false, "all mutants; takes hours")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the choice")
	flag.Float64Var(&o.most, "most", 5, "fail when more than so many percent live, of all mutants or of a package's where at least 100 are tried")
	flag.StringVar(&o.only, "only", "", "only mutants whose file and words hold this `TEXT`")
	flag.IntVar(&o.jobs, "jobs", 2, "test programs at the same time")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: mutate [flags] [package...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate: FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, names []string) error {
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(packages))
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	var bad []string
	lived, tried := 0, 0
	for _, name := range names {
		name = strings.TrimPrefix(name, "./")
		also, ok := packages[name]
		if !ok {
			return fmt.Errorf("%s is none of the packages that are mutated", name)
		}
		l, n, err := tryPackage(ctx, o, root, name, also)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if n >= enough && percent(l, n) > o.most {
			bad = append(bad, name)
		}
		lived, tried = lived+l, tried+n
	}
	fmt.Printf("together: %d of %d mutants live (%.1f %%)\n", lived, tried, percent(lived, tried))
	if len(bad) > 0 {
		return fmt.Errorf("more than %v %% live in %s", o.most, strings.Join(bad, ", "))
	}
	if percent(lived, tried) > o.most {
		return fmt.Errorf("more than %v %% live", o.most)
	}
	return nil
}

// enough is how many mutants of a package say something about its tests. Where fewer are
// tried, one that lives is chance, and only the share of all packages counts.
const enough = 100

func percent(lived, tried int) float64 { return 100 * float64(lived) / float64(max(tried, 1)) }

// tryPackage tries mutants of a package.
func tryPackage(ctx context.Context, o options, root, pkg string, also []string) (lived, tried int, err error) {
	dir, err := os.MkdirTemp("", "aoctl-mutate")
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b, err := build(ctx, root, dir, pkg, also)
	if err != nil {
		return 0, 0, err
	}
	chosen := choose(o, b.mutants)
	lived = b.try(ctx, o, chosen)
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	fmt.Printf("%s: %d of %d mutants live (%.1f %%), %d in all\n", pkg, lived, len(chosen), percent(lived, len(chosen)), len(b.mutants))
	return lived, len(chosen), nil
}

// choose draws mutants, always the same ones: half of them in code and half in tables.
func choose(o options, list []mutant) []mutant {
	list = slices.DeleteFunc(slices.Clone(list), func(m mutant) bool {
		return strings.Contains(known, "\n"+m.name()+"\n") || !strings.Contains(m.name(), o.only)
	})
	if o.all || len(list) <= o.n {
		return list
	}
	random := rand.New(rand.NewPCG(o.seed, 0)) //nolint:gosec // G404: a choice of tests
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var code, tables []mutant
	for _, m := range list {
		if m.table {
			tables = append(tables, m)
		} else {
			code = append(code, m)
		}
	}
	half := min(len(tables), max(o.n/2, o.n-len(code)))
	return append(code[:o.n-half], tables[:half]...)
}

// try prints the mutants that no test notices, and returns how many they are.
func (b *built) try(ctx context.Context, o options, list []mutant) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	living := 0
	next := make(chan mutant)
	for range o.jobs {
		wg.Go(func() {
			for m := range next {
				if ctx.Err() != nil || b.noticed(ctx, m.id) {
					continue
				}
				mu.Lock()
				living++
				fmt.Printf("%s:%d: lives: %s: %s\n", m.file, m.line, m.function, m.what)
				mu.Unlock()
			}
		})
	}
	for _, m := range list {
		next <- m
	}
	close(next)
	wg.Wait()
	return living
}

// noticed reports whether a test fails when a mutant is on.
func (b *built) noticed(ctx context.Context, id int) bool {
	for _, s := range b.stages {
		if s.reached[id] != 0 && !s.passes(ctx, id) {
			return true
		}
	}
	return false
}
