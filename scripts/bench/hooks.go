package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/ask"
	"github.com/aoctl/aoctl/scripts/internal/host"
)

// hooks compares the hook client, for a call that a rule allows and whose record is
// committed, with a Go program that only prints {}. The three run alternately.
func (b *bench) hooks(ctx context.Context) ([]row, error) {
	programs, err := build(ctx, b.dir)
	if err != nil {
		return nil, err
	}
	h, err := host.Start(ctx, b.dir, "hooks")
	if err != nil {
		return nil, err
	}
	defer h.Stop()
	project := filepath.Join(b.dir, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return nil, fmt.Errorf("make the project: %w", err)
	}
	file := filepath.Join(project, "main.go")
	if err := os.WriteFile(file, []byte("package main\n"), 0o600); err != nil {
		return nil, fmt.Errorf("make a file: %w", err)
	}
	r := hookRunner{
		stdin: filepath.Join(b.dir, "payload.json"),
		call:  ask.Call{Session: "bench-hooks", Tool: "Read", CWD: project, Input: map[string]any{"file_path": file}},
		env: append(os.Environ(), "AOCTL_HOME="+h.Home, "CLAUDECODE=1",
			"CLAUDE_PID="+strconv.Itoa(os.Getpid()), "CLAUDE_PROJECT_DIR="+project),
	}
	kinds := []struct {
		argv []string
		want string // in the answer
	}{
		{[]string{programs.empty}, "{}"},
		{[]string{programs.hook, "claude"}, `"allow"`},
		{[]string{programs.aoctl, "hook", "claude"}, `"allow"`},
	}
	times := make([][]time.Duration, len(kinds))
	const warmUp = 10
	for i := range b.often.hooks + warmUp {
		for k, kind := range kinds {
			took, err := r.run(ctx, kind.argv, kind.want, fmt.Sprintf("toolu_%d_%d", i, k))
			if err != nil {
				return nil, err
			}
			if i >= warmUp {
				times[k] = append(times[k], took)
			}
		}
	}
	floor := median(times[0])
	return []row{
		against("aoctl-hook, call allowed by rule", median(times[1]), "{} program", floor, 1.6),
		against("aoctl hook, call allowed by rule", median(times[2]), "{} program", floor, 2.5),
	}, nil
}

// hookRunner runs programs the way an agent runs a hook.
type hookRunner struct {
	stdin string
	call  ask.Call
	env   []string
}

// run times argv from start to exit with one fresh call on its standard input.
func (r hookRunner) run(ctx context.Context, argv []string, want, toolUse string) (time.Duration, error) {
	r.call.ToolUse = toolUse
	payload, err := r.call.Payload()
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(r.stdin, payload, 0o600); err != nil {
		return 0, fmt.Errorf("write the payload: %w", err)
	}
	in, err := os.Open(r.stdin)
	if err != nil {
		return 0, fmt.Errorf("open the payload: %w", err)
	}
	defer in.Close()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // G204: programs that this one built
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = in, &stdout, &stderr, r.env
	began := time.Now()
	err = cmd.Run()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", filepath.Base(argv[0]), err, stderr.Bytes())
	}
	if !bytes.Contains(stdout.Bytes(), []byte(want)) {
		return 0, fmt.Errorf("%s answered %q instead of %s", filepath.Base(argv[0]), stdout.Bytes(), want)
	}
	return took, nil
}
