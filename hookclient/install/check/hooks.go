package check

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// dialect is how an agent other than Claude Code writes hooks in a file. Every field was seen by
// running the agent, not read in its manual.
type dialect struct {
	gates    []string // events that decide
	commands []string // members of a handler that hold its command line
	timeouts []string // members that hold its timeout
	unit     func(v float64) time.Duration
	standard time.Duration // without a timeout
	loud     bool          // exit 2 without words on standard error lets the call run
	failSafe string        // a member that must be true, "" when the agent has none
	matches  func(event, matcher string) bool
	read     func([]byte) []byte // makes strict JSON of a file; nil: it must be strict
	broken   string              // what the agent does with a file that cannot be read
}

// secondsUnit reads a number of seconds. The bound keeps a hostile number from overflowing the
// duration.
func secondsUnit(v float64) time.Duration {
	return time.Duration(math.Min(v, 1e9) * float64(time.Second))
}

// everything is what "*", "" and no matcher mean to most agents.
func everything(_, matcher string) bool { return matcher == "" || matcher == "*" }

// hookFile is a file with hooks. data is as it stands on the disk, doc as the agent reads it.
type hookFile struct {
	path    string
	project bool // part of the project
	data    []byte
	doc     *jsonc.Document // nil when the agent reads nothing of it
}

// foundHook is a handler that calls aoctl. Its line may do more than call aoctl; whether it does,
// hookline.Read says later.
type foundHook struct {
	event          string
	group, handler int // their places in the event's array and in the group
	node           *jsonc.Node
	command        string
	matcher        *jsonc.Node
}

// hookFiles reads the files that there are. A file that the agent cannot read is a
// failure when a hook of ours may stand in it. A file that is not there is no finding: most of
// these are optional.
func (c *checker) hookFiles(d dialect, files ...hookFile) []*hookFile {
	var list []*hookFile
	for _, f := range files {
		// A folder that cannot be told gives an empty path.
		if f.path == "" {
			continue
		}
		var err error
		f.data, err = machine.ReadBounded(f.path, install.MaxSettings)
		if errors.Is(err, machine.ErrNoFile) {
			continue
		}
		if err != nil {
			c.add(Warn, "settings", "make it a readable file, or remove it", "cannot tell what is in %s: %v", f.path, err)
			continue
		}
		text := f.data
		if d.read != nil {
			text = d.read(text)
		}
		if f.doc, err = install.ParseClaude(text); err != nil {
			f.doc = nil
			// Without a hook of ours in it a broken file is its user's own matter.
			if syntax, ok := errors.AsType[*jsonc.SyntaxError](err); ok && bytes.Contains(f.data, []byte("aoctl")) {
				c.add(Fail, "settings", "correct the file by hand", "%s:%d:%d: %s; %s", f.path, syntax.Line, syntax.Col, syntax.Problem, d.broken)
			}
		}
		// A broken file stays in the list: that a gate may stand in it is looked at later.
		list = append(list, &f)
	}
	return list
}

// hooksIn lists the handlers in f that call aoctl, nested in groups or not.
func (d dialect) hooksIn(f *hookFile) []foundHook {
	var found []foundHook
	if f.doc == nil {
		return nil
	}
	all := f.doc.Root.Member("hooks")
	if all == nil || all.Kind != jsonc.ObjectKind {
		return nil
	}
	for i, key := range all.Keys {
		for g, group := range all.Items[i].Children("") {
			handlers := group.Children("hooks")
			// A flat event holds the handlers themselves.
			if group.Member("hooks") == nil {
				handlers = []*jsonc.Node{group}
			}
			for h, handler := range handlers {
				if text, ok := d.command(handler); ok && hookline.Mentions(text) {
					found = append(found, foundHook{key.Name, g, h, handler, text, group.Member("matcher")})
				}
			}
		}
	}
	return found
}

// command is the line of a handler; false when it has none. The first member that the agent knows
// counts, as with the agent.
func (d dialect) command(handler *jsonc.Node) (string, bool) {
	for _, name := range d.commands {
		if v := handler.Member(name); v != nil && v.Kind == jsonc.StringKind {
			return v.Text, true
		}
	}
	return "", false
}

