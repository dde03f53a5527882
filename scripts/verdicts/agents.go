package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/cli/drill/fakemodel"
	"github.com/aoctl/aoctl/tui/safe"
)

// realAgent is an agent's own program, run against a scripted model.
type realAgent struct {
	name    string // as the hook client is told: claude, codex, gemini
	program string
	canary  fakemodel.Step // the call that leaves a file
	// configure writes the settings with that hook, or without one for "", and returns
	// arguments and environment.
	configure func(w *world, line, api string) (args []string, env map[string]string, err error)
}

const canaryName = "canary"

// agentTime bounds one run of an agent.
const agentTime = 3 * time.Minute

// addAgent reads NAME=PROGRAM.
func (o *options) addAgent(text string) error {
	name, program, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("want NAME=PROGRAM")
	}
	bash := map[string]any{"command": "touch " + canaryName, "description": "leave a file"}
	known := []realAgent{
		{name: "claude", canary: fakemodel.UseTool("Bash", bash), configure: configureClaude},
		{name: "codex", canary: fakemodel.UseTool("exec_command", map[string]any{"cmd": "touch " + canaryName}), configure: configureCodex},
		{name: "gemini", canary: fakemodel.UseTool("run_shell_command", bash), configure: configureGemini},
	}
	i := slices.IndexFunc(known, func(a realAgent) bool { return a.name == name })
	if i < 0 {
		return fmt.Errorf("unknown agent %q", name)
	}
	known[i].program = program
	o.agents = append(o.agents, known[i])
	return nil
}

func configureClaude(w *world, line, api string) ([]string, map[string]string, error) {
	hooks := map[string]any{}
	if line != "" {
		hooks["PreToolUse"] = group(line, 60)
	}
	settings, err := w.writeJSON("settings.json", map[string]any{"hooks": hooks})
	return []string{"-p", "do it", "--settings", settings, "--output-format", "json", "--dangerously-skip-permissions"}, map[string]string{
		"ANTHROPIC_BASE_URL": api, "ANTHROPIC_API_KEY": "sk-test", "IS_SANDBOX": "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
	}, err
}

func configureCodex(w *world, line, api string) ([]string, map[string]string, error) {
	home := filepath.Join(w.dir, ".codex")
	hooks := map[string]any{}
	if line != "" {
		hooks["PreToolUse"] = group(line, 60)
	}
	config := fmt.Sprintf("model = \"gpt-5.2-codex\"\nmodel_provider = \"fake\"\n[model_providers.fake]\nname = \"fake\"\nbase_url = %q\nwire_api = \"responses\"\nenv_key = \"FAKE_KEY\"\n", api+"/v1")
	_, configErr := w.write(".codex/config.toml", config)
	_, err := w.writeJSON(".codex/hooks.json", map[string]any{"hooks": hooks})
	return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "do it"},
		map[string]string{"CODEX_HOME": home, "FAKE_KEY": "x"}, errors.Join(configErr, err)
}

func configureGemini(w *world, line, api string) ([]string, map[string]string, error) {
	hooks := map[string]any{}
	if line != "" {
		hooks["BeforeTool"] = group(line, 60_000)
	}
	_, err := w.writeJSON(".gemini/settings.json", map[string]any{
		"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
		"hooks":    hooks,
	})
	return []string{"-p", "do it", "--approval-mode", "yolo", "--skip-trust", "-o", "json"}, map[string]string{
		"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": api,
	}, err
}

// group is one hook for every tool; the timeout is in the agent's own unit.
func group(line string, timeout int) []any {
	return []any{map[string]any{"matcher": "*", "hooks": []any{map[string]any{"type": "command", "command": line, "timeout": timeout}}}}
}

func (w *world) writeJSON(name string, v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return w.write(name, string(text))
}

// agentFaults are those that a run of a second or two can show.
func agentFaults() []fault {
	list := []fault{
		{name: "console stopped past the deadline", prepare: serving(waits), meanwhile: whenWaiting((*console).pause)},
		{name: "console killed while the call waits", prepare: serving(waits), meanwhile: whenWaiting((*console).kill)},
		{name: "client killed while it waits", prepare: saysWait, meanwhile: whenAskedAgain(kills(syscall.SIGKILL))},
		{name: "client aborted while it waits", prepare: saysWait, meanwhile: whenAskedAgain(kills(syscall.SIGABRT))},
		{name: "client told to end while it waits", prepare: saysWait, meanwhile: whenAskedAgain(kills(syscall.SIGTERM))},
		{name: "memory: 16 MiB", alter: generous(func(_ *world, s *start) { s.line = "ulimit -v 16384; " + s.line })},
	}
	also := []string{
		"no console", "a regular file", "junk", "an allow without HTTP", "an empty 200", "HTML", "500 and an allow", "truncated JSON",
		"an answer for another call", "silence", "wait, for ever", "the program is missing", "the program is another one that fails",
	}
	for _, f := range allFaults() {
		if slices.Contains(also, f.name) {
			list = append(list, f)
		}
	}
	return list
}

// agentJob is one run of an agent; a nil fault is one without any hook.
type agentJob struct {
	agent  realAgent
	fault  *fault
	client client
}

