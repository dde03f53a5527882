package rules

import (
	"cmp"
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

// like is a tool whose rules speak about the call as well. Without refusing they may allow it
// too.
type like struct {
	tool     string
	refusing bool // only those that ask or deny
}

// readPatch reads the files of a patch, and says which tools do as much: a patch that only
// changes files is an Edit, any other is a Write. What cannot be read allows nothing, and
// refuses what it may touch.
func (in *input) readPatch(p *paths) []like {
	if in.tool != patchTool || in.members == nil {
		return nil
	}
	text, ok := in.members[patchParam].(string)
	var others strings.Builder
	for _, name := range otherPatchParams {
		if s, there := in.members[name].(string); there {
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
		in.doubt("it has no patch that rules can vouch for")
		names, onlyEdits = patch.Mentioned(text+"\n"+others.String()), false
	// What it names all the same may be touched by a reader that is more lenient.
	case err != nil:
		in.doubt("its patch cannot be read: " + err.Error())
		names = patch.Mentioned(text)
	}
	v := in.param(pseudoParam)
	for _, name := range names {
		in.doubt(v.add(pseudoParam, name, p))
	}
	in.patched = names
	return []like{{"Write", false}, {"Edit", !onlyEdits}, {"MultiEdit", !onlyEdits}, {"NotebookEdit", true}}
}

// kin are the tools whose refusals hold for a call of tool as well: one that deletes a file
// writes it, and one that only has the name of a known tool ("copilot:Edit") may be that. They
// never allow.
func kin(tool string) []like {
	agent, name, ok := strings.Cut(tool, ":")
	switch {
	case tool == "Delete":
		name = "Write"
	case !ok || agent == "MCP":
		return nil
	}
	likes := []like{{name, true}}
	if name == "Edit" || name == "Write" {
		likes = append(likes, like{"Write", true}, like{"Edit", true}, like{"MultiEdit", true})
	}
	return likes
}

// patches are the files of the patches that the line applies, as Codex's shell does; nil when
// it applies none. The files are no part of the line that rules could vouch for, so only the
// exact line is allowed, and what any of them denies stays denied. Names are looked for in the
// raw text as well, since a patch may stand in a here-document.
func (r *lineReader) patches(elems []elem) *value {
	// A path in a patch is relative to the folder in which the patch is applied; each that is
	// possible counts.
	texts, dirs, found := []string{r.Raw}, []string{r.dir}, false
	for i := range elems {
		if e := r.Elements[elems[i].at]; risk.AppliesPatch(e) {
			elems[i].exact, found = cmp.Or(elems[i].exact, "applies a patch"), true
			texts, dirs = append(texts, e.Argv[1:]...), append(dirs, elems[i].dir)
		}
	}
	if !found {
		return nil
	}
	v := &value{}
	for _, name := range patch.Mentioned(strings.Join(texts, "\n")) {
		r.doubt(v.add(pseudoParam, name, r.paths))
		for _, dir := range dirs {
			v.places = append(v.places, r.shellPlace(name, dir))
		}
	}
	return v
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

// tryLike tries rules about one such tool. Parts of command lines do not matter to them.
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

// pathKeys are the parameters of the call that hold paths, and what its patch touches. Only the
// outermost ones count, as a draft names parameters that the agent will send again.
func (in *input) pathKeys() []string {
	var keys []string
	for key := range in.members {
		if isPathParam(key) {
			keys = append(keys, key)
		}
	}
	if _, given := in.members[pseudoParam]; !given && len(in.patched) > 0 {
		keys = append(keys, pseudoParam)
	}
	return keys
}
