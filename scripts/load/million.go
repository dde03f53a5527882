//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// longLog opens a console over a long log, looks into its history, and verifies it.
func (l *load) longLog(ctx context.Context) ([]row, error) {
	const startWithin, pageWithin, verifyWithin = 2 * time.Second, 100 * time.Millisecond, time.Minute
	home := filepath.Join(l.dir, "million")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	if err := longDatabase(ctx, l.cache, filepath.Join(home, "aoctl.db"), l.events); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("log of %d events: ", l.events)
	drawn, hooked, pages, err := l.overLongLog(ctx, home)
	if err != nil {
		return nil, err
	}
	rows := []row{checkTime(max(drawn, hooked) <= startWithin, name+"start", "within 2 s",
		"first screen after %.2f s, first hook answered after %.2f s", drawn.Seconds(), hooked.Seconds())}
	for _, p := range pages {
		rows = append(rows, checkTime(p.took <= pageWithin, name+p.name, "within 100 ms", "%.0f ms", ms(p.took)))
	}
	began := time.Now()
	out, err := l.program(ctx, home, "log", "verify")
	took := time.Since(began)
	if err != nil {
		return rows, err
	}
	if !bytes.Contains(out, []byte("events")) {
		return rows, fmt.Errorf("aoctl log verify said %q", out)
	}
	return append(rows, checkTime(took <= verifyWithin, name+"log verify", "within 60 s", "%.1f s", took.Seconds())), nil
}

// page is one look into the history; of several tries the middle one.
type page struct {
	name string
	took time.Duration
}

// overLongLog starts the console, asks it by a real hook, and takes the pages while it
// is there.
func (l *load) overLongLog(ctx context.Context, home string) (drawn, hooked time.Duration, pages []page, err error) {
	c, err := l.openConsole(ctx, filepath.Base(home), 0)
	if err != nil {
		return 0, 0, nil, err
	}
	defer c.Close()
	drawn = c.drawn.Sub(c.Began)
	call, err := l.readCall("first", "toolu_first")
	if err != nil {
		return 0, 0, nil, err
	}
	s, err := l.runHook(ctx, home, call)
	if err != nil {
		return 0, 0, nil, err
	}
	if s.verdict != "ALLOW" {
		return 0, 0, nil, fmt.Errorf("the first hook was told %s: %s", s.verdict, s.reason)
	}
	hooked = s.ended.Sub(c.Began)
	pages, err = l.pages(ctx, c)
	return drawn, hooked, pages, err
}

func (l *load) pages(ctx context.Context, c *console) ([]page, error) {
	session := fmt.Sprintf("5e551017-0000-4000-8000-%012d", logSessions/2)
	lately, err := l.lately(ctx, c.home)
	if err != nil {
		return nil, err
	}
	command := func(args ...string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			began := time.Now()
			out, err := l.program(ctx, c.home, args...)
			if err == nil && bytes.Count(out, []byte("\n")) < 50 {
				err = fmt.Errorf("aoctl %v said only %q", args, out[:min(len(out), 200)])
			}
			return time.Since(began), err
		}
	}
	list := func(path string) func() (time.Duration, error) {
		return func() (time.Duration, error) { return c.get(ctx, path) }
	}
	var pages []page
	for _, p := range []struct {
		name string
		look func() (time.Duration, error)
	}{
		{"history on the screen", func() (time.Duration, error) { return c.history(ctx) }},
		{"events of a session", list("/sessions/" + session + "/events?limit=1000")},
		{"decided calls", list("/approval-requests?status=allowed&limit=1000")},
		{"decided calls of a session", list("/approval-requests?status=allowed&limit=1000&session_id=" + session)},
		{"denied calls, of which there are none", list("/approval-requests?status=denied&limit=1000")},
		{"stats of a session", list("/stats?session_id=" + session)},
		{"aoctl log", command("log")},
		{"aoctl log of the last calls", command("log", "--since", lately)},
		{"aoctl log of a session", command("log", "--session", session)},
	} {
		var took []time.Duration
		for range 5 {
			t, err := p.look()
			if err != nil {
				return pages, fmt.Errorf("%s: %w", p.name, err)
			}
			took = append(took, t)
		}
		pages = append(pages, page{p.name, percentile(took, 50)})
	}
	return pages, nil
}

// lately is when the newest few hundred events began: the log is as old as the cache.
func (l *load) lately(ctx context.Context, home string) (string, error) {
	out, err := l.program(ctx, home, "log", "--json", "--limit", "200")
	if err != nil {
		return "", err
	}
	var events []broker.Event
	if err := json.Unmarshal(out, &events); err != nil || len(events) == 0 {
		return "", fmt.Errorf("aoctl log --json said %q: %w", out[:min(len(out), 200)], err)
	}
	return events[0].At.Format(time.RFC3339), nil
}

// history presses the key for the history and waits until it is drawn.
func (c *console) history(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	began := time.Now()
	if err := c.Press("h"); err != nil {
		return 0, err
	}
	if err := c.WaitFor(ctx, "newest first"); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if err := c.Press("\x1b"); err != nil {
		return 0, err
	}
	return took, c.WaitFor(ctx, "Sessions")
}

// program runs one command of aoctl over the state in home.
func (l *load) program(ctx context.Context, home string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, l.aoctl, args...) //nolint:gosec // G204: a program that the caller built
	cmd.Env = environ(home)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("aoctl %v: %w: %s%s", args, err, out, exit.Stderr)
	}
	return out, err
}
