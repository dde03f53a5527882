package e2e

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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// These tests run the real Claude Code against a scripted model, with the real hook
// that "aoctl install" put into its settings, and the real console in tmux. The
// witness of a verdict is a file that the call would make.
//
// They are skipped unless AOCTL_E2E_CLAUDE names one, as .ci/run does: a Claude Code on the PATH does
// not make "go test ./..." take minutes. Nothing leaves the machine and no account is needed.

const (
	e2eTime   = 5 * time.Minute         // one scenario, on a busy machine
	e2eWait   = 2 * time.Minute         // one condition in it
	e2ePoll   = 20 * time.Millisecond   // how often a condition is looked at
	e2eRepeat = 1100 * time.Millisecond // longer than the console stays deaf after a card appeared
)

// e2ePrograms are what all scenarios share.
type e2ePrograms struct{ claude, aoctl, tmux string }

// findE2E builds aoctl and aoctl-hook side by side and looks for the others. A test that has
// them runs beside others of its kind: agents wait more than they compute.
func findE2E(t *testing.T) e2ePrograms {
	t.Helper()
	if testing.Short() {
		t.Skip("runs real agents; not with -short")
	}
	p := e2ePrograms{claude: os.Getenv("AOCTL_E2E_CLAUDE")}
	if p.claude == "" {
		t.Skip(`runs real agents: ".ci/run e2e" installs and names them, or set AOCTL_E2E_CLAUDE to the path of a Claude Code`)
	}
	if tmux, err := exec.LookPath("tmux"); err == nil {
		p.tmux = tmux
	}
	t.Parallel()
	dir := t.TempDir()
	p.aoctl = filepath.Join(dir, "aoctl")
	build(t, p.aoctl, module)
	build(t, filepath.Join(dir, "aoctl-hook"), module+"/hookclient/aoctl-hook", "CGO_ENABLED=0")
	return p
}

// rig is one scenario: a home, a project, an installed hook and a scripted model.
type rig struct {
	e2ePrograms

	t       *testing.T
	dir     string // short, because a socket's path must be
	project string
	hooks   string // the settings file with the hook
	model   *fakemodel.Model
	api     scriptAPI

	more     []string // what programs know beside
	tmuxRuns bool
}

func newRig(t *testing.T, p e2ePrograms, model map[string]modelScript, install ...string) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "aoe2e") //nolint:usetesting // the path of t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	if err := reapUnder(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // an agent that is slow to die may still write there
	r := &rig{
		e2ePrograms: p, t: t, dir: dir, project: filepath.Join(dir, "shop"), hooks: filepath.Join(dir, "settings.json"),
		model: newFakeModel(t, model), api: newScriptAPI(filepath.Join(dir, "state")),
	}
	for _, d := range []string{r.project, r.home(), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.run(p.aoctl, append([]string{"install", "claude", "--settings", r.hooks}, install...)...)
	return r
}

// alarmed reports whether the log has an alarm; a scenario without a console has no log.
func (r *rig) alarmed() bool {
	ctx, cancel := context.WithTimeout(context.Background(), e2eWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.aoctl, "log", "--json")
	cmd.Env, cmd.Dir = r.env(), r.project
	out, err := cmd.Output()
	return err == nil && bytes.Contains(out, []byte(broker.EventRanOtherwise))
}

