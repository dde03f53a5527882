package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// claudeGateCheck looks at one gate of Claude Code. line is zero but for its text when the
// command could not be taken apart.
type claudeGateCheck struct {
	*checker
	gate claudeGate
	mode install.Mode
	line hookline.Line
	cure string // the command that writes the gate anew
}

// checkClaudeGate looks at one gate and at all that is beside it. The order is that of the hook's
// life: is it called for this tool, does it find its program and console, does it end in time,
// what happens when it fails.
func checkClaudeGate(agent *checker, g claudeGate) {
	mode := install.Gate
	// The event says which mode it was installed in.
	if g.event == install.ClaudeGates[install.Prompts] {
		mode = install.Prompts
	}
	what := "every call is decided in the console"
	if mode == install.Prompts {
		what = "only what Claude Code would ask anyway"
	}
	line, _ := jsonc.Locate(g.file.doc.Src, g.handler.Start)
	agent.add(OK, "gate", "", "%s:%d, %s (%s): %s", g.file.Path, line, g.event, mode, what)
	command := g.handler.Member("command").Text
	// It is kept for the drill also when something is wrong with it: the drill shows what that
	// does.
	agent.r.Gates = append(agent.r.Gates, GateHook{
		Agent: "claude", Event: g.event, File: g.file.Path, Command: command,
		Own: g.file.Name != "project" && g.file.Name != "local",
	})
	l, simple := hookline.Read(command, "claude")
	if !simple { // the guard of one that only observes, for instance
		l = hookline.Line{Text: command, Timeout: hookline.DefaultTimeout}
	}
	c := &claudeGateCheck{checker: agent, gate: g, mode: mode, line: l}
	o := c.anew()
	// Only findings from here on may get the repair.
	begin := len(c.r.Findings)
	if len(l.Words) > 0 {
		// The program is the first thing that must be there; what follows is about its line.
		if f := c.hookProgram(l.Words[0], c.cure); f.Status == Fail {
			atMost, askDown := o.Program.AtMost, o.Program.AskDown
			// A program that cannot be run is replaced by this one; the time that the line gives
			// stays.
			o.Program = c.o.Program
			o.Program.AtMost, o.Program.AskDown = atMost, askDown
		} else if f.Status == Warn {
			begin = len(c.r.Findings) // writing the hook again would not help
		}
	}
	repair := g.repair(o)
	if c.elsewhereAsked(l, c.cure) {
		begin = len(c.r.Findings) // which console is meant, a person knows
	}
	// From here on to write the line anew mends whatever is found.
	c.unpinned(l, c.cure)
	c.matcher()
	c.timeout()
	c.command()
	c.failClosed()
	c.drift()
	c.mend(begin, repair)
}

// anew is how the gate would be written again, which is the cure too. The program stays the
// one that is in the line. The cure names the file in the words of aoctl install, so that a
// person can type it.
func (c *claudeGateCheck) anew() install.Options {
	o := c.anewOptions(c.gate.file.Path, c.line, len(c.line.Words) > 1)
	o.Mode = c.mode
	c.cure = "aoctl install claude"
	switch f := c.gate.file; {
	// Nothing of aoctl writes into an administrator's files.
	case f.Managed:
		c.cure = "ask the administrator to install the gate again"
		return o
	case f.Name == "local":
		c.cure += " --project"
	case f.Name != "user":
		c.cure += " --settings " + hookline.QuoteIfNeeded(f.Path)
	}
	// The default mode need not be named.
	if c.mode != install.Gate {
		c.cure += " --mode " + string(c.mode)
	}
	c.cure += anewFlags(o)
	return o
}

// repair writes the gate again; nil for a file that is not the user's alone, and for
// a line that a person wrote. A shared file of a project belongs to others too. A line by hand
// may be the way it is for a reason.
func (g claudeGate) repair(o install.Options) *Repair {
	if g.file.Managed || g.file.shared || !install.ClaudeIsOurs(g.handler) {
		return nil
	}
	return &Repair{Key: g.file.Path, Do: func() (string, error) {
		r, err := install.Install(o)
		if err != nil || !r.Changed {
			return "", err
		}
		return fmt.Sprintf("wrote the hooks of Claude Code in %s again; the earlier file is %s", r.File, r.Backup), nil
	}}
}

// matcher looks for tools that the hook does not hear of.
func (c *claudeGateCheck) matcher() {
	if install.ClaudeSeesAll(c.gate.group) {
		c.add(OK, "matcher", "", "every tool")
		return
	}
	c.add(Fail, "matcher", c.cure, "only tools that fit %q are asked about; all others run", machine.Shorten(c.gate.group.Member("matcher").Text))
}

