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
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// The words for what a hook run means to the agent.
const (
	allow = "ALLOW"
	deny  = "DENY"
	open  = "OPEN"
)

type verdict struct{ word, text string }

func (v verdict) String() string { return v.word + " (" + strings.TrimSpace(v.text) + ")" }

// broker is a running "aoctl broker" with a home of its own.
type broker struct {
	aoctl   string
	root    string // all of it
	home    string // AOCTL_HOME
	project string
	cmd     *exec.Cmd
	n       int      // calls asked
	let     []string // names of the files whose reading was allowed
	mounted bool
}

// start runs a broker, on a file system of so many MiB unless 0.
func start(ctx context.Context, aoctl string, disk int) (*broker, error) {
	root, err := os.MkdirTemp("", "aoctl-faults.")
	if err != nil {
		return nil, err
	}
	b := &broker{aoctl: aoctl, root: root, home: filepath.Join(root, "home"), project: filepath.Join(root, "project")}
	for _, dir := range []string{b.home, b.project, filepath.Join(root, "user")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, errors.Join(err, os.RemoveAll(root))
		}
	}
	if disk > 0 {
		if err := b.mount(disk); err != nil {
			b.remove()
			return nil, err
		}
	}
	if err := b.serve(ctx); err != nil {
		b.remove()
		return nil, err
	}
	return b, nil
}

func (b *broker) mount(disk int) error {
	if err := syscall.Mount("tmpfs", b.home, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0700", disk)); err != nil {
		return fmt.Errorf("%w: cannot mount a file system: %w", errSkip, err)
	}
	b.mounted = true
	return nil
}

// command is aoctl with the broker's home.
func (b *broker) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.aoctl, args...) //nolint:gosec // the program under trial
	cmd.Dir = b.project
	cmd.Env = append(os.Environ(), "AOCTL_HOME="+b.home, "HOME="+filepath.Join(b.root, "user"))
	return cmd
}

func (b *broker) serve(ctx context.Context) error {
	b.cmd = b.command(ctx, "broker")
	b.cmd.Cancel = func() error { return b.cmd.Process.Signal(os.Interrupt) }
	var errs bytes.Buffer
	b.cmd.Stderr = &errs
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := b.cmd.Start(); err != nil {
		return err
	}
	var ready struct{ Socket string }
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		return fmt.Errorf("the broker did not start: %w: %s", err, errs.String())
	}
	return nil
}

func (b *broker) end() {
	if b.cmd == nil {
		return
	}
	_ = b.cmd.Process.Signal(os.Interrupt) // it may have ended
	_ = b.cmd.Wait()
	b.cmd = nil
}

func (b *broker) restart(ctx context.Context) error {
	b.end()
	return b.serve(ctx)
}

func (b *broker) remove() {
	b.end()
	if b.mounted {
		_ = syscall.Unmount(b.home, syscall.MNT_DETACH)
	}
	_ = os.RemoveAll(b.root) // it is in the folder for such things
}

func (b *broker) database() string { return filepath.Join(b.home, "aoctl.db") }

// ask runs a hook for a call that the broker allows by itself.
func (b *broker) ask(ctx context.Context) verdict {
	b.n++
	name := fmt.Sprintf("file-%d.txt", b.n)
	path := filepath.Join(b.project, name)
	if err := os.WriteFile(path, []byte("text\n"), 0o600); err != nil { // the built-in rule wants files that are there
		return verdict{open, err.Error()}
	}
	v := b.hook(ctx, "Read", map[string]any{"file_path": path}, "3s")
	if v.word == allow {
		b.let = append(b.let, name)
	}
	return v
}

// refuse runs a hook for a call that waits, and has it refused from outside.
func (b *broker) refuse(ctx context.Context) <-chan verdict {
	b.n++
	answer := make(chan verdict, 1)
	command := fmt.Sprint("make target-", b.n)
	hook := b.hookFor(ctx, "Bash", map[string]any{"command": command}, "4s")
	go func() { answer <- hook() }()
	go func() {
		for range 8 { // it may be recorded by now, or never
			time.Sleep(100 * time.Millisecond)
			if b.denyWaiting(ctx, command) {
				return
			}
		}
	}()
	return answer
}

// denyWaiting refuses the call with this command, once it waits.
func (b *broker) denyWaiting(ctx context.Context, command string) bool {
	out, err := b.command(ctx, "pending", "--json").Output()
	if err != nil {
		return false
	}
	var list []struct {
		ID        string
		ToolInput struct{ Command string } `json:"tool_input"`
	}
	if json.Unmarshal(out, &list) != nil {
		return false
	}
	for _, r := range list {
		if r.ToolInput.Command == command {
			_ = b.command(ctx, "deny", r.ID).Run() // it cannot be recorded, as a rule
			return true
		}
	}
	return false
}

func (b *broker) hook(ctx context.Context, tool string, input map[string]any, timeout string) verdict {
	return b.hookFor(ctx, tool, input, timeout)()
}

func (b *broker) hookFor(ctx context.Context, tool string, input map[string]any, timeout string) func() verdict {
	call := ask.Call{Session: "faults", ToolUse: fmt.Sprint("toolu_", b.n), Tool: tool, CWD: b.project, Input: input}
	payload, err := call.Payload()
	if err != nil {
		return func() verdict { return verdict{open, err.Error()} }
	}
	cmd := b.command(ctx, "hook", "claude", "--timeout", timeout)
	cmd.Stdin = bytes.NewReader(payload)
	return func() verdict { return classify(cmd) }
}

// classify runs a hook and says what the agent makes of it.
func classify(cmd *exec.Cmd) verdict {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case failed && exit.ExitCode() == 2 && errs.Len() > 0:
		return verdict{deny, errs.String()}
	case err != nil:
		return verdict{open, err.Error() + errs.String()}
	case strings.Contains(out.String(), `"permissionDecision":"allow"`):
		return verdict{allow, out.String()}
	case strings.Contains(out.String(), `"permissionDecision":"deny"`):
		return verdict{deny, out.String()}
	}
	return verdict{open, out.String()}
}

// check looks whether all that was let through is on record, and whether the record is
// whole.
func (b *broker) check(ctx context.Context) error {
	out, err := b.command(ctx, "log", "verify").CombinedOutput()
	if err != nil {
		return fmt.Errorf("log verify: %w: %s", err, out)
	}
	log, err := b.command(ctx, "log", "--limit", "100000").Output()
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	for _, name := range b.let {
		found := false
		for line := range strings.Lines(string(log)) {
			found = found || strings.Contains(line, "\trequest_decided\t") && strings.Contains(line, "\tallowed  Read ") && strings.Contains(line, "/"+name+" ")
		}
		if !found {
			return fmt.Errorf("reading %s was allowed and is not on record", name)
		}
	}
	return nil
}
