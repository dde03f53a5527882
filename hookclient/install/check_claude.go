package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// claudeDefaultTimeout is how long Claude Code waits for a hook without a timeout.
const claudeDefaultTimeout = 600 * time.Second

// claudeFile is one settings file of Claude Code as it was read.
type claudeFile struct {
	source
	shared bool // the project's own, which belongs to all who work on it
	data   []byte
	doc    *document
	dead   bool // Claude Code reads nothing of it
}

// claudeGate is a handler of ours on an event that decides.
type claudeGate struct {
	file    *claudeFile
	event   string
	group   *node
	handler *node
}

// checkClaude looks at the gate in Claude Code's settings, and at what gets round it.
func checkClaude(c *checker) {
	files := c.claudeFiles()
	var gates []claudeGate
	for _, f := range files {
		if !f.dead {
			gates = append(gates, claudeGatesIn(f)...)
		}
	}
	forms := c.claudeForms(files)
	if len(gates) == 0 {
		c.claudeNone(files, forms)
		return
	}
	for _, g := range gates {
		c.claudeGate(g)
	}
	if len(gates) > 1 {
		c.add(Warn, "gate", "aoctl uninstall claude, with --user, --project or --settings FILE for the one too many",
			"%d gates of aoctl: a call is asked about once for each that differs", len(gates))
	}
	c.claudeOtherHooks(files, gates)
	c.claudeModes(files, gates)
	c.started(claudeSilencers(gates)...)
}

// claudeSilencers are the flags that leave out the files in which the gates stand.
func claudeSilencers(gates []claudeGate) []silencer {
	return []silencer{
		{flag: "--bare"},
		{flag: "--safe-mode"},
		{flag: "--restricted"},
		{flag: "--setting-sources", value: func(v string) bool {
			list := strings.Split(v, ",")
			return !slices.ContainsFunc(gates, func(g claudeGate) bool { return g.file.name == "" || slices.Contains(list, g.file.name) })
		}},
		{flag: "--settings", value: func(v string) bool { return strings.Contains(v, "disableAllHooks") }},
	}
}

// claudeFiles reads every settings file that counts in the project, and reports those
// that silence hooks, their own or all.
func (c *checker) claudeFiles() []*claudeFile {
	list := claudeSources(c.o.Project, c.o.ManagedDir)
	if c.o.Settings != "" {
		list = append(list, source{path: c.o.Settings})
	}
	var files []*claudeFile
	quiet := true
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s.path] {
			continue
		}
		seen[s.path] = true
		f := &claudeFile{source: s, shared: s.name == "project"}
		n := len(c.r.Findings)
		if c.readClaude(f) {
			files = append(files, f)
		}
		quiet = quiet && len(c.r.Findings) == n
	}
	if _, err := claudeConfigDir(); err != nil {
		c.add(Warn, "settings", "set HOME", "where your own settings are cannot be told: HOME is not set")
		quiet = false
	}
	switch {
	case !quiet || len(files) == 0:
	case len(files) == 1:
		c.add(OK, "settings", "", "%s: nothing in it silences hooks", files[0].path)
	default:
		c.add(OK, "settings", "", "%d files count here: nothing in them silences hooks", len(files))
	}
	return files
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// readClaude reads f, and reports false when there is no such file.
func (c *checker) readClaude(f *claudeFile) bool {
	var err error
	f.data, err = readBounded(f.path, maxSettings)
	if errors.Is(err, errNoFile) {
		return false
	}
	if err != nil {
		f.dead = true
		c.add(Warn, "settings", "make it a readable file, or remove it", "cannot tell what is in %s: %v", f.path, err)
		return true
	}
	if f.doc, err = newDocument(f.data); err != nil {
		f.dead = true
		where := f.path
		if syntax, ok := errors.AsType[*SyntaxError](err); ok {
			where = fmt.Sprintf("%s:%d:%d: %s", f.path, syntax.Line, syntax.Col, syntax.Problem)
		}
		c.add(f.deadStatus(), "settings", "correct the file by hand", "%s; Claude Code ignores this whole file", where)
		return true
	}
	if err = claudeCheckShape(f.doc); err != nil {
		f.dead = true
		if syntax, ok := errors.AsType[*SyntaxError](err); ok {
			syntax.Path = f.path
			c.add(f.deadStatus(), "settings", "correct the file by hand", "%s:%d:%d: %s; hooks in this file do not run", f.path, syntax.Line, syntax.Col, syntax.Problem)
		}
		return true
	}
	for _, text := range voidWarnings(f.path, f.doc) {
		unsure := strings.Contains(text, "may not know")
		f.dead = f.dead || !unsure
		status := f.deadStatus()
		if unsure {
			status = Warn
		}
		c.add(status, "settings", "correct the file by hand", "%s", text)
	}
	c.claudeSwitches(f)
	return true
}

// deadStatus is how bad it is that f is not read: a gate may stand in it.
func (f *claudeFile) deadStatus() Status {
	if bytes.Contains(f.data, []byte("aoctl")) {
		return Fail
	}
	return Warn
}

