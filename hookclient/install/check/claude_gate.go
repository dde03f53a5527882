package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// claudeGate looks at one gate.
func (c *checker) claudeGate(g claudeGate) {
	mode := install.Gate
	if g.event == install.ClaudeGates[install.Prompts] {
		mode = install.Prompts
	}
	what := "every call is decided in the console"
	if mode == install.Prompts {
		what = "only what Claude Code would ask anyway"
	}
	line, _ := jsonc.Locate(g.file.doc.Src, g.handler.Start)
	c.add(OK, "gate", "", "%s:%d, %s (%s): %s", g.file.Path, line, g.event, mode, what)
	command := g.handler.Member("command").Text
	c.r.Gates = append(c.r.Gates, GateHook{
		Agent: "claude", Event: g.event, File: g.file.Path, Command: command,
		Own: g.file.Name != "project" && g.file.Name != "local",
	})
	l, simple := hookline.Read(command, "claude")
	if !simple { // the guard of one that only observes, for instance
		l = hookline.Line{Text: command, Timeout: hookline.DefaultTimeout}
	}
	cure, o := c.claudeAnew(g, mode, l)
	begin := len(c.r.Findings)
	if len(l.Words) > 0 {
		if f := c.hookProgram(l.Words[0], cure); f.Status == Fail {
			atMost := o.Program.AtMost
			o.Program = c.o.Program
			o.Program.AtMost = atMost
		} else if f.Status == Warn {
			begin = len(c.r.Findings) // writing the hook anew would not help
		}
	}
	repair := c.claudeRepair(g, o)
	if c.claudeElsewhereAsked(l, cure) {
		begin = len(c.r.Findings) // which console is meant, a person knows
	}
	c.claudeUnpinned(l, cure)
	c.claudeMatcher(g, cure)
	c.claudeTimeout(g, l, cure)
	c.claudeCommand(g, l, cure)
	c.claudeSwitch(g, cure)
	c.claudeDrift(g, mode, l, cure)
	for i := begin; i < len(c.r.Findings); i++ {
		if f := &c.r.Findings[i]; f.Status == Warn || f.Status == Fail {
			f.Repair = repair
		}
	}
}

// claudeAnew is how the gate would be written anew: as a command, and for Install. The
// program stays the one that is in the line.
func (c *checker) claudeAnew(g claudeGate, mode install.Mode, l hookline.Line) (cure string, o install.Options) {
	o = install.Options{Agent: "claude", Scope: install.File, File: g.file.Path, Mode: mode, Program: c.o.Program, Version: c.r.Version, Now: c.o.Now, ManagedDir: c.o.ManagedDir}
	o.Timeout = min(max(l.Timeout, hookline.MinTimeout), hookline.MaxTimeout)
	if len(l.Words) > 1 {
		o.Program = l.Program()
	}
	if !o.Program.Console.Pinned() {
		o.Program.Console = c.o.Program.Console
	}
	o.Program.AtMost = l.AtMostAnew(o.Timeout)
	cure = "aoctl install claude"
	switch {
	case g.file.Managed:
		return "ask the administrator to install the gate anew", o
	case g.file.Name == "local":
		cure += " --project"
	case g.file.Name != "user":
		cure += " --settings " + hookline.QuoteIfNeeded(g.file.Path)
	}
	if mode != install.Gate {
		cure += " --mode " + string(mode)
	}
	if o.Timeout != hookline.DefaultTimeout {
		cure += " --timeout " + o.Timeout.String()
	}
	if o.Program.AtMost != max(hookline.DefaultAtMost, o.Timeout) {
		cure += " --at-most " + o.Program.AtMost.String()
	}
	if at := o.Program.Console; at.URL != "" {
		cure += " --url " + hookline.QuoteIfNeeded(at.URL)
		if at.TokenFile != "" {
			cure += " --token-file " + hookline.QuoteIfNeeded(at.TokenFile)
		}
	}
	return cure, o
}

// claudeUnpinned warns of a line that leaves to its environment where it asks, and of a
// token that cannot be read.
func (c *checker) claudeUnpinned(l hookline.Line, cure string) {
	if len(l.Words) < 2 {
		return // what it does is not known, and said
	}
	if file := l.Console.TokenFile; file != "" {
		if err := hookclient.CheckTokenFile(file); err != nil {
			c.add(Fail, "token", "", "every call is refused: %v", err)
		}
	}
	if !l.Console.Pinned() {
		c.add(Warn, "console", cure, "the line does not say where to ask: a project's settings can set AOCTL_URL or AOCTL_SOCKET, and have it ask a console of their own")
	}
}

// claudeElsewhereAsked reports a line that asks another console than the one that this
// aoctl would open.
func (c *checker) claudeElsewhereAsked(l hookline.Line, cure string) bool {
	here := c.o.Program.Console
	switch {
	case !l.Console.Pinned():
		return false
	case l.Console.URL != "" || here.Socket == "" || l.Console.Socket == here.Socket:
		c.add(OK, "console", "", "the line asks %s, whatever the environment says", l.Console)
		return false
	}
	c.add(Warn, "console", cure+", or start the console with: aoctl --socket "+hookline.QuoteIfNeeded(l.Console.Socket),
		"the line asks %s, and a console started here listens on %s: calls would be refused", l.Console.Socket, here.Socket)
	return true
}

