// Command threats takes out one protection after the other, in a copy of the source, and
// wants the script of the threat to fail each time: a test that passes without what it
// tests shows nothing.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/tui/safe"
)

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "only mutations whose script and words this `REGEXP` matches")
	flag.IntVar(&o.n, "n", 0, "only so many, always the same ones; 0 is all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "threats: FAILED:", err)
		os.Exit(1)
	}
}

type options struct {
	only string
	n    int
}

// mutation takes one protection out: in file, old becomes now. Old must be there exactly
// once, so that a mutation which no longer fits the source is noticed.
type mutation struct {
	script   string // the test script that must fail, without .txtar
	what     string // the protection that is gone
	file     string
	old, now string
}

func run(ctx context.Context, o options) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	list := slices.DeleteFunc(slices.Clone(mutations), func(m mutation) bool { return !only.MatchString(m.script + " " + m.what) })
	if o.n > 0 && o.n < len(list) {
		list = spread(list, o.n)
	}
	if len(list) == 0 {
		return errors.New("no mutation fits")
	}
	dir, err := os.MkdirTemp("", "aoctl-threats")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := copySource(ctx, dir); err != nil {
		return err
	}
	// All mutations must fit before time is spent on any.
	for _, m := range mutations {
		if _, err := m.apply(dir); err != nil {
			return err
		}
	}
	if err := compile(ctx, dir, mutations); err != nil {
		return err
	}
	if err := whole(ctx, dir, list); err != nil {
		return err
	}
	var bad []string
	for _, m := range list {
		began := time.Now()
		verdict, why, err := m.try(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", m.script, m.what, err)
		}
		fmt.Printf("%-24s %-9s %3d s  without: %s\n%s", m.script, verdict, int(time.Since(began).Seconds()), m.what, why)
		if verdict != noticed {
			bad = append(bad, m.script+" without: "+m.what)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("%d of %d were not noticed:\n  %s", len(bad), len(list), strings.Join(bad, "\n  "))
	}
	fmt.Printf("\n%d protections taken out, one at a time; each was noticed by its script\n", len(list))
	return nil
}

// spread takes n of the list, as far apart as they can be.
func spread(list []mutation, n int) []mutation {
	taken := make([]mutation, n)
	for i := range taken {
		taken[i] = list[i*len(list)/n]
	}
	return taken
}

const (
	noticed  = "noticed"
	survived = "SURVIVED"
	skipped  = "SKIPPED"
)

// copySource copies what belongs to the source, as it is now, into dir.
func copySource(ctx context.Context, dir string) error {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("list the source's files: %w", err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Stat(name)
		if errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue // removed, or a link that no build needs
		}
		data, err := os.ReadFile(name) //nolint:gosec // G304: a file of this source
		if err != nil {
			return fmt.Errorf("copy the source: %w", err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return fmt.Errorf("copy the source: %w", err)
		}
		if err := os.WriteFile(to, data, info.Mode().Perm()); err != nil { //nolint:gosec // G703: in our own folder
			return fmt.Errorf("copy the source: %w", err)
		}
	}
	return nil
}

// apply returns the mutated file's text.
func (m mutation) apply(dir string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, m.file)) //nolint:gosec // G304: in our own folder
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.file, err)
	}
	if n := bytes.Count(data, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("%s, without %q: its text is %d times in %s, not once; bring scripts/threats/mutations.go up to date", m.script, m.what, n, m.file)
	}
	return bytes.Replace(data, []byte(m.old), []byte(m.now), 1), nil
}

// whole wants all the scripts to pass while nothing is taken out.
func whole(ctx context.Context, dir string, list []mutation) error {
	names := make([]string, 0, len(list))
	for _, m := range list {
		names = append(names, regexp.QuoteMeta(m.script))
	}
	out, err := test(ctx, dir, strings.Join(names, "|"))
	if err != nil {
		return fmt.Errorf("the scripts fail with every protection in place: %w\n%s", err, tail(out))
	}
	return nil
}

// try takes the protection out, runs the script, and puts it back. It returns the line on
// which the script failed, so that a failure of another kind is seen.
func (m mutation) try(ctx context.Context, dir string) (verdict, why string, err error) {
	path := filepath.Join(dir, m.file)
	before, err := os.ReadFile(path) //nolint:gosec // G304: in our own folder
	if err != nil {
		return "", "", fmt.Errorf("read %s: %w", m.file, err)
	}
	after, err := m.apply(dir)
	if err != nil {
		return "", "", err
	}
	if err := os.WriteFile(path, after, 0o600); err != nil {
		return "", "", fmt.Errorf("write %s: %w", m.file, err)
	}
	out, failed := test(ctx, dir, regexp.QuoteMeta(m.script))
	if err := os.WriteFile(path, before, 0o600); err != nil { //nolint:gosec // G703: in our own folder
		return "", "", fmt.Errorf("write %s: %w", m.file, err)
	}
	name := suite(m.script) + "/" + m.script
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case strings.Contains(out, "--- FAIL: "+name+" "):
		return noticed, failure(out), nil
	case strings.Contains(out, "panic: test timed out") && strings.Contains(out, "=== RUN   "+name+"\n"):
		return noticed, "    " + m.script + ": it did not end\n", nil
	case strings.Contains(out, "--- SKIP: "+name+" "):
		return skipped, "", nil
	case failed != nil:
		return "", "", fmt.Errorf("the mutated source was not tested: %w\n%s", failed, tail(out))
	}
	return survived, "", nil
}

// suite is the test that has a script: those of fleets need the fleet's server.
func suite(script string) string {
	if strings.HasPrefix(script, "threat-fleet-") {
		return "TestFleetScripts"
	}
	return "TestScripts"
}

// failure is the line that says where a script failed.
func failure(out string) string {
	for line := range strings.Lines(out) {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "FAIL: testdata") {
			return "    " + safe.Cut(safe.Line(strings.TrimPrefix(text, "FAIL: testdata/")), 150) + "\n"
		}
	}
	return ""
}

// test runs scripts in the copy; the last part of the pattern says which.
func test(ctx context.Context, dir, scripts string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-trimpath", "-buildvcs=false", "-count=1", "-v", "-timeout", "3m", "-run", "^Test(Fleet)?Scripts$/^("+scripts+")$", "./scripts/e2e") //nolint:gosec // G204: our own scripts
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a script that hangs leaves programs behind
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if err == nil && !bytes.Contains(out, []byte("Scripts/threat-")) {
		err = errors.New("no script ran")
	}
	return string(out), err
}

func tail(s string) string {
	const most = 3000
	return s[max(0, len(s)-most):]
}
