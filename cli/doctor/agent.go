package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/cli/drill/fakemodel"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/hookclient/install"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// The agent's own drill: its program makes a call, and a file tells whether the call ran.
const (
	drillCanary = "canary"
	drillDenied = "a drill of aoctl doctor says no"
	// drillRun is how long one run may take beside the time that a call waits.
	drillRun = 3 * time.Minute
	// cursorSDK names the folder of @cursor/sdk: Cursor's own program needs a login.
	cursorSDK = "AOCTL_CURSOR_SDK"
)

// agentDrill is one agent's. program is the agent's own, or for Cursor the folder of
// its package; wait is how long the hook that is drilled holds a call that nobody
// answers. It is made anew for each drill and used by one goroutine.
type agentDrill struct {
	drill.Agent

	program string
	line    *hookline.Line // the user's own; nil when there is none
	wait    time.Duration  // of that line, or of what aoctl installs
	said    io.Writer      // what is going on
}

// drillScene is one thing that is tried, and what must come of it. A scene with a hook
// and without a console asks a socket that is not there. answer is what the person
// does with every call, and wait how long a call may wait in this scene.
type drillScene struct {
	name, doing string
	hook        bool           // it is installed
	console     bool           // one is there, and its person does this with every call:
	answer      broker.Verdict // "" is nothing
	runs        bool           // the call must run
	wait        time.Duration
}

// scenes are played in this order. The first, without a hook, shows that a call does
// run here: without it a refusal in the others would prove nothing. full adds the
// scene in which a call waits to the end of its time, since an agent may give up on
// its hook before that and run the call. Each scene proves the one thing that its name
// says.
func (d *agentDrill) scenes(full bool) []drillScene {
	scenes := []drillScene{
		{name: "control", doing: "without a hook", runs: true},
		{name: "no console", doing: "with the hook, and no console", hook: true},
		{name: "denied", doing: "a console denies the call", hook: true, console: true, answer: broker.Deny},
		{name: "allowed", doing: "a console allows the call", hook: true, console: true, answer: broker.Allow, runs: true},
	}
	if full {
		scenes = append(scenes, drillScene{
			name: "unanswered", doing: fmt.Sprintf("nobody answers, for %v", d.wait), hook: true, console: true, wait: d.wait,
		})
	}
	return scenes
}

// drillAgent runs o.drill against a scripted model and reports what was seen. said
// gets a line as each scene begins: a scene takes seconds, or minutes with --full. The
// report goes to out in one piece. An interrupted drill reports nothing, because half
// of it could be read as a pass.
//
// The error is for the exit code; all that it is about stands in the report. When the
// scene without a hook fails, the drill ends: a refusal that follows would look like a
// gate.
func drillAgent(ctx context.Context, o options, out, said io.Writer) error {
	d, err := newAgentDrill(ctx, o, said)
	if err != nil {
		return err
	}
	e := &examination{Version: version.Read(), Project: o.project, Fixed: []string{}, Checks: []check{}}
	e.section(d.Name)
	e.add(agentcheck.OK, "program", "", "%s", d.program)
	d.reportLine(e)
	e.section("drill")
	for _, s := range d.scenes(o.full) {
		fmt.Fprintf(said, "drill: %s, %s …\n", install.Title(d.Name), s.doing)
		seen := d.play(ctx, s)
		if ctx.Err() != nil {
			return exit.Error{Code: exit.Failed, Text: "interrupted", Cause: ctx.Err()}
		}
		d.report(e, s, seen)
		if s.name == "control" && e.Failed > 0 {
			break // nothing that follows would show anything
		}
	}
	if err := e.print(out, &o.json); err != nil || e.Failed == 0 {
		return err
	}
	return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%d of %d checks failed", e.Failed, e.OK+e.Warned+e.Failed), Hint: "each of them has its cure below it"}
}