// claudeRepair writes the gate anew; nil for a file that is not the user's alone, and for
// a line that a person wrote.
func (c *checker) claudeRepair(g claudeGate, o install.Options) *Repair {
	if g.file.Managed || g.file.shared || !install.ClaudeIsOurs(g.handler) {
		return nil
	}
	return &Repair{Key: g.file.Path, Do: func() (string, error) {
		r, err := install.Install(o)
		if err != nil || !r.Changed {
			return "", err
		}
		return fmt.Sprintf("wrote the hooks of Claude Code in %s anew; the earlier file is %s", r.File, r.Backup), nil
	}}
}

func (c *checker) claudeMatcher(g claudeGate, cure string) {
	if install.ClaudeSeesAll(g.group) {
		c.add(OK, "matcher", "", "every tool")
		return
	}
	c.add(Fail, "matcher", cure, "only tools that fit %q are asked about; all others run", machine.Shorten(g.group.Member("matcher").Text))
}

func (c *checker) claudeTimeout(g claudeGate, l hookline.Line, cure string) {
	agent, pinned := claudeDefaultTimeout, "without a timeout of its own"
	if t := g.handler.Member("timeout"); t != nil {
		seconds, _ := strconv.ParseFloat(t.Text, 64) // its shape was checked
		agent, pinned = time.Duration(min(seconds, 1e9)*float64(time.Second)), "pinned"
	}
	seen := fmt.Sprintf("%s, Claude Code after %v (%s)", l.GivesUp(), agent, pinned)
	switch {
	case agent <= l.Longest():
		c.add(Fail, "timeout", cure, "%s: the agent stops waiting first, and the call runs", seen)
	case agent < l.Longest()+hookline.Grace:
		c.add(Warn, "timeout", cure, "%s: less than %v between them", seen, hookline.Grace)
	default:
		c.add(OK, "timeout", "", "%s%s", seen, l.NoMore("claude"))
	}
}

func (c *checker) claudeCommand(g claudeGate, l hookline.Line, cure string) {
	switch {
	case !l.Guarded || len(l.Words) < 2:
		c.add(Fail, "command", cure, "not guarded: when the client is missing or dies, the line does not end in exit 2: %s", machine.Shorten(l.Text))
	case l.Text != l.Program().Gate("claude", l.Timeout):
		c.add(Warn, "command", cure, "not as aoctl writes it: %s", machine.Shorten(l.Text))
	default:
		c.add(OK, "command", "", "guarded, as aoctl writes it")
	}
}

// claudeSwitch looks at the members of the handler that decide what a failure does, and
// whether the handler runs at all.
func (c *checker) claudeSwitch(g claudeGate, cure string) {
	if f := g.handler.Member("onFailure"); f == nil || f.Text != "block" {
		c.add(Fail, "fail-closed", cure, `no "onFailure": "block": a hook that fails or takes too long lets the call run`)
	} else {
		c.add(OK, "fail-closed", "", `"onFailure": "block"`)
	}
	for _, name := range []string{"if", "async", "asyncRewake", "once", "shell"} {
		v := g.handler.Member(name)
		if v == nil || v.Kind == jsonc.BoolKind && v.Text == "false" || name == "shell" && v.Text == "bash" {
			continue
		}
		c.add(Fail, "handler", cure, "%q in the handler: calls can run without waiting for an answer", name)
	}
}

// claudeDrift compares the hooks that only observe, and the words beside the spinner.
func (c *checker) claudeDrift(g claudeGate, mode install.Mode, l hookline.Line, cure string) {
	if len(l.Words) < 2 {
		return
	}
	p := l.Program()
	var missing, differ []string
	hooks, left := install.ClaudeHooksFor(install.Options{Program: p, Mode: mode, Timeout: l.Timeout, Version: c.r.Version})
	for _, h := range hooks {
		if h.Event == g.event {
			continue
		}
		handler := claudeOursOn(g.file.doc, h.Event)
		switch {
		case handler == nil:
			missing = append(missing, h.Event)
		case !install.Holds(g.file.doc.Src[handler.Start:handler.End], h.Handler):
			differ = append(differ, h.Event)
		}
	}
	if len(left) > 0 {
		c.add(Warn, "version", "claude update, then: "+cure, "%s", install.ClaudeTooOldFor(c.r.Version, left))
	}
	switch {
	case slices.Contains(missing, install.ClaudeSettings):
		c.add(Fail, "events", cure, "no hook on %s: %s", install.ClaudeSettings, install.ClaudeOpen(missing))
	case slices.Contains(differ, install.ClaudeSettings):
		c.add(Fail, "events", cure, "the hook on %s is not as aoctl writes it: it may let a settings file switch the gate off", install.ClaudeSettings)
	case slices.Contains(missing, install.ClaudeTexts):
		c.add(Fail, "events", cure, "no hook on %s: %s", install.ClaudeTexts, install.ClaudeOpen(missing))
	case slices.Contains(differ, install.ClaudeTexts):
		c.add(Fail, "events", cure, "the hook on %s is not as aoctl writes it: shell commands in the text of what you type may run unasked", install.ClaudeTexts)
	case len(missing)+len(differ) == 0:
		c.add(OK, "events", "", "%s decides, %d others are told", g.event, len(install.ClaudeWatched))
	case len(missing) > 0:
		c.add(Warn, "events", cure, "the console is not told of %s", strings.Join(missing, ", "))
	default:
		c.add(Warn, "events", cure, "not as aoctl writes them: %s", strings.Join(differ, ", "))
	}
}

// claudeOursOn finds the first handler of ours on event.
func claudeOursOn(d *jsonc.Document, event string) *jsonc.Node {
	for _, group := range d.Root.Member("hooks").Member(event).Children("") {
		for _, handler := range group.Children("hooks") {
			if install.ClaudeIsOurs(handler) {
				return handler
			}
		}
	}
	return nil
}
