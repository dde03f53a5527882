package rules

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
)

// search looks for the rules that match one element of a call. It is made for one element and
// used once. Without keep it stops at what cannot change the outcome, which is nearly every
// rule.
type search struct {
	c    *Call
	x    *elem
	at   int // of x among the elements of the call
	now  time.Time
	keep bool // all of them, for an explanation
	also *Set // rules that are tried as if they were in force, too; nil for none
	all  []*entry
	idle []*entry // allow rules that match and may not speak, for an explanation

	grant []*entry // grants that are in force for the call

	best  *entry // the one that speaks
	maybe *entry // a deny rule that would match if a wildcard of the line reaches its files
}

// search tries the rules of s, and those that f tries as well.
func (s *Set) search(f *search) {
	s.find(f)
	if f.also != nil {
		f.also.find(f)
	}
}

// find tries the rules about the call's tool, then those about tools that do the same: a line
// that writes a file is refused by a rule about Write, also by one about Edit.
func (s *Set) find(f *search) {
	own := s.tools[f.c.q.Tool]
	f.shelf(own)
	f.shelf(s.wild)
	f.likes(s)
	f.does(s)
	switch f.x.kind {
	case shell.Read:
		f.files(s, "Read", false)
	case shell.Write:
		f.files(s, "Write", false)
		f.files(s, "Edit", true)
	case shell.Command, shell.Assign, shell.Unknown, toolKind:
	}
}

// shelf tries the rules about the call's own tool. Rules about a whole line are tried for each
// element, as they speak for all.
func (f *search) shelf(h *shelf) {
	if h == nil {
		return
	}
	f.try(h.whole)
	if f.x.kind != toolKind {
		f.try(h.byLine[f.c.line.trimmed()])
		// A rule for a plain line's words speaks for its files and variables as well.
		if w := f.c.line.whole; w != nil {
			f.try(h.byName[w.Name])
		}
	}
	switch f.x.kind {
	case toolKind:
		f.try(h.command)
		// The tool runs no line that could be taken apart, so a rule about commands is matched
		// with its parameter as a text (plainCommand).
		for _, list := range h.byName {
			f.try(list)
		}
		for _, list := range h.byLine {
			f.try(list)
		}
	case shell.Command:
		f.try(h.command)
		f.try(h.byName[f.x.spoken.Name])
		// A refusing rule about rm fits /bin/rm as well; the pattern decides.
		if f.x.spoken.Base != f.x.spoken.Name {
			f.try(h.byName[f.x.spoken.Base])
		}
		// Rules that refuse match these; one that allows does so by a runner's own words alone.
		for i := range f.x.others {
			f.try(h.byName[f.x.others[i].Name])
			f.try(h.byName[f.x.others[i].Base])
		}
	case shell.Read:
		f.try(h.read)
	case shell.Write:
		f.try(h.write)
	case shell.Assign:
		f.try(h.assign)
	case shell.Unknown:
	}
}

// passed reports whether e cannot change the outcome any more.
func (f *search) passed(e *entry) bool {
	return !f.keep && f.best != nil && e.rank >= f.best.rank
}

// try tries rules one by one. The cheap questions come first.
func (f *search) try(list []*entry) {
	for _, e := range list {
		if f.passed(e) || !e.tool.Match(f.c.q.Tool) || !e.live(f.c, f.now) {
			continue
		}
		if !f.conditions(e) || !f.part(e) {
			continue
		}
		if f.eligible(e) {
			f.take(e)
		} else if f.keep && !slices.Contains(f.idle, e) {
			f.idle = append(f.idle, e)
		}
	}
}

// take notes a rule that matches and may speak. The one with the lowest rank wins, whatever the
// order in which they are tried.
func (f *search) take(e *entry) {
	if f.best == nil || e.rank < f.best.rank {
		f.best = e
	}
	if f.keep && !slices.Contains(f.all, e) {
		f.all = append(f.all, e)
	}
}

