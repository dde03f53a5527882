package e2e

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// guest is a real agent, run once against a scripted model of its own, with the hook that
// "aoctl install" gave it. AOCTL_E2E_NAME names its program.
type guest struct {
	name  string // as aoctl knows it
	title string
	told  string // what its model is told of every call that its hook refused
	tool  string // its shell tool, where it has another one beside the usual
}

// guests are the agents that can be run offline.
var guests = []guest{
	{name: "claude", title: "Claude Code", told: "aoctl"},
	{name: "codex", title: "Codex", told: "aoctl"},
	{name: "gemini", title: "Gemini CLI", told: "aoctl"},
	{name: "qwen", title: "Qwen Code", told: "aoctl"},
	{name: "copilot", title: "Copilot CLI", told: "aoctl"},
	{name: "opencode", title: "opencode", told: "aoctl"},
}

// agent is how g is started.
func (g guest) agent() drill.Agent {
	a, _ := drill.Named(g.name) // each of them is there
	return a
}

// shell is a call of its shell tool.
func (g guest) shell(command string) modelStep {
	if g.tool != "" {
		return useTool(g.tool, map[string]any{"command": command})
	}
	return g.agent().Shell(command)
}

// keep writes a file of the scenario's home.
func (r *rig) keep(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.home(), name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

// visit is one run of a guest.
type visit struct {
	guest
	rig   *rig
	model *fakemodel.Model
	out   bytes.Buffer
	done  chan error
	start func()
}

// canary is the file that v's call leaves.
func (v *visit) canary() string { return "canary-" + v.name }

// findGuests are the agents that there are on this machine.
func findGuests(t *testing.T, p e2ePrograms) map[string]string {
	t.Helper()
	found := map[string]string{"claude": p.claude}
	for _, g := range guests[1:] {
		variable := "AOCTL_E2E_" + strings.ToUpper(g.name)
		program := os.Getenv(variable)
		if program == "" {
			program, _ = exec.LookPath(g.name)
		}
		if program == "" {
			t.Logf("no %s found: set %s to its path, or put %s on the PATH", g.title, variable, g.name)
			continue
		}
		found[g.name] = program
	}
	if len(found) < 2 {
		t.Skip("no agent beside Claude Code found")
	}
	return found
}

// invite installs the hook of every found agent and prepares one run of each, in one
// project.
func (r *rig) invite(programs map[string]string, install ...string) []*visit {
	r.t.Helper()
	var list []*visit
	for _, g := range guests {
		if program, ok := programs[g.name]; ok {
			list = append(list, r.welcome(g, program, install...))
		}
	}
	return list
}

// welcome installs the hook of one agent and prepares a run of it.
func (r *rig) welcome(g guest, program string, install ...string) *visit {
	r.t.Helper()
	one := modelScript{g.shell("touch " + (&visit{guest: g}).canary()), {Text: "all done"}}
	return r.welcomeTo(g, program, one, install...)
}

// welcomeTo is welcome for another script of the agent's model.
func (r *rig) welcomeTo(g guest, program string, script modelScript, install ...string) *visit {
	r.t.Helper()
	v := &visit{guest: g, rig: r, done: make(chan error, 1)}
	v.model = newFakeModel(r.t, map[string]modelScript{"": script})
	argv, env, err := g.agent().Prepare(&drill.Ground{Home: r.home(), Project: r.project, Temp: filepath.Join(r.dir, "tmp"), API: v.model.URL}, drill.Headless, program)
	if err != nil {
		r.t.Fatal(err)
	}
	r.run(r.aoctl, append([]string{"install", g.name}, install...)...)
	v.start = func() { v.run(argv, env) }
	return v
}

func (v *visit) run(argv, env []string) {
	r := v.rig
	ctx, cancel := context.WithTimeout(context.Background(), e2eTime)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = append(r.env(), env...), r.project
	cmd.Stdout, cmd.Stderr = &v.out, &v.out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // as in a terminal of its own
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		cancel()
		r.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		v.done <- cmd.Wait()
		close(ended)
	}()
	r.t.Cleanup(func() {
		cancel()
		<-ended
	})
}

// end waits for the agent to end and says whether its call ran.
func (v *visit) end() bool {
	v.rig.t.Helper()
	var exit *exec.ExitError // agents have codes of their own for a refused call
	err := <-v.done
	if errors.Is(err, exec.ErrWaitDelay) { // it ended well, and what it started lives on a little with its output open
		err = nil
	}
	if err != nil && !errors.As(err, &exit) {
		v.rig.t.Errorf("%s: %v", v.title, err)
	}
	return v.rig.exists(v.canary())
}

// refusedWith checks that v's call did not run and what its model was told.
func (v *visit) refusedWith(parts ...string) {
	v.rig.t.Helper()
	if v.end() {
		v.rig.t.Errorf("%s: the call ran", v.title)
	}
	told := v.model.Results()
	if len(parts) > 0 && told == "" {
		v.rig.t.Errorf("%s never got as far as its call:\n%s%s", v.title, v.out.String(), v.rig.lastScreen())
	}
	for _, part := range parts {
		if !strings.Contains(told, part) {
			v.rig.t.Errorf("%s was not told %q, but %s", v.title, part, told)
		}
	}
}

