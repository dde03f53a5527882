package doctor

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/hookclient/install"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
)

// The drill's times: how long a person has who does not answer, and how long a hook
// may take in all before it counts as hung. They are short, as somebody waits for the
// report.
const (
	drillAnswer = time.Second
	drillClient = 2 * time.Second // deadline of the client before a console that says nothing
	drillLimit  = 15 * time.Second
	maxDrills   = 8 // hook lines; nobody has so many
)

// drillResult is what one run of a hook came to. The names and the words of Verdict
// are a promise to scripts. Event and File are "" for a scene of an agent's own drill.
type drillResult struct {
	Agent   string `json:"agent"`
	Event   string `json:"event"`
	File    string `json:"file"`  // the settings that hold the line
	Fault   string `json:"fault"` // no console, no answer, silent console, no program
	Command string `json:"command"`
	Verdict string `json:"verdict"` // DENY, ALLOW, ASK, OPEN
	Exit    int    `json:"exit"`    // -1: ended by a signal or by the drill
	MS      int64  `json:"ms"`
	Reason  string `json:"reason"` // what the agent is told; for OPEN, why
}

// drill runs every installed hook line against things that go wrong. That there is
// nothing to run, or no place to run it in, is skipped and never ok. The drill never
// touches the user's console: its calls would be shown to a person there.
func (e *examination) drill(ctx context.Context, gates []agentcheck.GateHook) {
	lines := e.drillable(gates)
	if len(lines) == 0 {
		e.add(agentcheck.Skipped, "drill", "", "no installed gate to run")
		return
	}
	ground, err := newDrillGround(ctx)
	if err != nil {
		e.add(agentcheck.Skipped, "drill", "see that there is room for temporary files", "cannot be set up: %v", err)
		return
	}
	defer ground.close()
	for _, results := range ground.runAll(ctx, lines) {
		for _, r := range results {
			e.drilled(r, len(lines) > 1)
		}
	}
}

// drillLine is a hook line that may be run.
type drillLine struct {
	agentcheck.GateHook
	parsed hookline.Line
	// session is the line's own. Lines run at the same time, and the console takes two equal
	// calls of one session for the same call.
	session string
}

// drillable leaves out lines that must not be run just to look at them: a project's
// file may come from anybody, and a line may do more than ask. Each line that is left
// out is a warning with the reason. A line that stands in several files is run once.
// At most maxDrills lines are run, as each takes seconds.
func (e *examination) drillable(gates []agentcheck.GateHook) []drillLine {
	var lines []drillLine
	seen := map[string]bool{}
	for _, g := range gates {
		l, simple := hookline.Read(g.Command, g.Agent)
		key := g.Agent + "\x00" + g.Event + "\x00" + g.Command
		if seen[key] {
			continue
		}
		seen[key] = true
		if why := whyNotRun(g, l, simple, len(lines)); why != "" {
			e.add(agentcheck.Warn, "drill", "aoctl install "+g.Agent, "not run, %s: %s", why, g.File)
			continue
		}
		lines = append(lines, drillLine{g, l, fmt.Sprintf("aoctl-doctor-drill-%d", len(lines)+1)})
	}
	return lines
}

// drilled reports one run, and of which hook when there are several. Only DENY is
// well: whatever goes wrong between agent and console must refuse the call. The result
// goes into the JSON as a whole, for programs that want more than a word.
func (e *examination) drilled(r drillResult, several bool) {
	status, cure := agentcheck.OK, ""
	if r.Verdict != "DENY" {
		status, cure = agentcheck.Fail, "write the hook again: aoctl install "+r.Agent
	}
	code := "exit " + strconv.Itoa(r.Exit)
	if r.Exit < 0 {
		code = "no exit code"
	}
	of := ""
	if several {
		of = sectionTitle(r.Agent) + " " + r.Event + ": "
	}
	e.add(status, r.Fault, cure, "%s%s in %d ms, %s: %s", of, r.Verdict, r.MS, code, r.Reason).Drill = &r
}

// drillGround is a place of the drill's own: a folder, a console where nobody answers,
// and a socket that takes connections and says nothing. Lines use it at the same time.
// Each has its own socket, so lines and faults do not meet.
type drillGround struct {
	dir     string
	closers []func()
}

// newDrillGround opens the ground and its consoles; after an error nothing of it is
// left. close must be called, and takes everything away again.
func newDrillGround(ctx context.Context) (*drillGround, error) {
	dir, err := drillFolder()
	if err != nil {
		return nil, err
	}
	g := &drillGround{dir: dir, closers: []func(){func() { _ = os.RemoveAll(dir) }}}
	for _, open := range []func(context.Context) error{g.openConsole, g.openSilent} {
		if err := open(ctx); err != nil {
			g.close()
			return nil, err
		}
	}
	return g, nil
}

// drillFolder makes a private folder with a path short enough for sockets. The path
// has no links, since a hook refuses a socket in a folder that is one.
func drillFolder() (string, error) {
	dir, err := state.ShortFolder("aoctl-doctor-")
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir, nil //nolint:nilerr // the name as it is will do
	}
	return real, nil
}

// socket is the path of a console of the ground. "nobody" is one at which nobody
// listens.
func (g *drillGround) socket(name string) string { return filepath.Join(g.dir, name+".sock") }