// eligible reports whether an allow rule that matches may speak for the element. It is where a
// match is not enough: doubts, guarded files, parameters that lift a sandbox, lines that shells
// read differently, and dangerous calls. Rules that refuse are always eligible.
func (f *search) eligible(e *entry) bool {
	if e.lenient {
		return true
	}
	c := f.c
	if c.unsure != "" || f.x.unsure != "" || c.risk.Guarded || !c.input.escapesNamed(e) {
		return false
	}
	if !c.line.agreed() && !e.namesLine(c) {
		return false
	}
	// A rule of one project does not hold for a part of the line that has gone elsewhere.
	if e.scope[0] != "" && f.x.kind != toolKind && !patterns.Below(e.scope[0], f.x.dir) && f.x.dir != c.line.dir {
		return false
	}
	dangerous := c.risk.Class == risk.Dangerous
	if !dangerous && f.x.exact == "" {
		return true
	}
	// Spelling out the first words is enough for these, and is not for dangerous calls.
	if !dangerous && f.x.named > 0 && !f.x.behind && e.command != nil && e.command.Spells(f.x.spoken.Argv, f.x.named) {
		return true
	}
	return (!dangerous || e.rule.Dangerous) && f.exactly(e)
}

// exactly reports whether a matching rule names the element without any wildcard. A command
// behind a wrapper is not named by its own words alone: the rule has to name the line.
func (f *search) exactly(e *entry) bool {
	if e.namesLine(f.c) {
		return true
	}
	switch f.x.kind {
	case shell.Command:
		return e.command != nil && e.command.Exact && !f.x.behind
	case shell.Read:
		return e.read != nil && e.read.Exact || e.parts == 0 && e.namesFile()
	case shell.Write:
		return e.write != nil && e.write.Exact || e.parts == 0 && e.namesFile()
	case shell.Assign:
		return e.assign != nil && e.assign.Exact
	case toolKind:
		return e.exact() && f.c.input.allNamed(e)
	case shell.Unknown:
	}
	return false
}

// namesFile reports whether e is a rule about one file as a tool names it, which then also
// vouches for a command line that opens this file.
func (e *entry) namesFile() bool {
	return len(e.conds) == 1 && e.conds[0].key == pseudoParam && e.conds[0].path.Exact
}

// allNamed reports whether e has a pattern for every path and URL of the call. Else an exact
// rule could leave the one that matters open.
func (in *input) allNamed(e *entry) bool {
	for key, v := range in.params {
		if len(v.places)+len(v.urls) > 0 && !e.about(key) {
			return false
		}
	}
	return true
}

// escapesNamed reports whether e names every parameter that changes what the tool does.
func (in *input) escapesNamed(e *entry) bool {
	for _, key := range in.escapes {
		if !e.about(key) {
			return false
		}
	}
	return true
}

// about reports whether e has a pattern over that parameter of the input.
func (e *entry) about(key string) bool {
	for i := range e.conds {
		if e.conds[i].key == key {
			return true
		}
	}
	return false
}

// conditions reports whether the patterns over the input match. A parameter that the call does
// not have matches no pattern, not even "*".
func (f *search) conditions(e *entry) bool {
	for i := range e.conds {
		v := f.c.input.params[e.conds[i].key]
		if v == nil || !e.conds[i].match(v, e, f.c) {
			return false
		}
	}
	return true
}

// match fits a parameter. On the strict side every way to read it must fit, on the lenient one
// any. The loops return as soon as one value decides.
func (d *cond) match(v *value, e *entry, c *Call) bool {
	if d.path != nil {
		return d.matchPath(v, e, c)
	}
	if d.url != nil {
		for i := range v.urls {
			if e.lenient && d.url.MatchLenient(&v.urls[i]) {
				return true
			}
			if !e.lenient && !d.url.MatchStrict(&v.urls[i]) {
				return false
			}
		}
		// A value that is no address has fewer of these than texts.
		return !e.lenient && len(v.urls) >= len(v.texts)
	}
	for _, s := range v.texts {
		if d.text.Match(s) == e.lenient {
			return e.lenient
		}
	}
	return !e.lenient
}

// matchPath fits all paths of a parameter. A glob that may leave its folder is not vouched for
// by the folder that it names.
func (d *cond) matchPath(v *value, e *entry, c *Call) bool {
	for i := range v.places {
		if e.matchPath(d.path, &v.places[i], c) == e.lenient {
			return e.lenient
		}
	}
	return !e.lenient && len(v.places) >= len(v.texts) && len(v.places) > 0 && !c.input.leavesFolder()
}