// installedHooks looks at the hooks of aoctl, its own and those that somebody wrote by
// hand. It returns those on events that decide, with their files, and reports whether the
// caller need look further. more, which may be nil, looks at what only this agent has.
func (c *checker) installedHooks(d dialect, files []*hookFile, more func(*hookFile, foundHook)) bool {
	other := 0
	for _, f := range files {
		for _, h := range d.hooksIn(f) {
			// It is counted: hooks that only tell, without one that decides, look like a gate and
			// are none.
			if !slices.Contains(d.gates, h.event) {
				other++
				continue
			}
			c.gateHook(d, f, h)
			if more != nil {
				more(f, h)
			}
		}
	}
	// A gate in the project and one of the user's both run.
	if len(c.r.Gates) > 1 {
		c.add(Warn, "gate", "take out the one too many", "%d gates of aoctl: a call is asked about once for each that differs", len(c.r.Gates))
	}
	if other > 0 && len(c.r.Gates) == 0 {
		c.add(Warn, "gate", "aoctl install "+c.a.Name, "%s of aoctl, none on an event that decides: nothing is asked", machine.Count(other, "hook"))
	}
	for _, f := range files {
		if f.doc == nil && bytes.Contains(f.data, []byte("aoctl")) {
			return true
		}
	}
	return !c.noGate(other)
}

// gateHook checks one hook on an event that decides. A project's hook is judged and never mended.
func (c *checker) gateHook(d dialect, f *hookFile, h foundHook) {
	line, _ := jsonc.Locate(f.doc.Src, h.node.Start)
	c.r.Gates = append(c.r.Gates, GateHook{Agent: c.a.Name, Event: h.event, File: f.path, Command: h.command, Own: !f.project})
	begin := len(c.r.Findings)
	if f.project || !hookline.IsOurs(h.command, c.a.Name) { // no matter who wrote it
		c.add(Warn, "gate", "", "%s:%d, %s: a hook made by hand calls aoctl", f.path, line, h.event)
		c.gateLine(d, h, "correct the hook by hand")
		return
	}
	c.add(OK, "gate", "", "%s:%d, %s: every call is decided in the console", f.path, line, h.event)
	// IsOurs has found it to be one of ours, so it can be read.
	l, _ := hookline.Read(h.command, c.a.Name)
	cure, repair := c.anew(f, l)
	c.gateLine(d, h, cure)
	// Findings before this one get no repair then: written again the line would ask the other
	// console.
	if c.elsewhereAsked(l, cure) {
		begin = len(c.r.Findings) // which console is meant, a person knows
	}
	c.unpinned(l, cure)
	c.mend(begin, repair)
}

// anew is how the hooks of the agent in f would be written again: as a command, and to do
// it. There is no way for the file of a project. The program of the line is kept while it can be
// run: another one may be meant on purpose.
func (c *checker) anew(f *hookFile, l hookline.Line) (cure string, repair *Repair) {
	if f.project {
		return "correct the hook by hand", nil
	}
	o := c.anewOptions(f.path, l, len(l.Words) > 1 && machine.Executable(l.Words[0]) == nil)
	cure = "aoctl install " + c.a.Name + anewFlags(o)
	return cure, &Repair{Key: f.path, Do: func() (string, error) {
		r, err := install.Install(o)
		if err != nil || !r.Changed {
			return "", err
		}
		return fmt.Sprintf("wrote the hooks of %s in %s again", c.a.Title, r.File), nil
	}}
}

// anewOptions are those that write again the hooks whose line is l into a file, with the
// program of the line or with this one.
func (c *checker) anewOptions(file string, l hookline.Line, keep bool) install.Options {
	o := install.Options{Agent: c.a.Name, Scope: install.File, File: file, Mode: install.Gate, Program: c.o.Program, Version: c.r.Version, Now: c.o.Now, ManagedDir: c.o.ManagedDir}
	o.Timeout = min(max(l.Timeout, hookline.MinTimeout), hookline.MaxTimeout)
	if keep {
		o.Program = l.Program()
	}
	if !o.Program.Console.Pinned() {
		o.Program.Console = c.o.Program.Console
	}
	o.Program.AtMost, o.Program.AskDown = l.AtMostAnew(o.Timeout), l.AskDown
	return o
}

// anewFlags are what aoctl install has to be told besides. Only what differs from the defaults is
// named, so that the command stays one that a person reads.
func anewFlags(o install.Options) string {
	flags := ""
	if o.Timeout != hookline.DefaultTimeout {
		flags += " --timeout " + o.Timeout.String()
	}
	if o.Program.AtMost != max(hookline.DefaultAtMost, o.Timeout) {
		flags += " --at-most " + o.Program.AtMost.String()
	}
	if o.Program.AskDown {
		flags += " --on-down ask"
	}
	if at := o.Program.Console; at.URL != "" {
		flags += " --url " + hookline.QuoteIfNeeded(at.URL)
		if at.TokenFile != "" {
			flags += " --token-file " + hookline.QuoteIfNeeded(at.TokenFile)
		}
	}
	return flags
}

