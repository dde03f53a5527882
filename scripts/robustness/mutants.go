package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mutant is a deliberate defect of the product. A trial of a minute must find it; one
// that is not found says that the checker is blind there.
type mutant struct {
	name  string
	edits []edit
	void  string // what a trial misses because of it; such a trial is void
}

// edit replaces text that occurs exactly once in a file.
type edit struct{ file, from, to string }

var mutants = []mutant{
	{"a decision is acknowledged before it is recorded", []edit{
		{"broker/engine/loop.go", "\t\t\terr = l.record(ctx, list)\n", "\t\t\tif _, decides := jobs[0].in.(Decide); decides {\n\t\t\t\tgo func() { time.Sleep(50 * time.Millisecond); _ = l.record(ctx, list) }()\n\t\t\t} else {\n\t\t\t\terr = l.record(ctx, list)\n\t\t\t}\n"},
	}, ""},
	{"whoever decides last wins", []edit{
		{"broker/engine/decide.go", "\tcase c.Req.State.Terminal():\n\t\treturn in.late(s, now, c)\n", "\tcase c.Req.State.Terminal():\n\t\to := d.Outcome()\n\t\to.At = broker.Instant(now)\n\t\tc = s.edit(c)\n\t\tc.own().State, c.own().Outcome = o.State, &o\n\t\treturn Reply{Call: *c.Req, Done: true}\n"},
	}, ""},
	{"a stop does not speak about later calls", []edit{
		{"broker/session.go", "{ return s == SessionStopping || s == SessionStopped }", "{ return false }"},
	}, ""},
	{"a stop is not recorded", []edit{
		{"broker/engine/stop.go", "\t\ts.save(se, now, events...)\n", "\t\ts.save(se, now, events...)\n\t\tif n := len(s.change.Sessions); n > 0 {\n\t\t\ts.change.Sessions[n-1].State = broker.SessionActive\n\t\t}\n"},
	}, ""},
	{"another call under a known id gets the known answer", []edit{
		{"broker/question.go", "\treturn r.Digest == q.Digest && r.SessionID", "\treturn r.SessionID"},
	}, ""},
	{"a deadline is forgotten over a pause", []edit{
		{"broker/engine/phase.go", "!now.Before(c.Clock.deadline)\n", "now.Sub(c.Clock.deadline) > time.Second\n"},
		{"broker/engine/deadline.go", "\t\ts.emit(Timer{in.ID, c.Clock.deadline})\n", "\t\ts.emit(Timer{in.ID, c.Clock.deadline.Add(1100 * time.Millisecond)})\n"},
	}, ""},
	{"a grant is not used up", []edit{
		{"broker/engine/ask.go", "\t\ts.grants.Drop(grantKey(c.Req.SessionID, c.Req.SubagentID, c.Req.Digest))\n\t\ts.change.UseGrant = &broker.GrantUse{ID: used.grant, By: c.Req.ID}\n", ""},
	}, ""},
	{"the hook lets the call run when the console is gone", []edit{
		{"hookclient/reasons.go", "\treturn exitRefused\n}", "\treturn exitAnswered\n}"},
	}, ""},
	{"a repeated question is accepted before it is recorded", []edit{
		{"broker/engine/loop.go", "\t\tvar err error\n\t\tif len(list) > 0 {\n", "\t\tfor _, st := range steps {\n\t\t\tfor _, e := range st.effects {\n\t\t\t\t_, asks := st.in.(Ask)\n\t\t\t\tif r, is := e.(*Reply); is && asks && r.Look == nil {\n\t\t\t\t\tst.answer(r)\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t\tvar err error\n\t\tif len(list) > 0 {\n"},
	}, ""},
	{"cards whose hook is dead stay", []edit{
		{"broker/engine/asker.go", "\t\t\tif c.Asker.bound && in.away(", "\t\t\tif false && in.away("},
	}, "cancelled calls"},
}

// seeds is how often a mutant is tried before it counts as not found.
const seeds = 2

// hunt builds each mutant of the sources in the working directory and looks whether a
// trial finds it. The sources stay as they are: the compiler is given changed copies.
func hunt(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mutants", flag.ExitOnError)
	minutes := flags.Float64("minutes", 1, "how long one trial goes on")
	only := flags.String("only", "", "a part of the names of those to try")
	_ = flags.Parse(args) // it exits
	dir, err := os.MkdirTemp("", "aoctl-mutants")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	blind := 0
	for _, m := range mutants {
		if !strings.Contains(m.name, *only) {
			continue
		}
		how, err := m.try(ctx, dir, *minutes)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if how == "" {
			blind++
			how = "NOT FOUND"
		}
		fmt.Printf("%-58s %s\n", m.name, how)
	}
	if blind > 0 {
		return fmt.Errorf("%d defects were not found", blind)
	}
	return nil
}

// try returns how m was found, "" when it was not.
func (m mutant) try(ctx context.Context, dir string, minutes float64) (string, error) {
	overlay, err := m.overlay(dir)
	if err != nil {
		return "", err
	}
	for program, pkg := range map[string]string{"robustness": "./scripts/robustness", "aoctl": ".", "aoctl-hook": "./hookclient/aoctl-hook"} {
		build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", filepath.Join(dir, program), pkg) //nolint:gosec // G204: our own sources
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	for seed := range seeds {
		began := time.Now()
		trial := exec.CommandContext(ctx, filepath.Join(dir, "robustness"), "-minutes", fmt.Sprint(minutes), "-seed", fmt.Sprint(seed+1), //nolint:gosec // G204: just built
			"-aoctl", filepath.Join(dir, "aoctl"), "-hook", filepath.Join(dir, "aoctl-hook"))
		trial.Env = append(os.Environ(), "TMPDIR="+dir)
		out, err := trial.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			continue
		}
		word := "VIOLATED"
		if exit.ExitCode() == exitVoid && m.void != "" && bytes.Contains(out, []byte(m.void)) {
			word = "VOID"
		}
		_, words, is := bytes.Cut(out, []byte(word))
		if !is {
			continue
		}
		line, _, _ := strings.Cut(string(words), "\n")
		return fmt.Sprintf("found in %s:%s", time.Since(began).Round(time.Second), line), nil
	}
	return "", nil
}

// overlay writes changed copies and the list that go build takes.
func (m mutant) overlay(dir string) (string, error) {
	replace := map[string]string{}
	for _, e := range m.edits {
		from, err := filepath.Abs(e.file)
		if err != nil {
			return "", err
		}
		to, changed := replace[from]
		if !changed {
			to = from
			replace[from] = filepath.Join(dir, strings.ReplaceAll(e.file, "/", "_"))
		}
		text, err := os.ReadFile(to) //nolint:gosec // G304: our own sources
		if err != nil {
			return "", fmt.Errorf("read the source: %w", err)
		}
		if n := strings.Count(string(text), e.from); n != 1 {
			return "", fmt.Errorf("%s has %q %d times, it must be there once: bring the mutant up to date", e.file, e.from, n)
		}
		if err := os.WriteFile(replace[from], []byte(strings.Replace(string(text), e.from, e.to, 1)), 0o600); err != nil { //nolint:gosec // G703: in our own folder
			return "", fmt.Errorf("write the mutant: %w", err)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("list the changed files: %w", err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, list, 0o600); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	return path, nil
}
