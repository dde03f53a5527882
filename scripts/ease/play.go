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

	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/cli/drill/fakemodel"
	"github.com/aoctl/aoctl/tui/safe"
)

// dayTime is how long an agent may take for a day, on a busy machine.
const dayTime = 20 * time.Minute

// withAgents has each agent that is here play the days, one run after the other, and says where
// what came of it is not what a dry run says.
func withAgents(ctx context.Context, o options) error {
	if o.aoctl == "" || len(o.agents) == 0 {
		return errors.New("no -aoctl or no -agent: start this with scripts/ease.sh")
	}
	for _, a := range guests {
		program, here := o.agents[a.name]
		if !here {
			fmt.Printf("\n%s is not here, so it is left out\n", a.title)
			continue
		}
		var real, dry table
		for _, day := range o.chosen() {
			judged, err := o.judge(ctx, a, day, day, true)
			if err != nil {
				return err
			}
			dry = append(dry, judged...)
			for _, l := range levels {
				if o.few && l.name == levels[2].name {
					continue
				}
				r, err := o.play(ctx, a, program, day, l)
				if err != nil {
					return fmt.Errorf("%s, %s, %s: %w", a.title, day, l.name, err)
				}
				fmt.Fprintf(os.Stderr, "%s, %s, %s: %d of %d\n", a.title, day, l.name, r.asked(), len(r.outcomes))
				real = append(real, r)
			}
		}
		real.print(os.Stdout, a.title, o.brief || a.name != "claude")
		real.compare(os.Stdout, dry)
	}
	return nil
}

// play is one run of a real agent: a day under one level.
func (o options) play(ctx context.Context, a guest, program, day string, l level) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, dayTime)
	defer cancel()
	r := result{day: day, level: l}
	v, err := o.visit(ctx, a, program, day)
	if err != nil {
		return r, err
	}
	defer v.end()
	p, err := sit(ctx, v.state, l.rules(v.ground.Project))
	if err != nil {
		return r, err
	}
	defer p.leave()
	install := exec.CommandContext(ctx, o.aoctl, "install", a.name, "--socket", p.socket) //nolint:gosec // G204: the program that is measured
	install.Env, install.Dir = append(v.ground.Env(), v.env...), v.ground.Project
	// Codex is started so that it trusts its hooks.
	if out, err := install.CombinedOutput(); err != nil && !strings.Contains(string(out), "does not trust") {
		return r, fmt.Errorf("aoctl install: %w: %s", err, out)
	}
	out, err := v.ground.Run(ctx, v.argv, v.env)
	if err != nil {
		return r, err
	}
	if r.outcomes, err = p.saw(ctx, v.ground.Project); err == nil && len(r.outcomes) == 0 {
		err = fmt.Errorf("no call reached aoctl: %s", safe.Cut(safe.Line(out), 400))
	}
	return r, err
}

// visit is an agent that is about to play.
type visit struct {
	ground    *drill.Ground
	model     *fakemodel.Model
	argv, env []string
	dir       string
	state     string // AOCTL_HOME; short, because a socket's path must be
}

func (v *visit) end() {
	v.model.End()
	_ = os.RemoveAll(v.dir)
	_ = os.RemoveAll(v.state)
}

// visit makes the project and what the agent needs beside it.
func (o options) visit(ctx context.Context, a guest, program, day string) (*visit, error) {
	v := &visit{}
	var err error
	if v.model, err = fakemodel.Start(ctx, nil); err != nil {
		return nil, err
	}
	if v.dir, err = folder(); err == nil {
		v.state, err = os.MkdirTemp("", "ease")
	}
	if err == nil {
		v.ground, err = drill.NewGround(v.dir, v.model.URL)
	}
	if err == nil {
		err = v.prepare(ctx, o, a, program, day)
	}
	if err != nil {
		v.end()
		return nil, err
	}
	return v, nil
}

func (v *visit) prepare(ctx context.Context, o options, a guest, program, day string) error {
	if err := o.project(ctx, day, v.ground.Project); err != nil {
		return err
	}
	calls, err := o.corpus(day, v.ground.Project)
	if err != nil {
		return err
	}
	script := make(fakemodel.Script, len(calls))
	for i, c := range calls {
		script[i] = a.step(c)
	}
	v.model.Play(map[string]fakemodel.Script{"": append(script, fakemodel.Step{Text: "all done"})})
	path, err := stubs(filepath.Join(v.dir, "stubs"))
	if err != nil {
		return err
	}
	// A login shell makes a PATH of its own.
	for _, name := range []string{".bash_profile", ".bashrc", ".profile", ".zshenv"} {
		if err := put(filepath.Join(v.ground.Home, name), []byte("export PATH='"+path+"'\n"), 0o644); err != nil {
			return err
		}
	}
	agent, ok := drill.Named(a.name)
	if !ok {
		return fmt.Errorf("unknown agent %q", a.name)
	}
	if v.argv, v.env, err = agent.Prepare(v.ground, drill.Headless, program); err != nil {
		return err
	}
	if a.name == "gemini" {
		if err := letGeminiGoOn(filepath.Join(v.ground.Home, ".gemini", "settings.json")); err != nil {
			return err
		}
	}
	if v.argv, err = byNode(v.argv); err != nil {
		return err
	}
	v.env = append(v.env, "AOCTL_HOME="+v.state, "PATH="+path, "SHELL=/bin/bash", "GIT_TERMINAL_PROMPT=0")
	return nil
}

// byNode names the real node for an agent that is written for it, as the one on its PATH is a
// stand-in.
func byNode(argv []string) ([]string, error) {
	text, err := os.ReadFile(argv[0])
	if err != nil {
		return nil, fmt.Errorf("read the agent's program: %w", err)
	}
	first, _, _ := strings.Cut(string(text[:min(len(text), 100)]), "\n")
	if !strings.HasPrefix(first, "#!") || !strings.Contains(first, "node") {
		return argv, nil
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("find node: %w", err)
	}
	return append([]string{node}, argv...), nil
}

// letGeminiGoOn switches off what asks Gemini's model whether it goes round in circles: the
// scripted one would say so.
func letGeminiGoOn(file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // G304: in our own folder
	if err != nil {
		return fmt.Errorf("read Gemini's settings: %w", err)
	}
	var settings map[string]any
	if err := json.Unmarshal(text, &settings); err != nil {
		return fmt.Errorf("read Gemini's settings: %w", err)
	}
	settings["model"] = map[string]any{"disableLoopDetection": true}
	if text, err = json.Marshal(settings); err != nil {
		return fmt.Errorf("write Gemini's settings: %w", err)
	}
	return put(file, text, 0o600)
}
