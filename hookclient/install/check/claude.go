package check

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// claudeDefaultTimeout is how long Claude Code waits for a hook without a timeout. Source: runs
// of Claude Code 2.1.329.
const claudeDefaultTimeout = 600 * time.Second

// claudeFile is one settings file of Claude Code as it was read. doc is nil for a file that could
// not be parsed; a dead file may still have one.
type claudeFile struct {
	install.Source
	shared bool // the project's own, which belongs to all who work on it
	data   []byte
	doc    *jsonc.Document
	dead   bool // Claude Code reads nothing of it
}

// claudeGate is a handler of ours on an event that decides.
type claudeGate struct {
	file    *claudeFile
	event   string
	group   *jsonc.Node
	handler *jsonc.Node
}

// handlers goes through the handlers on event, each after its group.
func (f *claudeFile) handlers(event string) iter.Seq2[*jsonc.Node, *jsonc.Node] {
	return func(yield func(group, handler *jsonc.Node) bool) {
		for _, group := range f.doc.Root.Member("hooks").Member(event).Children("") {
			for _, handler := range group.Children("hooks") {
				if !yield(group, handler) {
					return
				}
			}
		}
	}
}

// claude looks at Claude Code, whose settings are many files. It is a checker with what several
// files need in common.
type claude struct {
	*checker
	files []*claudeFile
	gates []claudeGate
}

func init() { checks["claude"] = checkClaude }

// checkClaude looks at the gate in Claude Code's settings, and at what gets round it. The gates
// come first: without one most of the rest has nothing to say.
func checkClaude(agent *checker) {
	c := &claude{checker: agent}
	c.readAll()
	for _, f := range c.files {
		if !f.dead {
			c.tooOld(f)
			c.gates = append(c.gates, claudeGatesIn(f)...)
		}
	}
	// Variables are looked at in all files, before it is known whether there is a gate.
	c.environment()
	// A line in a form of its own is said before "there is no gate", which would be half the
	// truth.
	forms := c.forms()
	if len(c.gates) == 0 {
		c.none(forms)
		return
	}
	for _, g := range c.gates {
		checkClaudeGate(agent, g)
	}
	// Claude Code runs two hooks with the same line once, so only different ones ask twice.
	if len(c.gates) > 1 {
		c.add(Warn, "gate", "aoctl uninstall claude, with --user, --project or --settings FILE for the one too many",
			"%d gates of aoctl: a call is asked about once for each that differs", len(c.gates))
	}
	c.otherHooks()
	c.modes()
	c.serves()
	c.started(claudeSilencers(c.gates)...)
}

// claudeSilencers are the flags that leave out the files in which the gates stand. A gate in the
// user's file does not help a process that was told to read the project's alone.
func claudeSilencers(gates []claudeGate) []silencer {
	return []silencer{
		{flag: "--bare"},
		{flag: "--safe-mode"},
		{flag: "--restricted"},
		// It names the sources that count, so a list without the gate's silences it.
		{flag: "--setting-sources", value: func(v string) bool {
			list := strings.Split(v, ",")
			return !slices.ContainsFunc(gates, func(g claudeGate) bool { return g.file.Name == "" || slices.Contains(list, g.file.Name) })
		}},
		{flag: "--settings", value: func(v string) bool { return strings.Contains(v, "disableAllHooks") }},
	}
}

// readAll reads every settings file that counts in the project, and reports those
// that silence hooks, their own or all. Two names may mean one file, as when the project is the
// home folder; it is read once.
func (c *claude) readAll() {
	list := install.ClaudeSources(c.o.Project, c.o.ManagedDir)
	// A file for --settings has no place of its own, so it is named by whoever asks.
	if c.o.Settings != "" {
		list = append(list, install.Source{Path: c.o.Settings})
	}
	quiet := true
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s.Path] {
			continue
		}
		seen[s.Path] = true
		f := &claudeFile{Source: s, shared: s.Name == "project"}
		n := len(c.r.Findings)
		if c.read(f) {
			c.files = append(c.files, f)
		}
		// A file that something was said of is not counted among the quiet ones.
		quiet = quiet && len(c.r.Findings) == n
	}
	if _, err := install.ClaudeFolder(); err != nil {
		c.add(Warn, "settings", "set HOME", "HOME is not set, so nobody knows where your own settings are")
		quiet = false
	}
	switch {
	case !quiet || len(c.files) == 0:
	case len(c.files) == 1:
		c.add(OK, "settings", "", "%s: nothing in it silences hooks", c.files[0].Path)
	default:
		c.add(OK, "settings", "", "%d files count here: nothing in them silences hooks", len(c.files))
	}
}