// alsoHook adds another program's hook beside aoctl's.
func (r *rig) alsoHook(event, command string) {
	r.t.Helper()
	text, err := os.ReadFile(r.hooks)
	if err != nil {
		r.t.Fatal(err)
	}
	var settings struct {
		Hooks map[string][]any `json:"hooks"`
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		r.t.Fatal(err)
	}
	settings.Hooks[event] = append(settings.Hooks[event], map[string]any{
		"matcher": "*", "hooks": []any{map[string]any{"type": "command", "command": command}},
	})
	if text, err = json.Marshal(settings); err == nil {
		err = os.WriteFile(r.hooks, text, 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) home() string { return filepath.Join(r.dir, "home") }

// env is all that programs of this scenario know: the tester's own agents, keys and
// consoles stay out of it.
func (r *rig) env() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.home(), "TMPDIR=" + filepath.Join(r.dir, "tmp"), "LANG=C.UTF-8",
		"TERM=xterm-256color", "AOCTL_HOME=" + filepath.Join(r.dir, "state"), "SHELL=/bin/sh",
		"ANTHROPIC_BASE_URL=" + r.model.URL, "ANTHROPIC_API_KEY=sk-test", "IS_SANDBOX=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	}, r.more...)
}

func (r *rig) run(program string, args ...string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), e2eWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir = r.env(), r.project
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// until waits for a condition.
func (r *rig) until(what string, met func() bool) {
	r.t.Helper()
	if !r.within(e2eWait, met) {
		r.t.Fatalf("waited %v for: %s%s", e2eWait, what, r.lastScreen())
	}
}

func (r *rig) within(d time.Duration, met func() bool) bool {
	tick := time.NewTicker(e2ePoll)
	defer tick.Stop()
	deadline := time.After(d)
	for !met() {
		select {
		case <-tick.C:
		case <-deadline:
			return met()
		}
	}
	return true
}

// exists tells whether the project has a file of that name.
func (r *rig) exists(name string) bool {
	_, err := os.Stat(filepath.Join(r.project, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	return err == nil
}

// waiting is the call whose input holds text, once it waits.
func (r *rig) waiting(text string) broker.Request {
	r.t.Helper()
	var found broker.Request
	r.until("a waiting call with "+text, func() bool {
		for _, q := range r.pending() {
			if bytes.Contains(q.ToolInput, []byte(text)) {
				found = q
				return true
			}
		}
		return false
	})
	return found
}

// pending lists what waits; nothing while the console is away.
func (r *rig) pending() []broker.Request {
	var list []broker.Request
	if err := r.api.get("/approval-requests?status=pending", &list); err != nil {
		return nil
	}
	return list
}

func (r *rig) isPending(id string) bool {
	for _, q := range r.pending() {
		if q.ID == id {
			return true
		}
	}
	return false
}

// agentRun is one claude -p.
type agentRun struct {
	rig         *rig
	out, errout bytes.Buffer
	done        chan error
	kill        func()
	interrupt   func()
}

// agentResult is what claude -p prints at its end.
type agentResult struct {
	Subtype        string `json:"subtype"`
	TerminalReason string `json:"terminal_reason"`
	Result         string `json:"result"`
}

// agent starts Claude Code on a task.
func (r *rig) agent(args ...string) *agentRun {
	r.t.Helper()
	return r.says("do it", args...)
}

// says starts Claude Code with a prompt.
func (r *rig) says(prompt string, args ...string) *agentRun {
	r.t.Helper()
	return r.start(append([]string{r.claude, "-p", prompt, "--settings", r.hooks, "--output-format", "json"}, args...)...)
}

// start starts a program that prints a result as Claude Code does.
func (r *rig) start(program ...string) *agentRun {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), e2eTime)
	run := &agentRun{rig: r, done: make(chan error, 1)}
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	cmd.Env, cmd.Dir = r.env(), r.project
	cmd.Stdout, cmd.Stderr = &run.out, &run.errout
	cmd.WaitDelay = 5 * time.Second
	run.kill = cancel
	if err := cmd.Start(); err != nil {
		cancel()
		r.t.Fatal(err)
	}
	run.interrupt = func() { _ = cmd.Process.Signal(os.Interrupt) }
	ended := make(chan struct{})
	go func() {
		run.done <- cmd.Wait()
		close(ended)
	}()
	r.t.Cleanup(func() {
		cancel()
		<-ended
	})
	return run
}

// result waits for the agent to end.
func (a *agentRun) result() agentResult {
	t := a.rig.t
	t.Helper()
	var exit *exec.ExitError
	if err := <-a.done; err != nil && !errors.As(err, &exit) {
		t.Fatalf("claude: %v", err)
	}
	var res agentResult
	if err := json.Unmarshal(a.out.Bytes(), &res); err != nil {
		t.Fatalf("claude printed no result: %v\n%s\n%s%s", err, a.out.String(), a.errout.String(), a.rig.lastScreen())
	}
	return res
}

// completed waits for the agent to end its turn by itself.
func (a *agentRun) completed() {
	t := a.rig.t
	t.Helper()
	if res := a.result(); res.TerminalReason != "completed" {
		t.Errorf("the turn ended with %+v, want it completed", res)
	}
}

// told checks what the model was told about its calls.
func (r *rig) told(parts ...string) {
	r.t.Helper()
	results := r.model.Results()
	for _, part := range parts {
		if !strings.Contains(results, part) {
			r.t.Errorf("the model was not told %q, but:\n%s", part, results)
		}
	}
}

// terminal is one program in a tmux of its own.
type terminal struct {
	rig  *rig
	name string
}

// open starts a program in a terminal of 120×40.
func (r *rig) open(name string, program ...string) *terminal {
	r.t.Helper()
	if r.tmux == "" {
		r.t.Skip("no tmux found: the console needs a terminal")
	}
	if !r.tmuxRuns {
		r.tmuxRuns = true
		r.t.Cleanup(r.endTerminals)
	}
	args := append([]string{"new-session", "-d", "-s", name, "-x", "120", "-y", "40", "-c", r.project, "env", "-i"}, r.env()...)
	args = append(args, program...)
	args = append(args, ";", "set-option", "-t", name, "remain-on-exit", "on")
	if out, err := r.tmuxCommand(args...).CombinedOutput(); err != nil {
		r.t.Fatalf("tmux: %v\n%s", err, out)
	}
	return &terminal{rig: r, name: name}
}

// endTerminals closes all terminals and waits until their programs are gone, so that
// nothing writes to the scenario's folder any more.
func (r *rig) endTerminals() {
	pids, err := r.tmuxCommand("list-panes", "-a", "-F", "#{pane_pid}").Output()
	if err != nil {
		r.t.Logf("tmux list-panes: %v", err)
	}
	if err := r.tmuxCommand("kill-server").Run(); err != nil {
		r.t.Logf("tmux kill-server: %v", err)
	}
	for _, word := range strings.Fields(string(pids)) {
		pid, err := strconv.Atoi(word)
		if err == nil && !r.within(5*time.Second, func() bool { return syscall.Kill(pid, 0) != nil }) {
			r.t.Logf("process %d outlived its terminal", pid)
		}
	}
}

func (r *rig) tmuxCommand(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	r.t.Cleanup(cancel)
	args = append([]string{"-S", filepath.Join(r.dir, "tmux"), "-f", "/dev/null"}, args...)
	cmd := exec.CommandContext(ctx, r.tmux, args...)
	cmd.Env = r.env()
	return cmd
}

func (t *terminal) tmux(args ...string) string {
	t.rig.t.Helper()
	out, err := t.rig.tmuxCommand(args...).CombinedOutput()
	if err != nil {
		t.rig.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

func (t *terminal) screen() string   { return t.tmux("capture-pane", "-p", "-t", t.name) }
func (t *terminal) key(key string)   { t.tmux("send-keys", "-t", t.name, key) }
func (t *terminal) write(txt string) { t.tmux("send-keys", "-t", t.name, "-l", txt) }

func (t *terminal) shows(text string) {
	t.rig.t.Helper()
	t.rig.until(text+" on the screen of "+t.name, func() bool { return strings.Contains(t.screen(), text) })
}

// lastScreen is every terminal's screen, for the report of a failure.
func (r *rig) lastScreen() string {
	if !r.tmuxRuns {
		return ""
	}
	names, err := r.tmuxCommand("list-sessions", "-F", "#{session_name}").Output()
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, name := range strings.Fields(string(names)) {
		if screen, err := r.tmuxCommand("capture-pane", "-p", "-t", name).Output(); err == nil {
			fmt.Fprintf(&b, "\n--- %s\n%s", name, screen)
		}
	}
	return b.String()
}

// console opens aoctl and waits until it listens. A shell stands between it and tmux,
// which would wake a stopped program of its own.
func (r *rig) console(name string, flags ...string) *terminal {
	r.t.Helper()
	term := r.open(name, append([]string{"/bin/sh", "-c", `"$0" "$@"; exit $?`, r.aoctl}, flags...)...)
	r.until("the console listens", func() bool { return r.api.get("/sessions", &[]broker.Session{}) == nil })
	return term
}

// signalConsole sends a signal to the process that holds the socket.
func (r *rig) signalConsole(sig syscall.Signal) {
	r.t.Helper()
	lock, err := os.ReadFile(filepath.Join(r.dir, "state", "broker.sock.lock"))
	if err != nil {
		r.t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(lock), &pid); err != nil {
		r.t.Fatalf("the lock file tells no pid: %q", lock)
	}
	if err := syscall.Kill(pid, sig); err != nil {
		r.t.Fatal(err)
	}
}

// press sends a key to the console until the call is no longer pending.
func (t *terminal) press(key string, q broker.Request) {
	t.rig.t.Helper()
	t.until(key, "the end of the call", func() bool { return !t.rig.isPending(q.ID) })
}

// draws reports whether the console draws the card of a command: its detail shows the
// command behind a prompt.
func (t *terminal) draws(command string) bool {
	return strings.Contains(t.screen(), "│ $ "+command) // a row of the list has more blanks
}

// decide presses a key once on the card of a command, when the console hears again: once
// more would be for the card that comes next.
func (t *terminal) decide(key, command string, q broker.Request) {
	t.rig.t.Helper()
	for range 3 {
		t.choose(command)
		t.rig.within(e2eRepeat, func() bool { return false })
		if !t.draws(command) {
			continue
		}
		t.key(key)
		if t.rig.within(5*e2eRepeat, func() bool { return !t.rig.isPending(q.ID) }) {
			return
		}
	}
	t.rig.t.Fatalf("%s did not end the call %s%s", key, command, t.rig.lastScreen())
}

// until presses a key until it had its effect: the console drops keys for a moment after a card came
// up. Where it asks first, the answer is yes.
func (t *terminal) until(key, what string, met func() bool) {
	t.rig.t.Helper()
	t.rig.until(key+" bringing "+what, func() bool {
		press := key
		if strings.Contains(t.screen(), "y yes") {
			press = "y"
		}
		t.key(press)
		return t.rig.within(e2eRepeat, met)
	})
}

// choose walks the console's cursor to the card of a command: its detail shows the
// command behind a prompt.
func (t *terminal) choose(command string) {
	t.rig.t.Helper()
	t.shows(command)
	chosen := func() bool { return t.draws(command) }
	for range 3 { // cards may come and go meanwhile
		if chosen() {
			return
		}
		t.key("g")
		t.rig.within(e2eRepeat, func() bool { return false }) // what was drawn before it is gone by then
		for range len(t.rig.pending()) + 1 {
			if t.rig.within(e2eRepeat, chosen) {
				return
			}
			t.key("j")
		}
	}
	t.rig.t.Fatalf("no card of %s%s", command, t.rig.lastScreen())
}

// allowsThenDenies allows q, which makes the canary, and denies the call after it.
func (t *terminal) allowsThenDenies(q broker.Request) {
	t.rig.t.Helper()
	t.shows("echo hi > canary")
	t.press("a", q)
	q = t.rig.waiting("second")
	if !t.rig.exists("canary") {
		t.rig.t.Error("the call was allowed and did not run")
	}
	t.shows("echo hi > second")
	t.press("d", q)
}

// interactive starts Claude Code in a terminal, past its questions for newcomers.
func (r *rig) interactive(prompt string, flags ...string) *terminal {
	r.t.Helper()
	seen, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{"sk-test"}, "rejected": []string{}},
		"projects":              map[string]any{r.project: map[string]any{"hasTrustDialogAccepted": true}},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.home(), ".claude.json"), seen, 0o600); err != nil {
		r.t.Fatal(err)
	}
	return r.open("agent", append(append([]string{r.claude, "--settings", r.hooks}, flags...), prompt)...)
}