// claudeSwitches reports what in f turns off hooks everywhere.
func (c *checker) claudeSwitches(f *claudeFile) {
	if !f.dead && isTrue(f.doc.root.member("disableAllHooks")) {
		c.add(Fail, "settings", "remove that line from "+f.path, `%s has "disableAllHooks": true: no hook runs, and nothing is asked`, f.path)
	}
	for _, name := range []string{"allowManagedHooksOnly", "strictPluginOnlyCustomization"} {
		if v := f.doc.root.member(name); f.managed && v != nil && v.text != "false" {
			c.add(Fail, "settings", "ask the administrator to install the gate there", "%s has %q: Claude Code does not run the hooks of users", f.path, name)
		}
	}
}

// claudeGatesIn lists the handlers of ours in f that decide.
func claudeGatesIn(f *claudeFile) []claudeGate {
	var gates []claudeGate
	for _, mode := range Modes() {
		event := claudeGates[mode]
		for _, group := range f.doc.root.member("hooks").member(event).children("") {
			for _, handler := range group.children("hooks") {
				if claudeAsksUs(handler) {
					gates = append(gates, claudeGate{f, event, group, handler})
				}
			}
		}
	}
	return gates
}

// claudeAsksUs reports whether a handler calls aoctl's hook client and nothing else, in
// whatever form.
func claudeAsksUs(handler *node) bool {
	if claudeIsOurs(handler) {
		return true
	}
	command := handler.member("command")
	if command == nil || command.kind != kindString || handler.member("args") != nil {
		return false
	}
	_, ok := ReadHookLine(command.text, "claude")
	return ok
}

// claudeForms names lines that call aoctl among other things, and says how many there are.
// Whether they decide cannot be judged.
func (c *checker) claudeForms(files []*claudeFile) int {
	n := 0
	for _, f := range files {
		if f.dead || !mentionsUs(string(f.data)) {
			continue
		}
		hooks := f.doc.root.member("hooks")
		for i := 0; hooks != nil && i < len(hooks.items); i++ {
			for _, group := range hooks.items[i].children("") {
				for _, h := range group.children("hooks") {
					command := textOf(h.member("command"))
					if !mentionsUs(command) || claudeAsksUs(h) {
						continue
					}
					if n++; n <= maxNamed {
						line, _ := locate(f.doc.src, h.start)
						c.add(Warn, "gate", "aoctl install claude, and take that hook out", "%s:%d: a hook on %s calls aoctl in a form of its own, which cannot be judged: %s",
							f.path, line, shorten(hooks.keys[i].name), shorten(command))
					}
				}
			}
		}
	}
	return n
}

// claudeNone says that there is no gate.
func (c *checker) claudeNone(files []*claudeFile, forms int) {
	for _, f := range files {
		if f.dead && f.deadStatus() == Fail {
			c.add(Fail, "gate", "", "none that Claude Code would run: nothing is asked")
			return
		}
	}
	if c.r.Program == "" || forms > 0 {
		return // nothing to guard, or said already
	}
	c.add(Warn, "gate", "aoctl install claude", "no gate installed: aoctl is not asked about anything here")
}