// read reads f, and reports false when there is no such file. A file that is dead is kept in the
// list: that it is there, and dead, is what matters.
func (c *claude) read(f *claudeFile) bool {
	var err error
	f.data, err = machine.ReadBounded(f.Path, install.MaxSettings)
	if errors.Is(err, machine.ErrNoFile) {
		return false
	}
	// That it cannot be read here does not mean that Claude Code cannot.
	if err != nil {
		f.dead = true
		c.add(Warn, "settings", "make it a readable file, or remove it", "cannot tell what is in %s: %v", f.Path, err)
		return true
	}
	// Claude Code reads strict JSON and passes over anything else without a word.
	if f.doc, err = install.ParseClaude(f.data); err != nil {
		f.dead = true
		where := f.Path
		if syntax, ok := errors.AsType[*jsonc.SyntaxError](err); ok {
			where = fmt.Sprintf("%s:%d:%d: %s", f.Path, syntax.Line, syntax.Col, syntax.Problem)
		}
		c.add(f.deadStatus(), "settings", "correct the file by hand", "%s; Claude Code ignores this whole file", where)
		return true
	}
	// It is JSON, and still not what Claude Code takes for hooks.
	if err = install.ClaudeShape(f.doc); err != nil {
		f.dead = true
		if syntax, ok := errors.AsType[*jsonc.SyntaxError](err); ok {
			syntax.Path = f.Path
			c.add(f.deadStatus(), "settings", "correct the file by hand", "%s:%d:%d: %s; hooks in this file do not run", f.Path, syntax.Line, syntax.Col, syntax.Problem)
		}
		return true
	}
	for _, text := range install.ClaudeVoids(f.Path, f.doc) {
		// A permission mode that is not known here may be one of a newer release.
		unsure := strings.Contains(text, "may not know")
		f.dead = f.dead || !unsure
		status := f.deadStatus()
		if unsure {
			status = Warn
		}
		c.add(status, "settings", "correct the file by hand", "%s", text)
	}
	c.switches(f)
	return true
}

// deadStatus is how bad it is that f is not read: a gate may stand in it. The name is looked for
// in the raw bytes, as the file could not be parsed.
func (f *claudeFile) deadStatus() Status {
	if bytes.Contains(f.data, []byte("aoctl")) {
		return Fail
	}
	return Warn
}

// switches reports what in f turns off hooks everywhere. An administrator's switch is told apart:
// the user cannot mend it.
func (c *claude) switches(f *claudeFile) {
	if !f.dead && f.doc.Root.Member("disableAllHooks").IsTrue() {
		c.add(Fail, "settings", "remove that line from "+f.Path, `%s has "disableAllHooks": true: no hook runs, and nothing is asked`, f.Path)
	}
	// Anything but a plain false counts: what another value means, Claude Code may know.
	for _, name := range []string{"allowManagedHooksOnly", "strictPluginOnlyCustomization"} {
		if v := f.doc.Root.Member(name); f.Managed && v != nil && v.Text != "false" {
			c.add(Fail, "settings", "ask the administrator to install the gate there", "%s has %q: Claude Code does not run the hooks of users", f.Path, name)
		}
	}
}

// claudeGatesIn lists the handlers of ours in f that decide.
func claudeGatesIn(f *claudeFile) []claudeGate {
	var gates []claudeGate
	for _, mode := range install.Modes() {
		event := install.ClaudeGates[mode]
		// Both modes are looked for, since a file may have a gate of each.
		for group, handler := range f.handlers(event) {
			if claudeAsksUs(handler) {
				gates = append(gates, claudeGate{f, event, group, handler})
			}
		}
	}
	return gates
}

// claudeAsksUs reports whether a handler calls aoctl's hook client and nothing else, in
// whatever form. A line by hand counts as well: whoever wrote it after the manual relies on it.
func claudeAsksUs(handler *jsonc.Node) bool {
	if install.ClaudeIsOurs(handler) {
		return true
	}
	command := handler.Member("command")
	if command == nil || command.Kind != jsonc.StringKind || handler.Member("args") != nil {
		return false
	}
	_, ok := hookline.Read(command.Text, "claude")
	return ok
}

// forms names lines that call aoctl among other things, and says how many there are.
// Whether they decide cannot be judged. A line that does more than call aoctl may end in any way,
// so it is no gate that could be relied on.
func (c *claude) forms() int {
	n := 0
	for _, f := range c.files {
		if f.dead || !hookline.Mentions(string(f.data)) {
			continue
		}
		hooks := f.doc.Root.Member("hooks")
		for i := 0; hooks != nil && i < len(hooks.Items); i++ {
			for _, group := range hooks.Items[i].Children("") {
				for _, h := range group.Children("hooks") {
					command := h.Member("command").String()
					if !hookline.Mentions(command) || claudeAsksUs(h) {
						continue
					}
					// All are counted, and a few are named.
					if n++; n <= install.MaxNamed {
						line, _ := jsonc.Locate(f.doc.Src, h.Start)
						c.add(Warn, "gate", "aoctl install claude, and take that hook out", "%s:%d: a hook on %s calls aoctl in a form that aoctl does not know: %s",
							f.Path, line, machine.Shorten(hooks.Keys[i].Name), machine.Shorten(command))
					}
				}
			}
		}
	}
	return n
}

// none says that there is no gate. A dead file with a gate in it is worse than no gate, since
// somebody believes in it.
func (c *claude) none(forms int) {
	// Something in a file that is not read names aoctl, so its user believes in a gate.
	for _, f := range c.files {
		if f.dead && f.deadStatus() == Fail {
			c.add(Fail, "gate", "", "Claude Code would run none of the hooks: every call runs unasked")
			return
		}
	}
	// An agent that is not installed needs no gate.
	if c.r.Program == "" || forms > 0 {
		return // nothing to guard, or said already
	}
	c.add(Warn, "gate", "aoctl install claude", "no aoctl hook is installed: aoctl does not see its calls")
}

// tooOld reports a file that the Claude Code here takes for a broken one. Such a file takes the
// gate with it, so it is a failure however harmless the hook itself is.
func (c *claude) tooOld(f *claudeFile) {
	hooks := f.doc.Root.Member("hooks")
	for _, event := range install.ClaudeUnknown(c.r.Version) {
		if hooks.Member(event) != nil {
			c.add(Fail, "version", "claude update; or aoctl install claude, which leaves that hook out",
				"%s has a hook on %s, which Claude Code %s does not know: it ignores this whole file, and asks nobody", f.Path, event, c.r.Version)
		}
	}
}
