package hookclient

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var errHidden = errors.New("hidden")

// family are processes, each the parent of the one before; nil is one that cannot be seen.
func family(lines ...[]string) func(int) (ancestor, error) {
	return func(pid int) (ancestor, error) {
		args := lines[pid-1]
		if args == nil {
			return ancestor{}, errHidden
		}
		parent := pid + 1
		if pid == len(lines) {
			parent = 0
		}
		return ancestor{parent, args}, nil
	}
}

func TestStartedWith(t *testing.T) {
	flags := []string{"--acp", "--experimental-acp"}
	shell, plain := []string{"bash", "-c", "aoctl-hook gemini"}, []string{"node", "gemini", "-p", "what is --acp good for"}
	for name, tt := range map[string]struct {
		above [][]string
		want  string
		err   bool
	}{
		"a terminal":              {[][]string{shell, plain, {"bash"}, {"init"}}, "", false},
		"an editor":               {[][]string{shell, {"node", "gemini", "--acp"}, {"editor"}}, "--acp", false},
		"the old name":            {[][]string{shell, {"node", "gemini", "--experimental-acp"}}, "--experimental-acp", false},
		"a value":                 {[][]string{shell, {"node", "gemini", "--acp=true"}}, "--acp", false},
		"started again":           {[][]string{shell, {"node", "gemini"}, {"node", "gemini", "--yolo", "--acp"}}, "--acp", false},
		"a longer flag":           {[][]string{shell, {"node", "gemini", "--acpx"}}, "", false},
		"a hidden agent":          {[][]string{shell, nil, {"bash"}}, "", true},
		"an agent without words":  {[][]string{shell, {}, {"bash"}}, "", true},
		"a hidden login above":    {[][]string{shell, plain, nil}, "", false},
		"an agent that has ended": {[][]string{{"init"}}, "", true},
	} {
		got, err := startedWith(flags, 1, family(tt.above...))
		if got != tt.want || (err != nil) != tt.err {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Attack: an editor starts its agent in a mode in which it asks about no call. The hook
// before the prompt sees that by the agent's arguments, and the prompt goes nowhere. In
// any other mode the console is only told, and without one the prompt passes.
func TestPromptUnderEditor(t *testing.T) {
	if os.Getenv("AOCTL_TEST_HOOK") != "" {
		os.Exit(Run(t.Context(), []string{"gemini", "--socket", "/nowhere/broker.sock", "--timeout", "1s", "--not-under", "--acp,--experimental-acp"},
			strings.NewReader(`{"hook_event_name":"BeforeAgent"}`), os.Stdout, os.Stderr))
	}
	agent := filepath.Join(t.TempDir(), "agent")
	must(t, os.WriteFile(agent, []byte("#!/bin/sh\nsh -c '{ \"$HOOK\" -test.run=TestPromptUnderEditor || exit 2; }'\n"), 0o700))
	for flag, want := range map[string]struct {
		code           int
		stdout, stderr string
	}{
		"--yolo": {0, "{}\n", ""},
		"--acp":  {2, "", "started with --acp"},
	} {
		run := exec.CommandContext(t.Context(), agent, flag)
		run.Env = append(os.Environ(), "AOCTL_TEST_HOOK=1", "HOOK="+os.Args[0])
		var stdout, stderr strings.Builder
		run.Stdout, run.Stderr = io.Writer(&stdout), io.Writer(&stderr)
		_ = run.Run() // the exit code is looked at
		if code := run.ProcessState.ExitCode(); code != want.code || stdout.String() != want.stdout || !strings.Contains(stderr.String(), want.stderr) {
			t.Errorf("%s: exit %d, %q, %q", flag, code, stdout.String(), stderr.String())
		}
	}
}