// openConsole opens a console with nobody at the keys: calls wait for drillAnswer and
// expire.
func (g *drillGround) openConsole(ctx context.Context) error {
	end, err := openBroker(ctx, g.socket("console"), service.Options{ApprovalTimeout: drillAnswer}, nil)
	if err != nil {
		return err
	}
	g.closers = append(g.closers, end)
	return nil
}

// openSilent takes connections and never says a word, with our pid in the lock file as
// a console would have its own. That is what a suspended console looks like to a hook.
func (g *drillGround) openSilent(ctx context.Context) error {
	path := g.socket("silent")
	if err := os.WriteFile(path+".lock", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return err
	}
	var held sync.WaitGroup
	held.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			g.hold(c)
		}
	})
	g.closers = append(g.closers, func() {
		_ = l.Close()
		held.Wait()
	})
	return nil
}

// hold reads what comes and answers nothing. It does not wait: the connection ends
// with its client, and all clients have ended when the ground is closed.
func (g *drillGround) hold(c net.Conn) {
	go func() {
		_, _ = io.Copy(io.Discard, c) // until the client gives up
		_ = c.Close()
	}()
}

// close ends what was opened, the last first, and removes the folder.
func (g *drillGround) close() {
	for i := len(g.closers) - 1; i >= 0; i-- {
		g.closers[i]()
	}
}

// fault is one thing that goes wrong: which console the hook finds, and what else is
// changed.
type fault struct {
	name, socket string
	change       hookline.Change // of the line, beside its console
}

// line is l as it meets f: a console that it names itself is the drill's instead.
// Nothing else is changed that f does not ask for. A line that names no console finds
// it by the environment, which is the drill's too, and is run as it stands. The line
// is taken apart and put together by package hookline, so quoting stays right.
func (f fault) line(l drillLine) string {
	change := f.change
	if l.parsed.Console != (install.Console{}) {
		change.Socket = f.socket
	}
	if change == (hookline.Change{}) {
		return l.Command
	}
	return l.parsed.With(change)
}

// runAll lets every line meet every fault, all at the same time: most of that time is
// waiting for consoles that do not answer. The results come in the order of lines.
func (g *drillGround) runAll(ctx context.Context, lines []drillLine) [][]drillResult {
	results := make([][]drillResult, len(lines))
	var all sync.WaitGroup
	for i, l := range lines {
		all.Go(func() { results[i] = g.run(ctx, l) })
	}
	all.Wait()
	return results
}

// run lets the line meet every fault, all at the same time. The faults are those of
// the help: no console, nobody who answers, a console that says nothing, and no
// program. A console that says nothing is waited for with a shorter timeout, which the
// line gets for that.
func (g *drillGround) run(ctx context.Context, l drillLine) []drillResult {
	faults := []fault{
		{"no console", g.socket("nobody"), hookline.Change{}},
		{"no answer", g.socket("console"), hookline.Change{}},
		{"silent console", g.socket("silent"), hookline.Change{Timeout: drillClient}},
		{"no program", g.socket("nobody"), hookline.Change{Program: filepath.Join(g.dir, "no-such-program")}},
	}
	results := make([]drillResult, len(faults))
	var all sync.WaitGroup
	for i, f := range faults {
		all.Go(func() { results[i] = g.meet(ctx, l, f, i) })
	}
	all.Wait()
	return results
}

// whyNotRun says why a line must not be run, "" when it may be. others is how many
// lines are going to be run already. A line of a project's is run only when its
// program is this very aoctl.
func whyNotRun(g agentcheck.GateHook, l hookline.Line, simple bool, others int) string {
	switch {
	case !simple:
		return "the line does more than ask aoctl"
	case !g.Own && !ownHookProgram(l.Words[0]):
		return "the line is a project's, and its program is not this aoctl"
	case others == maxDrills:
		return fmt.Sprintf("%d others were", maxDrills)
	}
	return ""
}

// ownHookProgram reports whether path is this aoctl, or the small client beside it. It
// compares the files and not their names: a project can call any program aoctl-hook.
func ownHookProgram(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	self, err := os.Executable()
	if err != nil {
		return false
	}
	for _, ours := range []string{self, filepath.Join(filepath.Dir(self), "aoctl-hook"), ownProgram().Path} {
		if same, err := os.Stat(ours); ours != "" && err == nil && os.SameFile(info, same) {
			return true
		}
	}
	return false
}

// drillEnv is the environment of a hook that must not find the user's own console.
// Everything by which it could goes, and the variables that the agent would set come
// in. The hook would otherwise find the console by a variable that this shell happens
// to have.
func (g *drillGround) drillEnv(l drillLine, socket string) []string {
	env := slices.DeleteFunc(client.WithoutAgent(os.Environ()), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "AOCTL_") || name == config.TimeoutEnv || name == "XDG_RUNTIME_DIR" || name == "XDG_STATE_HOME"
	})
	env = append(env, "AOCTL_HOME="+g.dir, "AOCTL_SOCKET="+socket, fmt.Sprintf("%s=%g", config.TimeoutEnv, drillClient.Seconds()))
	return append(env, tellTales(l.Agent, l.session, g.dir)...)
}