// matchPath fits one path: where it really leads on the strict side, every form of it
// on the lenient one.
func (e *entry) matchPath(p *patterns.Path, at *located, c *Call) bool {
	if !e.lenient {
		return at.odd == "" && at.real != "" && p.Match(at.real, e.start(c, 0), c.roots.home[0])
	}
	// Both the pattern and the forms are in lower case.
	for _, form := range at.low {
		if p.Match(form, e.start(c, 1), c.roots.home[1]) {
			return true
		}
	}
	return false
}

// start is where relative patterns of e start: the project of the rule, else that of the call.
// low is 1 for the form in lower case.
func (e *entry) start(c *Call, low int) string {
	if e.scope[low] != "" {
		return e.scope[low]
	}
	return c.roots.project[low]
}

// part reports whether what e says about parts of a command line fits the element, and whether
// all that it says fits some part of the line. A rule without parts is about the call as a
// whole and so about each element.
func (f *search) part(e *entry) bool {
	if e.parts == 0 {
		return true
	}
	if f.x.kind == toolKind {
		return f.plainCommand(e)
	}
	if !e.namesLine(f.c) && !e.matchElem(f.x, f.c) && !f.reaches(e) {
		return false
	}
	return e.parts == 1 || e.wholly(f.c)
}

// plainCommand matches a rule about a command with a tool that aoctl does not know to run
// command lines. Its text is not read as one, so no wildcard may vouch for it. A rule that
// refuses fits the text as it fits others.
func (f *search) plainCommand(e *entry) bool {
	if e.parts != 1 || !e.lenient && !e.commandText.Exact {
		return false
	}
	v := f.c.input.params[e.commandKey]
	if v == nil {
		return false
	}
	d := cond{text: e.commandText}
	return d.match(v, e, f.c)
}

// namesLine reports whether e names the whole command line: character by character, or by the
// words of a line that is one plain command.
func (e *entry) namesLine(c *Call) bool {
	if e.command == nil || !e.command.Exact || c.line.Line == nil {
		return false
	}
	if e.command.IsLine {
		return e.command.Line == c.line.trimmed()
	}
	if c.line.whole == nil {
		return false
	}
	return e.command.NamesWords(c.line.whole.Argv)
}

// wholly reports whether each of the parts that e names is in the line. A rule with a command
// and a file is about lines that have both.
func (e *entry) wholly(c *Call) bool {
	found := 0
	// Each part is tried as if it were a rule of its own.
	for _, part := range []entry{{command: e.command}, {read: e.read}, {write: e.write}, {assign: e.assign}} {
		part.lenient, part.scope = e.lenient, e.scope
		if slices.ContainsFunc(c.elems, func(x elem) bool { return part.matchElem(&x, c) }) || part.namesLine(c) {
			found++
		}
	}
	return found == e.parts
}

// matchElem fits one element by what e says about its kind; a rule that says nothing of it does
// not fit.
func (e *entry) matchElem(x *elem, c *Call) bool {
	switch x.kind {
	case shell.Command:
		return e.command != nil && e.matchCommand(x)
	case shell.Read:
		return e.read != nil && e.matchPath(e.read, x.path, c)
	case shell.Write:
		return e.write != nil && e.matchPath(e.write, x.path, c)
	case shell.Assign:
		return e.assign != nil && e.assign.Match(x.assign)
	case shell.Unknown, toolKind:
	}
	return false
}

// matchCommand fits the words of a command. For rules that refuse, wrappers may stand in front.
func (e *entry) matchCommand(x *elem) bool {
	if !e.lenient {
		// "uv run pytest *" names the runner and its program, and so says less than "pytest *".
		return e.command.MatchStrict(&x.spoken) || x.front > 0 && e.command.Spells(x.others[0].Argv, x.front+1)
	}
	if e.command.MatchLenient(&x.spoken) {
		return true
	}
	for i := range x.others {
		if e.command.MatchLenient(&x.others[i]) {
			return true
		}
	}
	return false
}
