package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
)

// BuiltinLook is the id of LookGrant. No rule of a user can have it, as theirs are UUIDs.
const BuiltinLook = "builtin:look"

// BuiltIn is the source of a rule that aoctl brings along.
const BuiltIn = "built in"

// LookGrant is the built-in grant: calls that only look, inside the project, run without a question.
func LookGrant() Rule {
	return Rule{ID: BuiltinLook, Version: 1, Priority: MaxPriority, Enabled: true, Tool: EffectsTool, Effects: effects.Of(effects.Look), Decision: Allow, Source: BuiltIn}
}

// need notes the effects of each element, and with a command those of its operands: they have no say of
// their own. Of a call whose parts are not told apart each element has all of them.
func (c *Call) need() {
	parts := c.risk.Parts
	c.needs = make([]effects.Set, len(c.elems))
	if len(parts) != len(c.elems) {
		var all effects.Set
		for _, p := range parts {
			all |= p
		}
		for i := range c.needs {
			c.needs[i] = all
		}
		return
	}
	owner := 0
	for i := range c.elems {
		if !c.elems[i].operand {
			owner = i
		}
		c.needs[i] |= parts[i]
		c.needs[owner] |= parts[i]
		// What has no say of its own must not pass for it: a grant for the others must hold it, too.
		if c.elems[i].neutral {
			c.unspoken |= parts[i]
		}
	}
}

// Effects are all that the call may do.
func (c *Call) Effects() (all effects.Set) {
	for _, need := range c.needs {
		all |= need
	}
	return all
}

// grantable reports whether a grant may speak for x at all. What may reach further than its effects
// say is none of its business.
func (c *Call) grantable(x *elem) bool {
	if !c.speakable(x) {
		return false
	}
	if x.kind == toolKind {
		return c.readsOnly || c.changesInside()
	}
	if x.kind == shell.Write && c.q.Special != nil && c.q.Special(x.path.real) { // a pipe gives it to another program
		return false
	}
	return x.kind != shell.Read || c.q.mayRead(x.path)
}

// speakable is grantable but for what the files are.
func (c *Call) speakable(x *elem) bool {
	return c.q.Trusted && c.line.agreed() && len(c.input.escapes) == 0 && c.risk.Class != risk.Dangerous && x.doubt == "" && !x.outside
}

// changesInside reports whether a call that runs no command line names plain files of the project and
// nothing else, and is not one that only reads: what that may do, the built-in rule says.
func (c *Call) changesInside() bool {
	files := 0
	for _, v := range c.input.params {
		for i := range v.places {
			p := &v.places[i]
			if p.odd != "" || !patterns.Below(c.q.Place.Project, p.real) || c.q.Special != nil && c.q.Special(p.real) {
				return false
			}
			files++
		}
	}
	return files > 0 && !c.needs[0].Has(effects.Look)
}

// fed reports whether an operand of the command at a place is none of the plain files that a grant
// speaks for: to read a pipe takes from another program.
func (c *Call) fed(at int) bool {
	for i := at + 1; i < len(c.elems) && c.elems[i].operand; i++ {
		if p := c.elems[i].path; p != nil && c.q.Special != nil && p.real != "" && c.q.Special(p.real) {
			return true
		}
	}
	return false
}

// does tries the rules about effects. One that refuses speaks when the element does any of its effects.
func (f *search) does(s *Set) {
	need := f.need()
	for _, e := range s.does {
		if e.rule.Effects&need == 0 || f.passed(e) && e.lenient || !e.live(f.c, f.now) {
			continue
		}
		if e.lenient {
			f.take(e)
			continue
		}
		f.grant = append(f.grant, e)
		if f.keep {
			f.all = append(f.all, e)
		}
	}
}

// granted reports whether all that the element does is granted. An element that does nothing needs a
// grant to look.
func (f *search) granted() bool {
	have := f.have()
	return have != 0 && (f.need() | f.c.unspoken).Within(have) && f.c.grantable(f.x) && !f.c.fed(f.at) && f.c.fitsInside(f.x) && f.c.landsInside(f.x)
}

// knows reports whether a grant speaks for an element that is unsure: its effects are only known when the
// names were looked up on the disk. No other rule does. What the line itself puts at an operand is not there
// yet, so that is not asked for.
func (f *search) knows() bool {
	c, x := f.c, f.x
	switch {
	case !x.names || c.unsure != "":
		return false
	case !x.operand:
		return f.granted()
	}
	return c.speakable(x) && f.have() != 0 && (f.need() | c.unspoken).Within(f.have())
}

// have are the effects that grants for the element allow between them.
func (f *search) have() (have effects.Set) {
	for _, e := range f.grant {
		have |= e.rule.Effects
	}
	return have
}