// Several real agents at once in one console: the file that each call leaves tells the
// same story for each.
func TestE2EAgents(t *testing.T) {
	p := findE2E(t)
	programs := findGuests(t, p)
	for _, tt := range []struct {
		name    string
		play    func(r *rig, list []*visit)
		install []string
	}{
		{"allow", agentsAllowed, nil},
		{"deny with a reason", agentsDenied, nil},
		{"rule", agentsByRule, nil},
		{"stop", agentsStopped, nil},
		{"console killed", agentsOrphaned, []string{"--timeout", "10s"}},
		{"junk from the console", agentsMisled, []string{"--timeout", "10s"}},
		{"no console", agentsAlone, []string{"--timeout", "10s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, p, oneCall)
			tt.play(r, r.invite(programs, tt.install...))
		})
	}
}

// begin starts all agents and waits until the call of each has been seen to wait. It looks for all of them at once:
// where the first agents start much sooner than the last ones, their calls may have run out of time by then.
func begin(r *rig, list []*visit) []broker.Request {
	r.t.Helper()
	for _, v := range list {
		v.start()
	}
	calls := make([]broker.Request, len(list))
	r.until("a waiting call of each agent", func() bool {
		for _, q := range r.pending() {
			if i := slices.IndexFunc(list, func(v *visit) bool { return bytes.Contains(q.ToolInput, []byte(v.canary())) }); i >= 0 {
				calls[i] = q
			}
		}
		return !slices.ContainsFunc(calls, func(q broker.Request) bool { return q.ID == "" })
	})
	for i, v := range list {
		if calls[i].Agent != v.name {
			r.t.Errorf("%s is taken for %s", v.title, calls[i].Agent)
		}
	}
	return calls
}

func agentsAllowed(r *rig, list []*visit) {
	console := r.console("console")
	for i, q := range begin(r, list) {
		if r.exists(list[i].canary()) {
			r.t.Errorf("%s: the call ran before it was allowed\n%s%s", list[i].title, r.run(r.aoctl, "log"), r.lastScreen())
		}
		console.decide("a", "touch "+list[i].canary(), q)
	}
	for _, v := range list {
		if !v.end() {
			r.t.Errorf("%s: the call was allowed and did not run: %s\n%s", v.title, v.model.Results(), v.out.String())
		}
	}
	if r.alarmed() {
		r.t.Errorf("there was an alarm, and nothing ran otherwise than allowed%s", r.lastScreen())
	}
}

func agentsDenied(r *rig, list []*visit) {
	console := r.console("console")
	for i, q := range begin(r, list) {
		console.choose("touch " + list[i].canary())
		r.within(e2eRepeat, func() bool { return false })
		console.until("D", "a question for the reason", func() bool { return strings.Contains(console.screen(), "because:") })
		console.write("not on Friday")
		console.shows("not on Friday")
		r.until("the end of the call", func() bool {
			if strings.Contains(console.screen(), "because:") { // not sent yet
				console.key("Enter")
			}
			return r.within(e2eRepeat, func() bool { return !r.isPending(q.ID) })
		})
	}
	for _, v := range list {
		v.refusedWith("A person denied this call in aoctl", "not on Friday")
	}
}

func agentsByRule(r *rig, list []*visit) {
	console := r.console("console")
	for _, v := range list {
		v.start()
	}
	var first broker.Request
	r.until("a call", func() bool {
		waiting := r.pending()
		if len(waiting) > 0 {
			first = waiting[0]
		}
		return len(waiting) > 0
	})
	console.shows("touch canary-")
	console.ruleFrom(first, "touch *")
	for _, v := range list {
		if !v.end() {
			r.t.Errorf("%s: a rule allows the call, and it did not run: %s%s", v.title, v.model.Results(), r.lastScreen())
		}
	}
}

func agentsStopped(r *rig, list []*visit) {
	r.console("console")
	begin(r, list)
	r.run(r.aoctl, "stop", "--all")
	for _, v := range list {
		v.refusedWith() // agents whose turn a stop ends tell their model nothing
	}
}

func agentsOrphaned(r *rig, list []*visit) {
	r.console("console")
	begin(r, list)
	r.signalConsole(syscall.SIGKILL)
	for _, v := range list {
		v.refusedWith("") // its time may have run out before: what it is told then is the console's
	}
}

// agentsMisled has another program listen where the console should.
func agentsMisled(r *rig, list []*visit) {
	state := filepath.Join(r.dir, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		r.t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(state, "broker.sock"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{}}\n"))
			_ = conn.Close()
		}
	}()
	agentsAlone(r, list)
}

func agentsAlone(_ *rig, list []*visit) {
	for _, v := range list {
		v.start()
	}
	for _, v := range list {
		v.refusedWith(v.told)
	}
}
