package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// client is one of the two hook clients.
type client struct {
	name  string   // "aoctl hook" or "aoctl-hook"
	words []string // program and what stands before the agent's name
	line  string   // the guarded command line that aoctl installs, with installedTimeout
}

func (c client) program() string { return c.words[0] }

// guarded is the installed line with another deadline.
func (c client) guarded(timeout time.Duration) string {
	line := strings.Replace(c.line, installedTimeout, timeout.String(), 1)
	return strings.Replace(line, installedAtMost, (timeout + moreTime).String(), 1)
}

// pinned is how an installed line names its console.
func pinned(socket string) string { return "--socket '" + socket + "'" }

// installedTimeout is what the lines are installed with; a trial puts its own in its place.
const installedTimeout = "1m1s"

// installedAtMost is how long a line waits when it is promised more time, moreTime beyond its
// timeout once a trial put its own in place of both.
const (
	installedAtMost = "1m2s"
	moreTime        = time.Second
)

// lab is what all trials share: the programs, and one console that allows everything.
type lab struct {
	self    string // this program
	clients []client
	world   *world // the generous console's
	quiet   bool   // what consoles say on stderr is left out
	runner  client // "aoctl run"
	standin string // the stand-in for its agent
	stepped string // an aoctl-hook with a clock that jumps
}

// openLab has aoctl write its hooks, once without aoctl-hook beside it and once with.
func openLab(ctx context.Context, programs string) (*lab, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	l := &lab{self: self, quiet: true, stepped: filepath.Join(programs, "stepped", "aoctl-hook"), standin: filepath.Join(programs, "standin", "claude")}
	l.runner = client{name: "aoctl run", words: []string{filepath.Join(programs, "alone", "aoctl"), "run"}}
	if l.world, err = newWorld(l, nil); err != nil {
		return nil, err
	}
	for _, c := range []client{
		{name: "aoctl hook", words: []string{filepath.Join(programs, "alone", "aoctl"), "hook"}},
		{name: "aoctl-hook", words: []string{filepath.Join(programs, "beside", "aoctl-hook")}},
	} {
		if c.line, err = l.install(ctx, c); err != nil {
			l.close()
			return nil, err
		}
		l.clients = append(l.clients, c)
	}
	if _, err = l.world.serve(allows); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() { l.world.end() }

// install returns the command line that aoctl installs when it lies beside c.
func (l *lab) install(ctx context.Context, c client) (string, error) {
	aoctl := filepath.Join(filepath.Dir(c.program()), "aoctl")
	settings := filepath.Join(l.world.dir, filepath.Base(filepath.Dir(aoctl))+".json")
	cmd := exec.CommandContext(ctx, aoctl, "install", "claude", "--settings", settings, "--timeout", installedTimeout, "--at-most", installedAtMost) //nolint:gosec // G204: the program under trial
	cmd.Env = []string{"HOME=" + l.world.dir, "AOCTL_HOME=" + l.world.home, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("aoctl install: %w: %s", err, out)
	}
	line, err := gateLine(settings)
	if err != nil {
		return "", err
	}
	for _, part := range []string{"'" + c.program() + "'", installedTimeout, "--at-most " + installedAtMost, pinned(l.world.socket)} {
		if !strings.Contains(line, part) {
			return "", fmt.Errorf("aoctl installed a line without %s: %s", part, line)
		}
	}
	return line, nil
}

// gateLine is the command of the hook that decides in an agent's settings.
func gateLine(settings string) (string, error) {
	data, err := os.ReadFile(settings) //nolint:gosec // G304: in our own folder
	if err != nil {
		return "", fmt.Errorf("read the settings: %w", err)
	}
	var s struct {
		Hooks map[string][]struct {
			Hooks []struct{ Command string }
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return "", fmt.Errorf("read the settings: %w", err)
	}
	gates := s.Hooks["PreToolUse"]
	if len(gates) != 1 || len(gates[0].Hooks) != 1 {
		return "", errors.New("aoctl installed no single PreToolUse hook")
	}
	return gates[0].Hooks[0].Command, nil
}
