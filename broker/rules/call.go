package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
)

// Call is a question made ready for rules: read once, its paths followed once. It
// does not change, so several goroutines may judge it.
type Call struct {
	q       Question
	params  map[string]*value
	input   map[string]any
	line    *shell.Line
	raw     string // the command line
	trimmed string // raw without blanks at its ends
	dir     string // where the command line starts; absolute, or "" when not known
	away    bool   // it starts outside the project
	risk    risk.Risk
	elems   []elem
	unsure  string // not empty: no rule may allow the call, because of this
	unread  string // not empty: nothing of it was parsed, because of this

	escapes   []string          // keys that change what the tool does; an allow rule must name them
	whole     *patterns.Spoken  // the words of a line that is one plain command
	text      *patterns.RawText // of a line that is not fully understood, which deny rules search
	unclear   bool
	noSay     bool      // no element has a say of its own, so all of them have
	project   [2]string // as it is; for refusing rules in lower case, and the working folder when there is none
	home      [2]string
	readsOnly bool     // what the built-in rule says
	lists     bool     // and the call asks for names only
	places    int      // followed so far
	patched   []string // the files of its patch
	likes     []like
	gits      []risk.Git
}

// elem is one element of a call, as rules look at it.
type elem struct {
	kind    shell.Kind        // toolKind for calls that run no command line
	at      int               // place in the line's elements
	spoken  patterns.Spoken   // of a command
	others  []patterns.Spoken // the same with its wrappers in front
	front   int               // when not 0: so many words of others[0] are its only wrapper
	path    *located          // of a read or write
	program *located          // of a command that is named by a path
	assign  string            // NAME=value
	neutral bool
	operand bool
	outside bool // an operand that is written outside the project, which no rule about a command's first words vouches for
	exact   string
	named   int  // with exact, when not 0: so many first words are enough
	behind  bool // a wrapper changes what the words mean, so only the whole line names it
	unsure  string
	dir     string // absolute, "" when not known
}

const toolKind shell.Kind = "tool"

// located is a path that a call names.
type located struct {
	given string
	abs   string // absolute and clean, as given; "" when there is no telling
	real  string // where it leads; "" when there is no telling
	odd   string // not empty: why no rule may vouch for it
	forms []string
	low   []string // forms in lower case, for refusing rules
	wide  []string // a glob in lower case, by parts, over all that a wildcard or a tree may reach; none for one file
}

// Prepare reads q. It never fails: what it cannot read is a call that asks.
func Prepare(q Question) *Call {
	c := &Call{q: q, dir: q.Place.CWD}
	c.project = [2]string{q.Place.Project, strings.ToLower(first(q.Place.Project, q.Place.CWD))}
	c.home = [2]string{q.Place.Home, strings.ToLower(q.Place.Home)}
	if !plain(q.Tool) || q.Tool == "" {
		c.doubt("the name of its tool cannot be shown as it is")
	}
	if why := Personal(q.Tool); why != "" {
		c.doubt(why)
	}
	c.readInput()
	if q.Tool == patchTool && c.input != nil {
		c.readPatch()
	}
	c.readKin()
	if param, ok := CommandParam(q.Tool); ok {
		c.readCommand(param)
	} else {
		c.elems = []elem{{kind: toolKind}}
	}
	at := q.Place
	at.CWD = c.dir
	c.risk = risk.Assess(risk.Call{Tool: q.Tool, Input: q.Input, Line: c.line}, at)
	c.readsOnly = q.Trusted && c.onlyReads()
	c.lists = c.readsOnly && c.onlyLists()
	return c
}

// doubt keeps the first reason why no rule may allow the call.
func (c *Call) doubt(why string) {
	if c.unsure == "" {
		c.unsure = why
	}
}

// Risk is how dangerous the call is.
func (c *Call) Risk() risk.Risk { return c.risk }

// Question is what was asked.
func (c *Call) Question() Question { return c.q }

// SessionID is the session that the call is of.
func (c *Call) SessionID() string { return c.q.SessionID }

// Tool is the agent's name for the tool.
func (c *Call) Tool() string { return c.q.Tool }

// Line is the command line of the call, nil for tools that run none.
func (c *Call) Line() *shell.Line { return c.line }

// Files are the absolute paths of every file that the call names, as given and as they
// lead, each once, for noticing whether one of them changes while the call waits.
func (c *Call) Files() []string {
	var files []string
	add := func(p *located) {
		if p == nil {
			return
		}
		for _, f := range [...]string{p.abs, p.real} {
			if f != "" {
				files = append(files, f)
			}
		}
	}
	for _, v := range c.params {
		for i := range v.places {
			add(&v.places[i])
		}
	}
	for i := range c.elems {
		e := &c.elems[i]
		add(e.path)
		add(e.program)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// maxOperands is how many words of a line are taken for files it may run.
const maxOperands = 2000

// Operands are the absolute paths that words of the line's commands, and what stands
// behind the = of one, would be if they were files: those that may run what such a word
// names are not always known to read it. Each once, at most maxOperands; for noticing
// whether a file changes while the call waits.
func (c *Call) Operands() []string {
	if c.line == nil {
		return nil
	}
	var files []string
	for i := range c.elems {
		x := &c.elems[i]
		dir := first(x.dir, c.dir)
		if x.kind != shell.Command || dir == "" {
			continue
		}
		for _, w := range c.line.Elements[x.at].Argv[min(1, len(c.line.Elements[x.at].Argv)):] {
			if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
				w = value
			}
			if w == "" || strings.HasPrefix(w, "-") || len(w) > maxOperandName || len(files) >= maxOperands {
				continue
			}
			if !path.IsAbs(w) {
				w = path.Join(dir, w)
			}
			files = append(files, path.Clean(w))
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// maxOperandName is the longest word that is taken for a file's name, in bytes.
const maxOperandName = 4096

// CommandParam names the parameter in which a tool takes a command line.
func CommandParam(tool string) (param string, ok bool) {
	param, ok = commandParams[tool]
	return param, ok
}

// Personal says why no rule may allow a call of tool, by its common name: the call is
// itself a question to the user, and nobody else can answer it. "" for all others.
func Personal(tool string) string { return personal[tool] }

var personal = map[string]string{
	"AskUserQuestion": "it asks you, and only you can answer",
	"ExitPlanMode":    "it is a plan, and only you can approve it",
}

var commandParams = map[string]string{
	"Bash": "command", "Monitor": "command", "run_shell_command": "command",
	"Shell": "command", "shell": "command", "exec_command": "cmd",
}