// fitsInside reports whether all files that the patterns of a command may stand for are plain ones of
// the project, whatever their names: a link may lead anywhere, and to a key. Where nobody
// can look at all of them, it is not.
func (c *Call) fitsInside(x *elem) bool {
	if x.kind != shell.Command || !c.line.Elements[x.at].Glob || c.q.Matches == nil {
		return true
	}
	for _, w := range c.line.Elements[x.at].Argv {
		files, all := c.expand(w, x.dir)
		// The shell looks into the folders on the way, whatever it finds there.
		for i := range w {
			if w[i] == '/' && all {
				var folders []string
				folders, all = c.expand(strings.ReplaceAll(w[:i], "**", "*"), x.dir)
				files = append(files, folders...)
			}
		}
		// A name that begins with a dot is the shell's to leave out, and its pattern is looked at elsewhere.
		if !all || slices.ContainsFunc(files, func(f string) bool { return !c.plainFile(f, strings.HasPrefix(path.Base(f), ".")) }) {
			return false
		}
	}
	return true
}

// expand are the files that a word may stand for if it is a pattern. all: there are no others.
func (c *Call) expand(w, dir string) (files []string, all bool) {
	if !strings.ContainsAny(w, "*?[") {
		return nil, true
	}
	return c.q.Matches(join(dir, w))
}

// plainFile reports whether a file, by its absolute path, leads to one of the project that holds neither keys
// nor the gate. named: that its own name is fine is known already, and only a link is looked at.
func (c *Call) plainFile(file string, named bool) bool {
	real := file
	if c.q.Place.Real != nil {
		real, _ = c.q.Place.Real(file)
	}
	if named && real == file {
		return true
	}
	return patterns.Below(c.q.Place.Project, real) && !risk.SecretAt(c.q.Place)(real) && !risk.Guarded(real, c.q.Place) &&
		(c.q.Special == nil || !c.q.Special(real))
}

// landsInside reports whether what cp and mv put into a folder becomes a plain file of the project. cp
// writes through a link of the same name there. What lies deeper nobody looks at, so a tree may only
// come where nothing is yet. What comes to a hidden place, or is hidden, may be settings there.
func (c *Call) landsInside(x *elem) bool {
	if x.kind != shell.Command || c.q.Exists == nil {
		return true
	}
	a := cmdline.Of(c.line.Elements[x.at])
	ops := a.Operands()
	if a.Name == "git" && len(ops) > 0 && ops[0] == "mv" {
		ops = ops[1:]
	} else if a.Name != "cp" && a.Name != "mv" {
		return true
	}
	if len(ops) < 2 {
		return true
	}
	to := path.Clean(join(x.dir, ops[len(ops)-1]))
	// Where a pattern stands for, nobody looked.
	if strings.Contains(strings.TrimPrefix(to, c.q.Place.Project), "/.") || c.line.Elements[x.at].Glob && strings.ContainsAny(ops[len(ops)-1], "*?[") {
		return false
	}
	tree := a.Name == "cp" && a.Has("-r", "-R", "-a", "--recursive")
	for _, from := range ops[:len(ops)-1] {
		files, all := []string{from}, true
		if c.line.Elements[x.at].Glob && strings.ContainsAny(from, "*?[") && c.q.Matches != nil {
			files, all = c.expand(from, x.dir)
		}
		for _, f := range files {
			entry := path.Join(to, path.Base(f))
			there := c.q.Exists(to) && c.q.Exists(entry)
			if there && (tree || !c.plainFile(entry, false)) || c.q.Exists(to) && hides(f) && c.folder(to) {
				return false
			}
		}
		if !all {
			return false
		}
	}
	return true
}

// hides reports whether a file keeps a hidden name when it is put into a folder, or nobody knows which.
func hides(file string) bool { return strings.HasPrefix(path.Base(file), ".") }

// folder reports whether there is a folder at an absolute path.
func (c *Call) folder(p string) bool { return c.q.Exists(p + "/.") }

// need is what a grant for the element must have.
func (f *search) need() effects.Set {
	if need := f.c.needs[f.at]; need != 0 {
		return need
	}
	return effects.Of(effects.Look)
}

// grants is the ruling of grants that have all of that between them: as few as do, in their order.
func (f *search) grants() ruling {
	r, need := ruling{verdict: Allow}, f.need()
	for _, e := range f.grant {
		switch {
		case e.rule.Effects&need == 0:
			continue
		case r.entry == nil:
			r.entry = e
		default:
			r.rest = append(r.rest, e)
		}
		need &^= e.rule.Effects
	}
	return r
}

// entries are the rules that speak in a ruling, and ids theirs. A built-in rule has no entry.
func (r *ruling) entries() []*entry {
	if r.entry == nil {
		return nil
	}
	return append([]*entry{r.entry}, r.rest...)
}

func (r *ruling) ids() []string {
	list := []string{r.id()}
	for _, e := range r.rest {
		list = append(list, e.rule.ID)
	}
	return list
}
