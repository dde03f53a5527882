//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/scripts/internal/ask"
	"github.com/aoctl/aoctl/scripts/internal/screen"
)

// place is a broker that runs: where its files lie, and how to end it.
type place struct {
	home string
	end  func()
}

func (p place) socket() string { return filepath.Join(p.home, "broker.sock") }

// served compares "aoctl serve" with the console that holds its own broker, in turn: what a call
// costs that a rule allows, and how long a decision takes to reach the hook that waits.
func (b *bench) served(ctx context.Context) ([]row, error) {
	p, err := build(ctx, b.dir)
	if err != nil {
		return nil, err
	}
	project := filepath.Join(b.dir, "served")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return nil, fmt.Errorf("make the project: %w", err)
	}
	file := filepath.Join(project, "main.go")
	if err := os.WriteFile(file, []byte("package main\n"), 0o600); err != nil {
		return nil, fmt.Errorf("make a file: %w", err)
	}
	places := make([]place, 2)
	for i, start := range []func(context.Context, string, string) (place, error){b.console, b.serve} {
		if places[i], err = start(ctx, p.aoctl, filepath.Join(b.dir, "served-"+strconv.Itoa(i))); err != nil {
			return nil, err
		}
		defer places[i].end()
	}
	runs, decisions := make([][]time.Duration, 2), make([][]time.Duration, 2)
	const warmUp = 10
	for i := range b.often.hooks + warmUp {
		for k, at := range places {
			r := hookRunner{
				stdin: filepath.Join(b.dir, "payload.json"),
				call:  ask.Call{Session: "bench-served", Tool: "Read", CWD: project, Input: map[string]any{"file_path": file}},
				env: append(os.Environ(), "AOCTL_HOME="+at.home, "CLAUDECODE=1",
					"CLAUDE_PID="+strconv.Itoa(os.Getpid()), "CLAUDE_PROJECT_DIR="+project),
			}
			took, err := r.run(ctx, []string{p.hook, "claude"}, `"allow"`, fmt.Sprintf("toolu_served_%d", i))
			if err != nil {
				return nil, err
			}
			decided, err := denyOne(ctx, at, fmt.Sprintf("toolu_denied_%d", i))
			if err != nil {
				return nil, err
			}
			if i >= warmUp {
				runs[k], decisions[k] = append(runs[k], took), append(decisions[k], decided)
			}
		}
	}
	return []row{
		against("aoctl serve: hook, call allowed by rule", median(runs[1]), "with a console", median(runs[0]), 1.1),
		against("aoctl serve: from a refusal to the hook's answer", median(decisions[1]), "with a console", median(decisions[0]), 1.1),
	}, nil
}

// console is the broker of a console at a terminal.
func (b *bench) console(ctx context.Context, aoctl, home string) (place, error) {
	s, err := screen.Start(ctx, []string{aoctl, "--no-bell", "--max-rate=0"}, env(home), b.dir)
	if err != nil {
		return place{}, err
	}
	if err := s.WaitFor(ctx, "Sessions"); err != nil {
		s.Close()
		return place{}, err
	}
	return place{home, s.Close}, nil
}

// serve is a broker without a screen.
func (b *bench) serve(ctx context.Context, aoctl, home string) (place, error) {
	cmd := exec.CommandContext(ctx, aoctl, "serve", "--on-empty=wait", "--max-rate=0")
	cmd.Env = env(home)
	if err := cmd.Start(); err != nil {
		return place{}, fmt.Errorf("start aoctl serve: %w", err)
	}
	at := place{home, func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}}
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, err := ask.Client{Socket: at.socket()}.Do(ctx, http.MethodGet, "/status", nil)
		if err == nil {
			return at, nil
		}
		if time.Now().After(until) {
			at.end()
			return place{}, fmt.Errorf("wait for aoctl serve: %w", err)
		}
	}
}

func env(home string) []string {
	_ = os.Mkdir(home, 0o700) // or the broker says what is wrong
	return append(os.Environ(), "AOCTL_HOME="+home, "HOME="+home, "TERM=xterm-256color")
}

// denyOne has a hook wait, refuses its call, and times the way from there to the hook's answer.
func denyOne(ctx context.Context, at place, toolUse string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	client := ask.Client{Socket: at.socket()}
	type result struct {
		at  time.Time
		err error
	}
	heard := make(chan result, 1)
	go func() {
		_, err := client.Hook(ctx, ask.Call{
			Session: "bench-denied", ToolUse: toolUse, Tool: "Bash", CWD: at.home, Input: map[string]any{"command": "make"},
		}, uuid.NewString())
		heard <- result{time.Now(), err}
	}()
	waiting := clients{api: client}
	ids, err := waiting.pending(ctx)
	for ; len(ids) == 0; ids, err = waiting.pending(ctx) {
		if err != nil {
			return 0, err
		}
	}
	time.Sleep(time.Millisecond) // the hook waits by now, and nothing else goes on
	began := time.Now()
	if _, err := client.Do(ctx, http.MethodPost, "/approval-requests/"+ids[0]+"/decide", map[string]string{"decision": "deny", "reason": "bench"}); err != nil {
		return 0, fmt.Errorf("deny: %w", err)
	}
	got := <-heard
	if got.err != nil {
		return 0, fmt.Errorf("wait as a hook: %w", got.err)
	}
	return got.at.Sub(began), nil
}
