package rules

import (
	"strings"

	"github.com/aoctl/aoctl/broker/patch"
	"github.com/aoctl/aoctl/broker/risk"
)

// patchTool takes a patch, in the format of Codex, in patchParam. The files that it
// touches count as if they stood in pseudoParam.
const (
	patchTool  = "apply_patch"
	patchParam = "command"
)

// otherPatchParams hold the patch with agents whose readers are not Codex's.
var otherPatchParams = []string{"input", "patch", "patchText"}

// like is a tool whose rules speak about the call as well.
type like struct {
	tool     string
	refusing bool // only those that ask or deny
}

// readPatch reads the files of a patch. What cannot be read allows nothing, and refuses
// what it may touch.
func (c *Call) readPatch() {
	text, ok := c.input[patchParam].(string)
	var others strings.Builder
	for _, name := range otherPatchParams {
		if s, there := c.input[name].(string); there {
			ok = false // and two readers may read two patches
			others.WriteString(s + "\n")
		}
	}
	files, err := patch.Parse(text)
	names, onlyEdits := patch.Paths(files), true
	for _, f := range files {
		onlyEdits = onlyEdits && f.Op == patch.Update && f.MoveTo == ""
	}
	switch {
	case !ok:
		c.doubt("it has no patch that rules can vouch for")
		names, onlyEdits = patch.Mentioned(text+"\n"+others.String()), false
	case err != nil:
		c.doubt("its patch cannot be read: " + err.Error())
		names = patch.Mentioned(text)
	}
	v := c.params[pseudoParam]
	if v == nil {
		v = &value{}
		c.params[pseudoParam] = v
	}
	for _, name := range names {
		c.addValue(v, pseudoParam, name)
	}
	c.patched = names
	c.likes = []like{{"Write", false}, {"Edit", !onlyEdits}, {"MultiEdit", !onlyEdits}, {"NotebookEdit", true}}
}

// readKin finds the tools whose refusals hold for the call as well: one that deletes a file
// writes it, and one that only has the name of a known tool ("copilot:Edit") may be that.
func (c *Call) readKin() {
	agent, name, ok := strings.Cut(c.q.Tool, ":")
	switch {
	case c.q.Tool == "Delete":
		name = "Write"
	case !ok || agent == "MCP":
		return
	}
	c.likes = append(c.likes, like{name, true})
	if name == "Edit" || name == "Write" {
		c.likes = append(c.likes, like{"Write", true}, like{"Edit", true}, like{"MultiEdit", true})
	}
}

// readShellPatch reads the patches that a command line applies, as Codex's shell does: the
// files are no part of the line that rules could vouch for, so only the exact line is
// allowed, and what any of them denies stays denied.
func (c *Call) readShellPatch() {
	texts, dirs, found := []string{c.raw}, []string{c.dir}, false
	for i := range c.elems {
		if e := c.line.Elements[c.elems[i].at]; risk.AppliesPatch(e) {
			c.elems[i].exact, found = first(c.elems[i].exact, "applies a patch"), true
			texts, dirs = append(texts, e.Argv[1:]...), append(dirs, c.elems[i].dir)
		}
	}
	if !found {
		return
	}
	v := &value{}
	for _, name := range patch.Mentioned(strings.Join(texts, "\n")) {
		c.addValue(v, pseudoParam, name)
		for _, dir := range dirs {
			v.places = append(v.places, c.shellPlace(name, dir))
		}
	}
	if c.params[pseudoParam] == nil {
		c.params[pseudoParam] = v
	}
	c.likes = []like{{"Write", true}, {"Edit", true}, {"MultiEdit", true}}
}

// likes tries the rules about the tools that do what the call does: each of them speaks
// for all its files, or for none; one that refuses, for any.
func (f *search) likes(s *Set) {
	for _, l := range f.c.likes {
		if h := s.tools[l.tool]; h != nil {
			f.tryLike(h.whole, l)
		}
		f.tryLike(s.wild.whole, l)
	}
}

func (f *search) tryLike(list []*entry, l like) {
	for _, e := range list {
		if f.passed(e) || l.refusing && !e.lenient || !e.tool.Match(l.tool) || !e.live(f.c, f.now) {
			continue
		}
		if f.conditions(e) && f.eligible(e) {
			f.take(e)
		}
	}
}

// pathKeys are the parameters of the call that hold paths, and what its patch touches.
func (c *Call) pathKeys() []string {
	var keys []string
	for key := range c.input {
		if isPathParam(key) {
			keys = append(keys, key)
		}
	}
	if _, given := c.input[pseudoParam]; !given && len(c.patched) > 0 {
		keys = append(keys, pseudoParam)
	}
	return keys
}
