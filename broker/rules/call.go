package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/shell"
)

// Call is a question made ready for rules: read once, its paths followed once. It does not
// change, so several goroutines may judge it.
//
// Prepare reads its parts one after the other: the input, the command line in it, the elements
// of that line. What is found on the way and no longer needed stays with the readers. A call of
// a tool without a command line has a single elem of kind toolKind.
type Call struct {
	q     Question
	roots roots
	input input
	line  commandLine // without a Line for tools that run none
	elems []elem      // what rules speak about, one by one
	likes []like
	risk  risk.Risk

	needs    []effects.Set // the effects of each element with its operands, which a grant must have
	unspoken effects.Set   // of elements without a say
	blamed   []int         // the place of the element that each finding is told with

	unsure    string // not empty: no rule may allow the call, because of this
	unread    string // not empty: nothing of it was parsed, because of this
	readsOnly bool   // what the built-in rule says
	lists     bool   // and the call asks for names only
}

// roots are the folders at which patterns and scopes begin: as they are, and in lower case for
// refusing rules, which take the working folder when there is no project. A refusal must hold
// on a file system that does not tell capitals apart; an allow must not.
type roots struct{ project, home [2]string }

// newCall is the call of q with nothing read.
func newCall(q Question) *Call {
	c := &Call{q: q, elems: []elem{{kind: toolKind}}}
	c.input.tool, c.line.dir = q.Tool, q.Place.CWD
	c.roots.project = [2]string{q.Place.Project, strings.ToLower(cmp.Or(q.Place.Project, q.Place.CWD))}
	c.roots.home = [2]string{q.Place.Home, strings.ToLower(q.Place.Home)}
	return c
}

// Prepare reads q. It never fails: what it cannot read is a call that asks. It follows paths
// through q.Place.Real, and so may wait for the disk; it takes at most maxPlaces such steps.
func Prepare(q Question) *Call {
	c := newCall(q)
	p := &paths{q: &c.q}
	c.input.read(q.Input, p)
	c.likes = c.input.readPatch(p)
	c.likes = append(c.likes, kin(q.Tool)...)
	// The line needs the folder that another parameter may give, so the parameters come first.
	if param, ok := CommandParam(q.Tool); ok {
		c.readCommand(param, p)
	}
	// The first reason is shown; any of them is enough.
	c.unsure = cmp.Or(unsureTool(q.Tool), Personal(q.Tool), c.input.unsure, c.line.unsure)
	at := q.Place
	// The risk of relative paths depends on where the line starts, which the call may choose.
	at.CWD = c.line.dir
	c.risk = risk.Assess(risk.Call{Tool: q.Tool, Input: q.Input, Line: c.line.Line}, at)
	c.blame()
	c.need()
	c.readsOnly = q.Trusted && c.unsure == "" && onlyReads(&c.input, p)
	c.lists = c.readsOnly && onlyLists(&c.input, p)
	return c
}

// unsureTool says why no rule may allow a call of a tool with such a name.
func unsureTool(tool string) string {
	if !plain(tool) || tool == "" {
		return "the name of its tool cannot be shown as it is"
	}
	return ""
}

// readCommand reads the command line in a parameter. When the line applies a patch, the files
// in it count as if a tool had been given them, and rules that refuse Write and Edit speak too.
func (c *Call) readCommand(param string, p *paths) {
	r := &lineReader{paths: p, commandLine: &c.line}
	r.start(&c.input)
	elems, touched := r.read(c.input.members[param])
	if len(elems) > 0 {
		c.elems = elems
	}
	c.line.noSay = !slices.ContainsFunc(c.elems, func(e elem) bool { return !e.neutral && (!e.operand || e.outside) })
	if touched != nil {
		if c.input.params[pseudoParam] == nil {
			c.input.params[pseudoParam] = touched
		}
		c.likes = []like{{"Write", true}, {"Edit", true}, {"MultiEdit", true}}
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
func (c *Call) Line() *shell.Line { return c.line.Line }

// Gits is what is known of the repositories that the call's git commands would use, for
// noticing whether one of them becomes another while the call waits.
func (c *Call) Gits() []risk.Git { return c.line.gits }

// CommandParam names the parameter in which a tool takes a command line. ok is false for tools
// that run none; tool is the common name.
func CommandParam(tool string) (param string, ok bool) {
	param, ok = commandParams[tool]
	return param, ok
}

// Personal says why no rule may allow a call of tool, by its common name: the call is
// itself a question to the user, and nobody else can answer it. "" for all others.
func Personal(tool string) string { return personal[tool] }

// personal are the tools by which an agent asks its user, by their common names.
var personal = map[string]string{
	"AskUserQuestion": "it asks you, and only you can answer",
	"ExitPlanMode":    "it is a plan, and only you can approve it",
}

// commandParams are the tools of the agents that run command lines, by the names that their
// payloads have.
var commandParams = map[string]string{
	"Bash": "command", "Monitor": "command", "run_shell_command": "command",
	"Shell": "command", "shell": "command", "exec_command": "cmd",
}