// newAgentDrill finds the agent's program and the line that the user has installed.
// Only a line of the user's own settings that does nothing but ask aoctl is taken: a
// project's may come from anybody. The first such line counts. Without one the drill
// tries what aoctl would install. Cursor's own program needs a login, so its engine is
// taken from a folder that the user names. Errors say what is missing and how to get
// it; none of them is a failed check.
func newAgentDrill(ctx context.Context, o options, said io.Writer) (*agentDrill, error) {
	a, ok := drill.Named(o.drill)
	if !ok {
		return nil, usage.Error{Text: fmt.Sprintf("no agent is called %q", o.drill), Hint: "--drill takes one of " + strings.Join(install.Agents(), ", ")}
	}
	d := &agentDrill{Agent: a, program: install.AgentProgram(a.Name), wait: profile.Of(a.Name).Limit(install.DefaultTimeout), said: said}
	title := install.Title(a.Name)
	if a.Name == "cursor" {
		if d.program = os.Getenv(cursorSDK); d.program == "" {
			return nil, exit.Error{
				Code: exit.NotFound, Text: "Cursor's own program needs a login, so it cannot be drilled",
				Hint: "its engine can: npm install @cursor/sdk, and name the folder node_modules/@cursor/sdk in " + cursorSDK,
			}
		}
	}
	if d.program == "" {
		return nil, exit.Error{Code: exit.NotFound, Text: title + " is not found on this machine", Hint: "install it, or put the folder of its program on the PATH"}
	}
	for _, r := range agentcheck.All(ctx, agentcheck.Options{Project: o.project, Now: time.Now(), Quick: true}) {
		for _, g := range r.Gates {
			l, simple := hookline.Read(g.Command, a.Name)
			if g.Agent == a.Name && g.Own && simple && slices.Contains(drill.ToolEvents(), g.Event) && d.line == nil {
				d.line, d.wait = &l, l.Timeout
			}
		}
	}
	return d, nil
}

// reportLine says which hook the drill is about. An agent whose hooks are a plugin has
// no line that could be put into another file, so the drill writes the plugin anew and
// says so. The line is run with the drill's console in the place of the user's own,
// and with nothing else changed.
func (d *agentDrill) reportLine(e *examination) {
	switch {
	case d.line != nil:
		e.add(agentcheck.OK, "hook", "", "the line of your settings, with the drill's console")
	case filepath.Ext(d.Hooks) != ".json":
		e.add(agentcheck.OK, "hook", "", "the one that aoctl install %s writes: aoctl doctor says whether yours is the same", d.Name)
	default:
		e.add(agentcheck.Warn, "hook", "aoctl install "+d.Name, "your settings have none that the drill can try: this is the one that aoctl install %s would write", d.Name)
	}
}

// agentSeen is what came of one scene. err says that the scene could not be played,
// and then the other fields may hold the beginning of it. times may be more than one:
// an agent may try the same call again in another way.
type agentSeen struct {
	times  int    // how often the call ran
	told   string // what the model was told of it
	output string // what the agent printed
	took   time.Duration
	err    error
}

// play runs the agent once, on a ground of its own. Nothing of a scene reaches the
// next one: each has its own home, project, model and console, and all of it is
// removed at the end.
//
// The call appends a line to a file, so the file tells not only whether the call ran
// but how often: an agent that retries a refused call in another way shows here.
// Everything that may be left behind is removed by defers, in the order opposite to
// its making: the console closes before its folder goes. What the agent printed is
// kept for the report.
func (d *agentDrill) play(ctx context.Context, s drillScene) (seen agentSeen) {
	began := time.Now()
	defer func() { seen.took = time.Since(began) }()
	dir, err := drillFolder()
	if err != nil {
		return agentSeen{err: err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(ctx, s.wait+drillRun)
	defer cancel()
	model, err := fakemodel.Start(ctx, map[string]fakemodel.Script{"": {d.Shell("echo ran >> " + drillCanary), {Text: "all done"}}})
	if err != nil {
		return agentSeen{err: err}
	}
	defer model.End()
	ground, err := drill.NewGround(dir, model.URL)
	if err != nil {
		return agentSeen{err: err}
	}
	argv, env, err := d.Prepare(ground, drill.Headless, d.program)
	if err != nil {
		return agentSeen{err: err}
	}
	if s.hook { // after Prepare, which writes settings of the agent's
		end, err := d.gate(ctx, s, ground, dir)
		if err != nil {
			return agentSeen{err: err}
		}
		defer end()
	}
	seen.output, seen.err = ground.Run(ctx, argv, append(env, "AOCTL_HOME="+dir))
	seen.told = model.Results()
	text, err := os.ReadFile(filepath.Join(ground.Project, drillCanary))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		seen.err = errors.Join(seen.err, err)
	}
	seen.times = bytes.Count(text, []byte("\n"))
	return seen
}
