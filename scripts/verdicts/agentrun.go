package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/scripts/internal/visit"
	"github.com/aoctl/aoctl/tui/safe"
)

var errNotTried = errors.New("not tried")

// The times of a run.
const (
	settles   = 6 * time.Second        // an agent that lives on and says nothing of its call is done with it
	afterEnd  = 500 * time.Millisecond // what an agent started with its last breath has happened
	watchStep = 200 * time.Millisecond
)

// try returns whether the call ran, and what the model was told of it.
func (j agentJob) try(ctx context.Context, l *lab) (ran bool, told string, err error) {
	ctx, cancel := context.WithTimeout(ctx, agentTime)
	defer cancel()
	w, err := newWorld(l, nil)
	if err != nil {
		return false, "", err
	}
	defer w.end()
	w.patient = true
	v, err := visit.Open(ctx, w.dir, j.agent.Agent, j.mode, j.agent.program, "AOCTL_HOME="+w.home)
	if err != nil {
		return false, "", err
	}
	defer v.Close()
	if j.fault != nil {
		if err := j.install(ctx, w, v); err != nil {
			return false, "", err
		}
	}
	if err := v.Start(ctx); err != nil {
		return false, "", err
	}
	if err := j.disturb(ctx, w, v); err != nil {
		return false, "", fmt.Errorf("%w: %s", err, safe.Cut(safe.Line(v.Output(ctx)), 300))
	}
	j.settle(ctx, v)
	ran, err = v.Ran()
	told = v.Told()
	if told == "" && j.fault != nil && len(v.Clients(j.client.program(), "--at-most")) > 0 {
		told = "nothing: its call waits on"
	}
	if err == nil && told == "" && !ran && (j.fault == nil || !j.fault.unheard) {
		err = fmt.Errorf("the agent did not get as far as its call: %s", safe.Cut(safe.Line(v.Output(ctx)), 300))
	}
	return ran, told, errors.Join(err, ctx.Err())
}

// install prepares the fault and has aoctl install the hooks that are to meet it.
func (j agentJob) install(ctx context.Context, w *world, v *visit.Visit) error {
	if j.fault.prepare != nil {
		if err := j.fault.prepare(w); err != nil {
			return err
		}
	}
	flags := []string{"--socket", w.socket}
	if t := j.fault.timeout; t > 0 {
		flags = append(flags, "--timeout", t.String(), "--at-most", (t + moreTime).String())
	}
	if err := v.Install(ctx, filepath.Join(filepath.Dir(j.client.program()), "aoctl"), flags...); err != nil {
		return err
	}
	file := filepath.Join(v.Ground.Home, j.agent.Hooks)
	if j.fault.befalls != nil || j.mode == drill.ACP { // all of the hooks are meant: an editor's prompt may be all that can be refused
		return nil
	}
	if err := onlyGate(file); err != nil || j.fault.alter == nil { // the client of any other hook is not meant
		return err
	}
	return j.alter(w, file)
}

// onlyGate leaves nothing of the installed hooks but the one before a tool. The plugin of
// opencode is one piece.
func onlyGate(file string) error {
	if filepath.Ext(file) != ".json" {
		return nil
	}
	text, err := os.ReadFile(file) //nolint:gosec // G304: in our own folder
	if err != nil {
		return fmt.Errorf("read the installed hooks: %w", err)
	}
	var settings map[string]any
	if err := json.Unmarshal(text, &settings); err != nil {
		return fmt.Errorf("read the installed hooks: %w", err)
	}
	hooks, _ := settings["hooks"].(map[string]any)
	for event := range hooks {
		if !slices.Contains(drill.ToolEvents(), event) {
			delete(hooks, event)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(settings); err != nil {
		return fmt.Errorf("write the installed hooks: %w", err)
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

// alter changes the installed line as the fault does. The plugin of opencode has no line: it
// starts the program itself, so only another program can be put in its place.
func (j agentJob) alter(w *world, file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // G304: in our own folder
	if err != nil {
		return fmt.Errorf("read the installed hooks: %w", err)
	}
	line := "'" + j.client.program() + "'"
	if filepath.Ext(file) == ".json" {
		if line, err = drill.GateLine(text); err != nil {
			return err
		}
	}
	s := &start{client: j.client, line: line, env: map[string]string{}}
	j.fault.alter(w, s)
	if other := s.env["AOCTL_SOCKET"]; other != "" { // the generous console's
		s.line, text = strings.ReplaceAll(s.line, w.socket, other), bytes.ReplaceAll(text, []byte(w.socket), []byte(other))
		line = strings.ReplaceAll(line, w.socket, other)
	}
	if filepath.Ext(file) != ".json" {
		if !strings.HasPrefix(s.line, "'") {
			return fmt.Errorf("%w: it has no line to change", errNotTried)
		}
		line, s.line = strings.Trim(line, "'"), strings.Trim(s.line, "'")
	}
	if text, err = drill.Replace(text, line, s.line); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600) //nolint:gosec // G703: in our own folder
}

// disturb has the fault befall the agent.
func (j agentJob) disturb(ctx context.Context, w *world, v *visit.Visit) error {
	if j.fault == nil {
		return nil
	}
	if j.fault.befalls != nil {
		return j.fault.befalls(ctx, &scene{w, v, j.client})
	}
	if j.fault.meanwhile == nil {
		return nil
	}
	p := &running{client: j.client, console: w.console, ended: make(chan struct{}), visit: v}
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(p.ended)
		for !v.Over() {
			select {
			case <-done:
				return
			case <-time.After(watchStep):
			}
		}
	}()
	return j.fault.meanwhile(w, p)
}

// settle waits until it is known what became of the call.
func (j agentJob) settle(ctx context.Context, v *visit.Visit) {
	patient := j.fault == nil || j.fault.befalls == nil // then something comes: a result, or the agent's end
	stays := j.fault != nil && j.fault.stays
	began := time.Now()
	for ctx.Err() == nil {
		ran, err := v.Ran()
		over := v.Over()
		switch {
		case ran || err != nil:
			if j.mode == drill.Headless && patient { // a result is printed in the end
				select {
				case <-v.Ended():
				case <-ctx.Done():
				}
			}
			return
		case over, v.Told() != "" && !stays:
			sleep(ctx, afterEnd)
			return
		case !patient && time.Since(began) > settles:
			return
		}
		sleep(ctx, watchStep)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