// gateLine checks one line and the members beside it.
//
// A line that does more is a warning and no failure: it may be fine, and nobody here can tell.
func (c *checker) gateLine(d dialect, h foundHook, cure string) {
	l, simple := hookline.Read(h.command, c.a.Name)
	switch {
	case !simple:
		c.add(Warn, "command", cure, "it does more than call \"aoctl hook %s\", and cannot be judged: %s", c.a.Name, machine.Shorten(h.command))
	case !l.Guarded:
		c.add(Fail, "command", cure, "not guarded: when the client is missing or dies, the line does not end in exit 2: %s", machine.Shorten(h.command))
	// Such an agent reads exit 2 only together with words.
	case d.loud && !l.Loud:
		c.add(Fail, "command", cure, "its guard exits 2 without a word on standard error, which %s takes for permission: %s", c.a.Title, machine.Shorten(h.command))
	// Older releases of aoctl wrote lines without it.
	case !l.Outlives:
		c.add(Fail, "command", cure, "not the line that aoctl writes now: when a signal ends the hook, as closing the terminal or logging out can, %s lets the call run", c.a.Title)
	default:
		c.add(OK, "command", "", "guarded")
	}
	c.gateTimeout(d, h, l, cure)
	if m := h.matcher; m != nil && !d.matches(h.event, m.Text) {
		c.add(Fail, "matcher", cure, "%q does not let every tool through: the others run", machine.Shorten(m.Text))
	}
	switch {
	// What a failure does is then told by the line alone.
	case d.failSafe == "":
	case h.node.Member(d.failSafe).IsTrue():
		c.add(OK, "fail-closed", "", "%q is true", d.failSafe)
	default:
		c.add(Fail, "fail-closed", cure, "no %q: true: a hook that fails lets the call run", d.failSafe)
	}
	// Several agents know the member, under this name.
	if h.node.Member("async").IsTrue() {
		c.add(Fail, "handler", cure, `"async": true: nobody waits for the answer`)
	}
	if simple {
		c.hookProgram(l.Words[0], cure)
	}
}

// gateTimeout is claudeGateCheck.timeout for all other agents. The names of the timeout and its
// unit come with the dialect; an agent with a hard cap cuts every hook off there, whatever is
// written.
func (c *checker) gateTimeout(d dialect, h foundHook, l hookline.Line, cure string) {
	agent := d.standard
	for _, name := range d.timeouts {
		t := h.node.Member(name)
		if t == nil {
			continue
		}
		v, err := strconv.ParseFloat(t.Text, 64)
		if err != nil || t.Kind != jsonc.NumberKind || v <= 0 {
			c.add(Fail, "timeout", cure, "%q is %s, which is no number above 0: %s", name, machine.Shorten(t.Text), d.broken)
			return
		}
		// The first member that is there counts.
		agent = d.unit(v)
		break
	}
	// With a hard cap the space between agent and client is fixed too.
	grace, own := hookline.Grace, ""
	// What is written in the file does not matter then.
	if at := profile.Of(c.a.Name); at.HardCap > 0 {
		agent, grace, own = min(agent, at.HardCap), at.HardCap-at.Wait, ", whatever its settings say"
	}
	client := l.Longest()
	seen := fmt.Sprintf("%s, %s after %v%s", l.GivesUp(), c.a.Title, agent, own)
	if l.Pinned && own == "" {
		seen += " (pinned)"
	}
	switch {
	case agent <= client:
		c.add(Fail, "timeout", cure, "%s: the agent stops waiting first, and the call runs", seen)
	case agent < client+grace:
		c.add(Warn, "timeout", cure, "%s: less than %v between them", seen, grace)
	case own != "":
		c.add(OK, "timeout", "", "%s; a call can be given no more time", seen)
	default:
		c.add(OK, "timeout", "", "%s%s", seen, l.NoMore(c.a.Name))
	}
}

// switchedOff reports files that turn hooks off with a member such as disableAllHooks. path names
// a member by its path, with dots between.
func (c *checker) switchedOff(files []*hookFile, path, off string) {
	// A file that may hold the gate could not be read, so the rest is looked at as well.
	for _, f := range files {
		if f.doc == nil {
			continue
		}
		v := f.doc.Root
		for name := range strings.SplitSeq(path, ".") {
			v = v.Member(name)
		}
		if v != nil && v.Kind == jsonc.BoolKind && v.Text == off {
			c.add(Fail, "settings", "remove that line from "+f.path, "%s has %q: %s: no hook runs, and nothing is asked", f.path, path, off)
		}
	}
}
