package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/visit"

	"github.com/aoctl/aoctl/tui/safe"
)

// The runner, "aoctl run", stands between agent and console where a hook client stands
// otherwise. Here it meets the same consoles, with a stand-in for its agent that makes one
// call; the file that the call leaves is the witness.

// runnerFaults are those of the hook clients that are the console's and not the client's.
func runnerFaults() []fault {
	list := slices.Concat(controls(), causes(), places(), ends(), answers())
	list = append(list,
		fault{name: "runner killed while the call waits", prepare: serving(holds), meanwhile: killsRunner(syscall.SIGKILL)},
		fault{name: "runner told to end while the call waits", prepare: serving(holds), meanwhile: killsRunner(syscall.SIGTERM)},
	)
	for i := range list {
		if list[i].want == left { // here as well the agent would go on by itself
			list[i].want = allow
		}
	}
	return list
}

func killsRunner(sig syscall.Signal) func(*world, *running) error {
	return func(_ *world, p *running) error {
		pid, err := p.waiting()
		if err != nil || pid == 0 {
			return errors.Join(err, errors.New("the runner was not found"))
		}
		return syscall.Kill(pid, sig)
	}
}

// runRunner tries every fault once with the runner, several at once.
func runRunner(ctx context.Context, l *lab, o options) []string {
	faults := slices.DeleteFunc(runnerFaults(), func(f fault) bool { return !strings.Contains(f.name, o.only) })
	lines, bad := make([]string, len(faults)), make([]string, len(faults))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(o.jobs, max(1, len(faults))) {
		workers.Go(func() {
			for i := range next {
				lines[i], bad[i] = tryRunner(ctx, l, &faults[i], rand.New(rand.NewPCG(o.seed, uint64(i)))) //nolint:gosec // G404, G115: random moments
			}
		})
	}
	for i := range faults {
		next <- i
	}
	close(next)
	workers.Wait()
	fmt.Printf("\naoctl run, with a stand-in for its agent: %d faults\n", len(faults))
	for i, line := range lines {
		if bad[i] != "" || !o.brief {
			fmt.Println(line, bad[i])
		}
	}
	return slices.DeleteFunc(bad, func(s string) bool { return s == "" })
}

// tryRunner is one trial; wrong says what is not as it must be.
func tryRunner(ctx context.Context, l *lab, f *fault, random *rand.Rand) (line, wrong string) {
	if f.skip != nil {
		if why := f.skip(); why != "" {
			return fmt.Sprintf("skipped %-46s %s", f.name, why), ""
		}
	}
	want := f.want
	if want == "" {
		want = deny
	}
	began := time.Now()
	ran, said, err := runTrial(ctx, l, f, random)
	got := deny
	switch {
	case err != nil:
		got, wrong = "VOID", fmt.Sprintf("%s: the trial failed: %v", f.name, err)
	case ran && (want == allow || f.either):
		got = allow
	case ran:
		got, wrong = open, f.name+": the call ran"
	case want == allow:
		wrong = f.name + ": the call did not run"
	}
	return fmt.Sprintf("%-7s %-46s %5d ms  %s", got, f.name, time.Since(began).Milliseconds(), safe.Cut(safe.Line(said), 120)), wrong
}

// runTrial returns whether the call ran, and what its agent was told of it.
func runTrial(ctx context.Context, l *lab, f *fault, random *rand.Rand) (ran bool, said string, err error) {
	w, err := newWorld(l, random)
	if err != nil {
		return false, "", err
	}
	defer w.end()
	if f.prepare != nil {
		if err := f.prepare(w); err != nil {
			return false, "", err
		}
	}
	timeout := max(f.timeout, runnerTimeout)
	s := &start{client: l.runner, timeout: timeout, env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": w.dir, "AOCTL_HOME": w.home, "TMPDIR": w.dir, "LANG": "C.UTF-8",
		"STANDIN_LOG": filepath.Join(w.dir, "said"),
	}}
	if f.alter != nil {
		f.alter(w, s)
	}
	if err := s.hold(ctx, w, f); err != nil {
		return false, "", err
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "said"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, "", fmt.Errorf("read what the agent saw: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "refused") || strings.HasPrefix(line, "ran") {
			said = line
		}
	}
	_, err = os.Stat(filepath.Join(w.dir, visit.Canary))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, said, fmt.Errorf("look for the file: %w", err)
	}
	return err == nil, said, nil
}

// runnerTimeout is how long the console's answer is waited for.
const runnerTimeout = time.Second

// hold runs the runner to its end.
func (s *start) hold(ctx context.Context, w *world, f *fault) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout+patience)
	defer cancel()
	words := append(slices.Clone(s.client.words), "--timeout", s.timeout.String(), "--", w.lab.standin, "run touch "+visit.Canary)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // G204: the programs under trial
	cmd.Dir, cmd.Env = w.dir, []string{}
	for name, value := range s.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the runner: %w", err)
	}
	p := &running{cmd: cmd, client: s.client, console: w.console, ended: make(chan struct{})}
	var disturbed sync.WaitGroup
	var disturbErr error
	if f.meanwhile != nil {
		disturbed.Go(func() { disturbErr = f.meanwhile(w, p) })
	}
	err := cmd.Wait()
	close(p.ended)
	disturbed.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) || ctx.Err() != nil {
		return fmt.Errorf("the runner: %w: %s", errors.Join(err, ctx.Err()), safe.Cut(safe.Line(out.String()), 300))
	}
	return disturbErr
}