// timeout compares how long Claude Code waits for the hook with how long the hook may wait
// for a person. An agent that stops waiting first runs the call.
func (c *claudeGateCheck) timeout() {
	agent, pinned := claudeDefaultTimeout, "without a timeout of its own"
	if t := c.gate.handler.Member("timeout"); t != nil {
		// The bound keeps a huge number from overflowing the duration.
		seconds, _ := strconv.ParseFloat(t.Text, 64) // its shape was checked
		agent, pinned = time.Duration(min(seconds, 1e9)*float64(time.Second)), "pinned"
	}
	seen := fmt.Sprintf("%s, Claude Code after %v (%s)", c.line.GivesUp(), agent, pinned)
	switch {
	// An agent that has given up runs the call; the answer that comes later is for nobody.
	case agent <= c.line.Longest():
		c.add(Fail, "timeout", c.cure, "%s: the agent stops waiting first, and the call runs", seen)
	case agent < c.line.Longest()+hookline.Grace:
		c.add(Warn, "timeout", c.cure, "%s: less than %v between them", seen, hookline.Grace)
	default:
		c.add(OK, "timeout", "", "%s%s", seen, c.line.NoMore("claude"))
	}
}

// command compares the line with the one that this aoctl would write for it.
func (c *claudeGateCheck) command() {
	switch {
	// A line without words could not be taken apart.
	case !c.line.Guarded || len(c.line.Words) < 2:
		c.add(Fail, "command", c.cure, "not guarded: when the client is missing or dies, the line does not end in exit 2: %s", machine.Shorten(c.line.Text))
	// It may be a line of an older release, or one that somebody has edited.
	case c.line.Text != c.line.Program().Gate("claude", c.line.Timeout):
		c.add(Warn, "command", c.cure, "not as aoctl writes it: %s", machine.Shorten(c.line.Text))
	default:
		c.add(OK, "command", "", "guarded, as aoctl writes it")
	}
}

// failClosed looks at the members of the handler that decide what a failure does, and
// whether the handler runs at all. Some of the members make Claude Code go on without waiting;
// others have another shell read the line.
func (c *claudeGateCheck) failClosed() {
	if f := c.gate.handler.Member("onFailure"); f == nil || f.Text != "block" {
		c.add(Fail, "fail-closed", c.cure, `no "onFailure": "block": a hook that fails or takes too long lets the call run`)
	} else {
		c.add(OK, "fail-closed", "", `"onFailure": "block"`)
	}
	// A member that is false, or names the usual shell, is what is there without it.
	for _, name := range []string{"if", "async", "asyncRewake", "once", "shell"} {
		v := c.gate.handler.Member(name)
		if v == nil || v.Kind == jsonc.BoolKind && v.Text == "false" || name == "shell" && v.Text == "bash" {
			continue
		}
		c.add(Fail, "handler", c.cure, "%q in the handler: calls can run without waiting for an answer", name)
	}
}

// drift compares the hooks that only observe, and the words beside the spinner. Which of them is
// missing decides how bad it is. Two of them hold something that nothing else holds.
func (c *claudeGateCheck) drift() {
	// What the other hooks should be follows from this line, which is not known.
	if len(c.line.Words) < 2 {
		return
	}
	p := c.line.Program()
	var missing, differ []string
	hooks, left := install.ClaudeHooksFor(install.Options{Program: p, Mode: c.mode, Timeout: c.line.Timeout, Version: c.r.Version})
	for _, h := range hooks {
		// The gate itself was judged line by line.
		if h.Event == c.gate.event {
			continue
		}
		handler := c.gate.file.oursOn(h.Event)
		switch {
		case handler == nil:
			missing = append(missing, h.Event)
		case !install.Holds(c.gate.file.doc.Src[handler.Start:handler.End], h.Handler):
			differ = append(differ, h.Event)
		}
	}
	// This Claude Code cannot be given these hooks, so to install again would not help.
	if len(left) > 0 {
		c.add(Warn, "version", "claude update, then: "+c.cure, "%s", install.ClaudeTooOldFor(c.r.Version, left))
	}
	switch {
	// The gravest comes first, and only one of them is told: the cure is the same.
	case slices.Contains(missing, install.ClaudeSettings):
		c.add(Fail, "events", c.cure, "no hook on %s: %s", install.ClaudeSettings, install.ClaudeOpen(missing))
	case slices.Contains(differ, install.ClaudeSettings):
		c.add(Fail, "events", c.cure, "the hook on %s is not as aoctl writes it: it may let a settings file switch the gate off", install.ClaudeSettings)
	case slices.Contains(missing, install.ClaudeTexts):
		c.add(Fail, "events", c.cure, "no hook on %s: %s", install.ClaudeTexts, install.ClaudeOpen(missing))
	case slices.Contains(differ, install.ClaudeTexts):
		c.add(Fail, "events", c.cure, "the hook on %s is not as aoctl writes it: shell commands in the text of what you type may run unasked", install.ClaudeTexts)
	case len(missing)+len(differ) == 0:
		c.add(OK, "events", "", "%s decides, %d others are told", c.gate.event, len(install.ClaudeWatched))
	case len(missing) > 0:
		c.add(Warn, "events", c.cure, "the console does not hear of %s", strings.Join(missing, ", "))
	default:
		c.add(Warn, "events", c.cure, "not as aoctl writes them: %s", strings.Join(differ, ", "))
	}
}

// oursOn finds the first handler of ours on event. A second one of ours is found by the count of
// gates.
func (f *claudeFile) oursOn(event string) *jsonc.Node {
	for _, handler := range f.handlers(event) {
		if install.ClaudeIsOurs(handler) {
			return handler
		}
	}
	return nil
}
