package rules

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// The parameters of command tools that stand for parts of a command line.
const (
	commandKey = "command"
	cmdKey     = "cmd" // the same under the name that some agents use
	readKey    = "read"
	writeKey   = "write"
	assignKey  = "assign"
)

// pseudoParam is the parameter under which what a command line reads and writes counts as
// the tools Read and Write.
const pseudoParam = "file_path"

// entry is a rule made ready to match. rank is set when a Set is arranged; the rest never
// changes. Patterns that the rule does not have are nil.
type entry struct {
	rule    Rule
	rank    int  // place in the order in which rules speak, from 0
	lenient bool // it does not allow
	tool    *patterns.Text
	conds   []cond // about the input

	command     *patterns.Command
	commandKey  string
	commandText *patterns.Text // command over the text of a tool that runs no command lines
	read, write *patterns.Path
	assign      *patterns.Text
	parts       int // how many of the four are set

	scope [2]string // the project, as it is and in lower case
}

// cond is one pattern over a parameter of the input. One of text, path and url is set; which
// one follows from the key.
type cond struct {
	key  string
	text *patterns.Text
	path *patterns.Path
	url  *patterns.URL
}

// build makes r ready. Errors are of type *Error. Keys are taken in order, so that of several
// errors the same one is told each time.
func build(r Rule) (*entry, error) {
	e := &entry{rule: r, lenient: r.Decision != Allow, scope: [2]string{r.Scope.Project, strings.ToLower(r.Scope.Project)}}
	if err := patterns.Check(r.Tool); err != nil {
		return nil, &Error{"tool", err.Error()}
	}
	var err error
	if e.tool, err = patterns.ParseText(r.Tool, e.lenient); err != nil {
		return nil, &Error{"tool", err.Error()}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Where)) {
		pattern := r.Where[key]
		err := patterns.Check(pattern)
		if err == nil {
			err = e.add(key, pattern)
		}
		if err != nil {
			return nil, &Error{"where." + key, err.Error()}
		}
	}
	return e, nil
}

// add reads the pattern of one parameter. The kind of pattern follows from the parameter's name
// alone: paths and addresses have grammars of their own.
func (e *entry) add(key, pattern string) (err error) {
	switch {
	case key == commandKey || key == cmdKey:
		e.parts++
		// Two parameters would be two rules, and one of them could be overlooked.
		if e.command != nil {
			return errors.New("is the same as where.cmd; give one of them")
		}
		e.commandKey = key
		e.commandText = parseCommandText(pattern, e.lenient)
		e.command, err = patterns.ParseCommand(pattern, e.lenient)
	case key == readKey:
		e.read, err = patterns.ParsePath(pattern, e.lenient)
		e.parts++
	case key == writeKey:
		e.write, err = patterns.ParsePath(pattern, e.lenient)
		e.parts++
	case key == assignKey:
		e.assign, err = patterns.ParseText(pattern, e.lenient)
		e.parts++
	case isPathParam(key):
		c := cond{key: key}
		c.path, err = patterns.ParsePath(pattern, e.lenient)
		e.conds = append(e.conds, c)
	case key == urlParam || strings.HasSuffix(key, "."+urlParam):
		c := cond{key: key}
		c.url, err = patterns.ParseURL(pattern, e.lenient)
		e.conds = append(e.conds, c)
	default:
		c := cond{key: key}
		c.text, err = patterns.ParseText(pattern, e.lenient)
		e.conds = append(e.conds, c)
	}
	return err
}

// parseCommandText reads a command pattern for the text of a tool that runs no command lines. What is
// a line: pattern, or no pattern over texts, fits that very text.
func parseCommandText(pattern string, lenient bool) *patterns.Text {
	body, isLine := strings.CutPrefix(pattern, patterns.LinePrefix)
	if t, err := patterns.ParseText(body, lenient); err == nil && !isLine {
		return t
	}
	t, _ := patterns.ParseText(patterns.EscapeText(body), lenient) // no pattern is empty
	return t
}

// runsCommands reports whether the tool pattern fits a tool that runs command lines. Of a
// pattern that fits several tools one is enough.
func (e *entry) runsCommands() bool {
	for tool := range commandParams {
		if e.tool.Match(tool) {
			return true
		}
	}
	return false
}

// exact reports whether every pattern of the rule is exact, and there is one. Only such a rule
// may speak about dangerous calls: it allows the one call that its author has seen.
func (e *entry) exact() bool {
	if !e.tool.Exact || len(e.tool.Alts) != 1 || e.parts+len(e.conds) == 0 {
		return false
	}
	for _, c := range e.conds {
		if c.path != nil && !c.path.Exact || c.url != nil && !c.url.Exact || c.text != nil && !c.text.Exact {
			return false
		}
	}
	return (e.command == nil || e.command.Exact) && (e.assign == nil || e.assign.Exact) &&
		(e.read == nil || e.read.Exact) && (e.write == nil || e.write.Exact)
}

// live reports whether the rule may speak about c at all, by its age and scope. A refusing rule
// of a project compares without regard to capitals (roots).
func (e *entry) live(c *Call, now time.Time) bool {
	r := &e.rule
	if !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now) || r.MaxUses > 0 && r.Uses >= r.MaxUses {
		return false
	}
	if s := &r.Scope; s.Session != "" && s.Session != c.q.SessionID || s.Agent != "" && s.Agent != c.q.Agent {
		return false
	}
	switch {
	case e.scope[0] == "":
		return true
	// A rule that refuses in a project holds in its folder however its name is written.
	case e.lenient:
		return patterns.Below(e.scope[1], c.roots.project[1])
	}
	return patterns.Below(e.scope[0], c.roots.project[0])
}

// before is the order in which rules speak: see the package comment. Rules that are alike in
// everything else are told apart by their ids, so that the order of a list does not matter. All
// deny rules come first whatever their priority, which is why ranks alone decide in search.
func before(a, b *entry) int {
	ra, rb := &a.rule, &b.rule
	if d := order(ra.Decision == Deny, rb.Decision == Deny); d != 0 {
		return d
	}
	if ra.Priority != rb.Priority {
		return ra.Priority - rb.Priority
	}
	if d := order(ra.Decision == Ask, rb.Decision == Ask); d != 0 {
		return d
	}
	if d := order(ra.Decision == Defer, rb.Decision == Defer); d != 0 {
		return d
	}
	if d := wideness(ra.Scope) - wideness(rb.Scope); d != 0 {
		return d
	}
	if d := ra.CreatedAt.Compare(rb.CreatedAt); d != 0 {
		return d
	}
	return strings.Compare(ra.ID, rb.ID)
}

// order puts what is true first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// wideness is 0 for the narrowest scope, that of a session.
func wideness(s Scope) int {
	return slices.Index([]bool{s.Session != "", s.Project != "", s.Agent != "", true}, true)
}