// runAgents makes every agent try its call under every fault. The witness is a file that
// the call would leave. An agent whose call does not run without a hook proves nothing.
func runAgents(ctx context.Context, l *lab, o options) error {
	faults := slices.DeleteFunc(agentFaults(), func(f fault) bool { return !strings.Contains(f.name, o.only) })
	if o.runs < len(faults) { // the short form: the first ones
		faults = faults[:o.runs]
	}
	var jobs []agentJob
	for _, a := range o.agents {
		jobs = append(jobs, agentJob{agent: a})
		jobs = append(jobs, agentJob{a, &fault{name: "control: a person allows", want: allow, prepare: serving(allows)}, l.clients[0]})
		for i := range faults {
			jobs = append(jobs, agentJob{a, &faults[i], l.clients[i%len(l.clients)]})
		}
	}
	bad := make([]string, len(jobs))
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := make(chan int)
	for range 3 {
		workers.Go(func() {
			for i := range next {
				line, wrong := jobs[i].run(ctx, l)
				mu.Lock()
				if bad[i] = wrong; wrong != "" || !o.brief {
					fmt.Println(line, wrong)
				}
				mu.Unlock()
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	workers.Wait()
	bad = slices.DeleteFunc(bad, func(s string) bool { return s == "" })
	fmt.Printf("\n%d runs of real agents, %d not as they must be\n", len(jobs), len(bad))
	if err := errors.Join(ctx.Err()); err != nil || len(bad) > 0 {
		return errors.Join(err, fmt.Errorf("%d runs: %s", len(bad), strings.Join(bad, "; ")))
	}
	return nil
}

// run is one run; wrong says what is not as it must be.
func (j agentJob) run(ctx context.Context, l *lab) (line, wrong string) {
	name, want := "control: no hook", allow
	if j.fault != nil {
		name, want = j.fault.name, j.fault.want
	}
	if want == "" {
		want = deny
	}
	began := time.Now()
	ran, told, err := j.try(ctx, l)
	got := deny
	switch {
	case err != nil:
		got, wrong = "VOID", err.Error()
	case ran && want == allow:
		got = allow
	case ran:
		got, wrong = open, "the call ran"
	case want == allow:
		wrong = "the call did not run, so this agent shows nothing"
	}
	return fmt.Sprintf("%-7s %-38s %-5s %5d ms  %s", j.agent.name, name, got, time.Since(began).Milliseconds(), safe.Cut(safe.Line(told), 160)), wrong
}

// try returns whether the call ran, and what the model was told of it.
func (j agentJob) try(ctx context.Context, l *lab) (ran bool, told string, err error) {
	w, err := newWorld(l, nil)
	if err != nil {
		return false, "", err
	}
	defer w.end()
	line, env, err := j.hookLine(w)
	if err != nil {
		return false, "", err
	}
	model, err := fakemodel.Start(ctx, map[string]fakemodel.Script{"": {j.agent.canary, {Text: "all done"}}})
	if err != nil {
		return false, "", err
	}
	defer model.End()
	args, own, err := j.agent.configure(w, line, model.URL)
	if err != nil {
		return false, "", err
	}
	for _, m := range []map[string]string{env, own} {
		for name, value := range m {
			args = append([]string{name + "=" + value}, args...)
		}
	}
	out, err := j.execute(ctx, w, args)
	if err != nil {
		return false, "", err
	}
	_, err = os.Stat(filepath.Join(w.dir, "project", canaryName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, "", fmt.Errorf("look for the file: %w", err)
	}
	if told = model.Results(); told == "" {
		return err == nil, told, fmt.Errorf("the agent did not get as far as its call: %s", safe.Cut(safe.Line(out), 300))
	}
	return err == nil, told, nil
}

// hookLine prepares the fault and returns the guarded line for it.
func (j agentJob) hookLine(w *world) (string, map[string]string, error) {
	if j.fault == nil {
		return "", nil, nil
	}
	if j.fault.prepare != nil {
		if err := j.fault.prepare(w); err != nil {
			return "", nil, err
		}
	}
	f := *j.fault
	f.timeout = time.Second
	s := newStart(w, &f, j.client, "line")
	if f.alter != nil {
		f.alter(w, s)
	}
	if f.want == allow {
		s.line = j.client.guarded(30 * time.Second)
	}
	s.pin(w)
	return strings.Replace(s.line, " claude --timeout", " "+j.agent.name+" --timeout", 1), s.env, nil
}

// execute runs the agent; words before the program are its environment.
func (j agentJob) execute(ctx context.Context, w *world, words []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, agentTime)
	defer cancel()
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "TMPDIR=" + w.dir, "LANG=C.UTF-8", "SHELL=/bin/sh", "TERM=dumb",
		"AOCTL_HOME=" + w.home,
	}
	for len(words) > 0 && strings.Contains(words[0], "=") {
		env, words = append(env, words[0]), words[1:]
	}
	project := filepath.Join(w.dir, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		return "", fmt.Errorf("make a project: %w", err)
	}
	cmd := exec.CommandContext(ctx, j.agent.program, words...) //nolint:gosec // G204: the agent that was named
	cmd.Env, cmd.Dir = env, project
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start %s: %w", j.agent.name, err)
	}
	p := &running{cmd: cmd, client: j.client, console: w.console, ended: make(chan struct{})}
	var disturbed sync.WaitGroup
	var disturbErr error
	if j.fault != nil && j.fault.meanwhile != nil {
		disturbed.Go(func() { disturbErr = j.fault.meanwhile(w, p) })
	}
	err := cmd.Wait()
	close(p.ended)
	disturbed.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return out.String(), fmt.Errorf("%s: %w: %s", j.agent.name, errors.Join(err, ctx.Err()), safe.Cut(safe.Line(out.String()), 300))
	}
	return out.String(), disturbErr
}
