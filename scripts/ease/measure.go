package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// callTime is how long one call of a day may run before its group is ended: one that waits for
// a program that is a stand-in here.
const callTime = 10 * time.Second

// outcome is what came of a call.
type outcome struct {
	line   string
	asked  bool
	does   []risk.Does
	reason string
}

// result is a day under one level.
type result struct {
	day      string
	level    level
	set      *rules.Set // of a dry run
	outcomes []outcome
}

// judge is the dry way: the rules judge each call of a list in a project of its own, under
// every level. With act the calls also change the project.
func (o options) judge(ctx context.Context, a guest, list, project string, act bool) (table, error) {
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	p := &place{home: filepath.Join(dir, "home"), dir: filepath.Join(dir, "project")}
	if p.path, err = stubs(filepath.Join(dir, "stubs")); err == nil {
		err = os.Mkdir(p.home, 0o700)
	}
	if err == nil {
		err = o.project(ctx, project, p.dir)
	}
	if err != nil {
		return nil, err
	}
	calls, err := o.corpus(list, p.dir)
	if err != nil {
		return nil, err
	}
	t := make(table, len(levels))
	for i, l := range levels {
		t[i] = result{day: list, level: l}
		if t[i].set, err = rules.Compile(append(l.rules(p.dir), rules.LookGrant())); err != nil {
			return nil, fmt.Errorf("compile the grant: %w", err)
		}
	}
	for _, c := range calls {
		if err := p.judge(t, a, c); err != nil {
			return nil, err
		}
		if act {
			p.act(ctx, c)
		}
	}
	return t, ctx.Err()
}

// rules are the level's grant for a project; none as installed.
func (l level) rules(project string) []rules.Rule {
	if l.grants == 0 {
		return nil
	}
	return []rules.Rule{{
		ID: "00000000-0000-4000-8000-00000000ea5e", Version: 1, Enabled: true, Priority: 100, Scope: rules.Scope{Project: project},
		Tool: rules.EffectsTool, Effects: l.grants, Decision: rules.Allow,
	}}
}

// place is where the calls of a dry run happen.
type place struct{ home, dir, path string }

// judge asks the rules of each level about c, as the agent would put it.
func (p *place) judge(t table, a guest, c call) error {
	c = a.words(c)
	input, err := json.Marshal(c.input)
	if err != nil {
		return fmt.Errorf("write the input: %w", err)
	}
	tool, input := broker.Request{Agent: a.name, ToolName: c.tool, ToolInput: input}.Call()
	q := rules.Prepare(rules.Question{
		Tool: tool, Input: input, Agent: a.name, SessionID: "ease", Trusted: true,
		Exists: workspace.FileExists, Matches: workspace.Matches, Special: workspace.SpecialFile,
		Place: workspace.PlaceOf(workspace.RealPath(p.dir), p.dir, workspace.RealPath(p.home), nil),
	})
	for i := range t {
		v := t[i].set.Judge(q, time.Now())
		t[i].outcomes = append(t[i].outcomes, outcome{line: within(p.dir, c.line()), asked: v.Verdict != rules.Allow, does: v.Does, reason: v.Reason})
	}
	return nil
}

// act does to the files what c would. A call that fails does as much as it would for an agent.
func (p *place) act(ctx context.Context, c call) {
	path := c.text("file_path")
	switch c.tool {
	case "Bash":
		p.shell(ctx, c.text("command"))
	case "Write":
		_ = put(path, []byte(c.text("content")), 0o644)
	case "Edit":
		if text, err := os.ReadFile(path); err == nil { //nolint:gosec // G304: a file of the corpus
			_ = put(path, []byte(strings.Replace(string(text), c.text("old_string"), c.text("new_string"), 1)), 0o644)
		}
	}
}

// shell runs a line as an agent's shell does, and ends what it leaves behind.
func (p *place) shell(ctx context.Context, line string) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line) //nolint:gosec // G204: a line of the corpus
	cmd.Dir, cmd.Env = p.dir, with([]string{"HOME=" + p.home, "LANG=C.UTF-8"}, p.path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	_ = cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// within is a line with {dir} for the project, so that lines of two runs can be compared.
func within(dir, line string) string { return strings.ReplaceAll(line, dir, "{dir}") }

// missing are the effects of the call that the level does not grant.
func (o outcome) missing(granted effects.Set) (list []string) {
	seen := map[string]bool{}
	for _, d := range o.does {
		text := d.Effect.String()
		if granted.Has(d.Effect) {
			continue
		}
		if d.Why != "" {
			text += " (" + d.Why + ")"
		}
		if !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	return list
}
