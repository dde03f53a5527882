package risk

import (
	"cmp"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/effects"
)

// Limits of what a Risk carries.
const (
	maxFindings = 50
	maxText     = 400 // bytes of a finding's text
)

// findings collects what is found about one call. about says which element the next ones are
// of; they keep its text.
type findings struct {
	element int    // what the next findings are about
	text    string // its text
	list    []Finding
}

// about moves to another element of the line.
func (f *findings) about(element int, text string) { f.element, f.text = element, text }

// danger, note and guard record what makes a call dangerous, what only deserves a word, and
// what no rule may allow. why is one of our own phrases.
func (f *findings) danger(why string) { f.find(Finding{Class: Dangerous, Why: why}) }

// dangerIn is danger with a sentence that says who does what, "" for none.
func (f *findings) dangerIn(why, says string) {
	f.find(Finding{Class: Dangerous, Why: why, Says: says})
}

// sharpen is dangerIn for what was perhaps found already about the same element, without a
// sentence. So the better sentence is told and not both.
func (f *findings) sharpen(why, says string) {
	i := slices.IndexFunc(f.list, func(old Finding) bool { return old.Element == f.element && old.Why == why && old.Says == "" })
	if i < 0 || says == "" {
		f.dangerIn(why, says)
		return
	}
	f.list[i].Says = says
}

func (f *findings) note(why string) { f.find(Finding{Class: Normal, Why: why}) }

// guard records that the call must not be allowed by any rule.
func (f *findings) guard(why string) { f.find(Finding{Class: Dangerous, Why: why, Guarded: true}) }

func (f *findings) find(found Finding) {
	found.Element, found.Text = f.element, clip(f.text)
	f.list = append(f.list, found)
}

// merge sorts findings, worst first and guarded before others of their class, then by element
// and in the order of the judging, and leaves one of those that say the same: in one sentence,
// or of one text. More than maxFindings are cut off at the harmless end.
func merge(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Class, a.Class), cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Element, b.Element))
	})
	// The same reason about two files stays twice; about one it is told once.
	type key struct{ why, about string }
	seen := map[key]bool{}
	list = slices.DeleteFunc(list, func(f Finding) bool {
		k := key{f.Why, cmp.Or(f.Says, f.Text)}
		again := seen[k]
		seen[k] = true
		return again
	})
	return list[:min(len(list), maxFindings)]
}

// rank puts guarded findings first.
func rank(f Finding) int {
	if f.Guarded {
		return 0
	}
	return 1
}

// clip shortens s to what a finding carries.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// sort is an effect with the words by which a finding has it.
type sort struct {
	effect effects.Effect
	words  *regexp.Regexp
}

// sorts are the effects of what is found, by its words; the first that fits counts. A finding that
// none fits is unknown, so a phrase too few costs a question.
var sorts = sync.OnceValue(func() (list []sort) {
	for _, row := range []struct {
		effect effects.Effect
		words  string
	}{
		{effects.Gate, `(controls|ends or stops|may change|looks inside) aoctl|changes how aoctl|runs another agent|touches`},
		{effects.Secrets, `reads (keys|a stored|a browser|a program's env|what you typed|or changes a private|or sets the clip|a folder too)|shows a password|prints the env|changes (keys|secrets)|has a password|git's list|looks inside another`},
		{effects.Network, `talks|fetches|sends|goes over|opens this machine|reaches|runs (what comes|a program from a URL|on another)|deletes something over|its address`},
		{effects.Push, `pushes|forces a push|deletes on the remote|publishes|deploys|changes where git|writes where others|its name says that others`},
		{effects.Commit, `rewrites the last commit`},
		{effects.Delete, `deletes|throws away|destroys|erases|rewrites|moves a branch|its name says that it deletes`},
		{effects.Outside, `writes outside|writes to a folder|moves files|removes from|reads all of the home|may overwrite all|puts a program|changes a shell|schedules|may run in another`},
		{effects.Install, `installs|changes git's settings for all`},
		{effects.Privilege, `runs as another|runs in another root|changes (users|disks|the|how files|what is mounted)|gives|lets everybody|makes a program run as|stops the machine|switches off|ends|leaves the agent's sandbox|writes to a device|controls`},
	} {
		list = append(list, sort{row.effect, regexp.MustCompile(`^(` + row.words + `)`)})
	}
	return list
})

// Effect is what a finding says that the call does.
func (f Finding) Effect() effects.Effect {
	if f.Guarded {
		return effects.Gate
	}
	for _, row := range sorts() {
		if row.words.MatchString(f.Why) {
			return row.effect
		}
	}
	return effects.Unknown
}
