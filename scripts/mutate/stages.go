package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// stage is the quick or the slow tests of a program. The quick ones notice nearly every
// mutant, so that the slow ones run for few of them.
type stage struct {
	program, dir string
	pick         string // the flag that chooses the tests
	limit        time.Duration
	reached      []byte // by mutant, not 0 when the tests come by it
}

// quick is the longest that a quick test takes.
const quick = 60 * time.Millisecond

// stages are the quick and then the slow tests of programs in which no mutant is on.
func stages(ctx context.Context, programs []stage, mutants int) ([]stage, error) {
	var first, second []stage
	for _, s := range programs {
		out, err := s.output(ctx, 0, "-test.v")
		if err != nil {
			return nil, fmt.Errorf("the tests fail without any defect: %w\n%s", err, out)
		}
		names := slow(string(out))
		for _, flag := range []string{"-test.skip=", "-test.run="} {
			s.pick = flag + names
			if err := s.note(ctx, mutants); err != nil {
				return nil, err
			}
			if flag == "-test.run=" {
				second = append(second, s)
			} else {
				first = append(first, s)
			}
		}
	}
	return slices.Concat(first, second), nil
}

// result is a line that says how long a test took.
var result = regexp.MustCompile(`(?m)^--- PASS: (\w+) \((.+)\)$`)

// slow is an expression for the names of the tests that are not quick.
func slow(out string) string {
	var names []string
	for _, m := range result.FindAllStringSubmatch(out, -1) {
		if took, err := time.ParseDuration(m[2]); err != nil || took > quick {
			names = append(names, m[1])
		}
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// note runs the tests without a mutant, to see which ones they come by and how long they may
// take: who then needs much longer has noticed.
func (s *stage) note(ctx context.Context, mutants int) error {
	notes := s.program + ".reached"
	if err := os.WriteFile(notes, make([]byte, mutants+1), 0o600); err != nil {
		return err
	}
	s.limit = 0 // none
	began := time.Now()
	if out, err := s.output(ctx, 0, "-test.v", "AOCTL_REACHED="+notes); err != nil {
		return fmt.Errorf("the tests fail without any defect: %w\n%s", err, out)
	}
	s.limit = 5*time.Second + 10*time.Since(began)
	var err error
	s.reached, err = os.ReadFile(notes) //nolint:gosec // G304: a file that was just written
	return err
}

// passes reports whether no test fails when a mutant is on.
func (s *stage) passes(ctx context.Context, mutant int) bool {
	_, err := s.output(ctx, mutant, "-test.failfast")
	return err == nil
}

// output runs the tests. A mutant may take all memory that it gets, so it gets little.
func (s *stage) output(ctx context.Context, mutant int, flag string, env ...string) ([]byte, error) {
	const run = `ulimit -v 8000000; exec nice -n 19 "$0" -test.short "$@"`
	args := []string{"-c", run, s.program, flag, "-test.timeout=" + s.limit.String()}
	if s.pick != "" {
		args = append(args, s.pick)
	}
	c := exec.CommandContext(ctx, "sh", args...) //nolint:gosec // G204: a test program that was just built
	c.Dir = s.dir
	c.Env = slices.Concat(os.Environ(), []string{"AOCTL_MUTANT=" + strconv.Itoa(mutant)}, env)
	return c.CombinedOutput()
}