// claudeGate looks at one gate.
func (c *checker) claudeGate(g claudeGate) {
	mode := Gate
	if g.event == claudeGates[Prompts] {
		mode = Prompts
	}
	what := "every call is decided in the console"
	if mode == Prompts {
		what = "only what Claude Code would ask anyway"
	}
	line, _ := locate(g.file.doc.src, g.handler.start)
	c.add(OK, "gate", "", "%s:%d, %s (%s): %s", g.file.path, line, g.event, mode, what)
	command := g.handler.member("command").text
	c.r.Gates = append(c.r.Gates, GateHook{
		Agent: "claude", Event: g.event, File: g.file.path, Command: command,
		Own: g.file.name != "project" && g.file.name != "local",
	})
	l, simple := ReadHookLine(command, "claude")
	if !simple { // the guard of one that only observes, for instance
		l = HookLine{Text: command, Timeout: DefaultTimeout}
	}
	cure, o := c.claudeAnew(g, mode, l)
	begin := len(c.r.Findings)
	if len(l.Words) > 0 {
		if f := c.hookProgram(l.Words[0], cure); f.Status == Fail {
			o.Program = c.o.Program
		} else if f.Status == Warn {
			begin = len(c.r.Findings) // writing the hook anew would not help
		}
	}
	repair := c.claudeRepair(g, o)
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
func (c *checker) claudeAnew(g claudeGate, mode Mode, l HookLine) (cure string, o Options) {
	o = Options{Agent: "claude", Scope: File, File: g.file.path, Mode: mode, Program: c.o.Program, Now: c.o.Now, ManagedDir: c.o.ManagedDir}
	o.Timeout = min(max(l.Timeout, MinTimeout), MaxTimeout)
	if len(l.Words) > 1 {
		o.Program = l.program()
	}
	cure = "aoctl install claude"
	switch {
	case g.file.managed:
		return "ask the administrator to install the gate anew", o
	case g.file.name == "local":
		cure += " --project"
	case g.file.name != "user":
		cure += " --settings " + quotedIfNeeded(g.file.path)
	}
	if mode != Gate {
		cure += " --mode " + string(mode)
	}
	if o.Timeout != DefaultTimeout {
		cure += " --timeout " + o.Timeout.String()
	}
	return cure, o
}

// quotedIfNeeded is s as a word of a shell command that a person may copy.
func quotedIfNeeded(s string) string {
	if words, ok := splitWords(s); ok && len(words) == 1 && words[0] == s {
		return s
	}
	return shellQuote(s)
}

// claudeRepair writes the gate anew; nil for a file that is not the user's alone, and for
// a line that a person wrote.
func (c *checker) claudeRepair(g claudeGate, o Options) *Repair {
	if g.file.managed || g.file.shared || !claudeIsOurs(g.handler) {
		return nil
	}
	return &Repair{Key: g.file.path, Do: func() (string, error) {
		r, err := Install(o)
		if err != nil || !r.Changed {
			return "", err
		}
		return fmt.Sprintf("wrote the hooks of Claude Code in %s anew; the earlier file is %s", r.File, r.Backup), nil
	}}
}

func (c *checker) claudeMatcher(g claudeGate, cure string) {
	if seesAll(g.group) {
		c.add(OK, "matcher", "", "every tool")
		return
	}
	c.add(Fail, "matcher", cure, "only tools that fit %q are asked about; all others run", shorten(g.group.member("matcher").text))
}

func (c *checker) claudeTimeout(g claudeGate, l HookLine, cure string) {
	agent, pinned := claudeDefaultTimeout, "without a timeout of its own"
	if t := g.handler.member("timeout"); t != nil {
		seconds, _ := strconv.ParseFloat(t.text, 64) // its shape was checked
		agent, pinned = time.Duration(min(seconds, 1e9)*float64(time.Second)), "pinned"
	}
	seen := fmt.Sprintf("the client gives up after %v, Claude Code after %v (%s)", l.Timeout, agent, pinned)
	switch {
	case agent <= l.Timeout:
		c.add(Fail, "timeout", cure, "%s: the agent stops waiting first, and the call runs", seen)
	case agent < l.Timeout+claudeGrace:
		c.add(Warn, "timeout", cure, "%s: less than %v between them", seen, claudeGrace)
	default:
		c.add(OK, "timeout", "", "%s", seen)
	}
}

func (c *checker) claudeCommand(g claudeGate, l HookLine, cure string) {
	switch {
	case !l.Guarded || len(l.Words) < 2:
		c.add(Fail, "command", cure, "not guarded: when the client is missing or dies, the line does not end in exit 2: %s", shorten(l.Text))
	case l.Text != l.program().gateCommand("claude", l.Timeout):
		c.add(Warn, "command", cure, "not as aoctl writes it: %s", shorten(l.Text))
	default:
		c.add(OK, "command", "", "guarded, as aoctl writes it")
	}
}

// claudeSwitch looks at the members of the handler that decide what a failure does, and
// whether the handler runs at all.
func (c *checker) claudeSwitch(g claudeGate, cure string) {
	if f := g.handler.member("onFailure"); f == nil || f.text != "block" {
		c.add(Fail, "fail-closed", cure, `no "onFailure": "block": a hook that fails or takes too long lets the call run`)
	} else {
		c.add(OK, "fail-closed", "", `"onFailure": "block"`)
	}
	for _, name := range []string{"if", "async", "asyncRewake", "once", "shell"} {
		v := g.handler.member(name)
		if v == nil || v.kind == kindBool && v.text == "false" || name == "shell" && v.text == "bash" {
			continue
		}
		c.add(Fail, "handler", cure, "%q in the handler: calls can run without waiting for an answer", name)
	}
}

// claudeDrift compares the hooks that only observe, and the words beside the spinner.
func (c *checker) claudeDrift(g claudeGate, mode Mode, l HookLine, cure string) {
	if len(l.Words) < 2 {
		return
	}
	p := l.program()
	var missing, differ []string
	for _, h := range claudeHooks(p, mode, l.Timeout) {
		if h.event == g.event {
			continue
		}
		handler := claudeOursOn(g.file.doc, h.event)
		switch {
		case handler == nil:
			missing = append(missing, h.event)
		case !sameJSON(g.file.doc.src[handler.start:handler.end], h.handler):
			differ = append(differ, h.event)
		}
	}
	switch {
	case len(missing)+len(differ) == 0:
		c.add(OK, "events", "", "%s decides, %d others are told", g.event, len(claudeWatched))
	case len(missing) > 0:
		c.add(Warn, "events", cure, "the console is not told of %s", strings.Join(missing, ", "))
	default:
		c.add(Warn, "events", cure, "not as aoctl writes them: %s", strings.Join(differ, ", "))
	}
}

// claudeOursOn finds the first handler of ours on event.
func claudeOursOn(d *document, event string) *node {
	for _, group := range d.root.member("hooks").member(event).children("") {
		for _, handler := range group.children("hooks") {
			if claudeIsOurs(handler) {
				return handler
			}
		}
	}
	return nil
}
