package risk

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// Assess judges c as it would run at a place. It never fails: what it cannot read is
// at least Normal. The same call at the same place has the same Risk.
func Assess(c Call, at Place) Risk {
	j := newJudge(at)
	if c.Line != nil {
		j.line(c)
	} else {
		j.tool(c)
	}
	return j.risk()
}

// Limits of what a Risk carries.
const (
	maxFindings = 50
	maxText     = 400 // bytes of a finding's text
)

// judge collects what is found about one call.
type judge struct {
	at       Place
	project  []string // folded names of at.Project
	blank    []int    // of these, what mask blanks
	home     []string // folded names of at.Home
	own      [][]string
	followed map[string]string
	lost     bool // some path could not be followed
	looked   int  // words that were looked up as files

	raw      string // the command line
	element  int    // what the findings are about
	text     string // its text
	read     bool   // the call is known to only read
	findings []Finding
}

func newJudge(at Place) *judge {
	project := pathtable.Split(at.Project)
	return &judge{
		at: at, project: project, blank: agentFolders(project), home: pathtable.Split(at.Home), own: ownPaths(at), followed: map[string]string{},
	}
}

func (j *judge) danger(why string) { j.find(Finding{Class: Dangerous, Why: why}) }
func (j *judge) note(why string)   { j.find(Finding{Class: Normal, Why: why}) }

// guard records that the call must not be allowed by any rule.
func (j *judge) guard(why string) { j.find(Finding{Class: Dangerous, Why: why, Guarded: true}) }

func (j *judge) find(f Finding) {
	f.Element, f.Text = j.element, clip(j.text)
	j.findings = append(j.findings, f)
}

// about moves to another element of the line.
func (j *judge) about(element int, text string) { j.element, j.text = element, text }

// risk sums up.
func (j *judge) risk() Risk {
	if j.lost {
		j.about(0, "")
		j.note("some path cannot be followed")
	}
	r := Risk{Class: Normal}
	switch {
	case len(j.findings) > 0:
		r.Findings = merge(j.findings)
		r.Class, r.Why = r.Findings[0].Class, r.Findings[0].Why
	case j.read:
		r.Class, r.Why = Safe, "only looks, inside the project"
	}
	for _, f := range r.Findings {
		r.Guarded = r.Guarded || f.Guarded
	}
	return r
}

// merge sorts findings, worst first and guarded before others of their class, then by
// element and in the order of the judging, and leaves one of those that say the same.
func merge(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Class, a.Class), cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Element, b.Element))
	})
	type key struct{ why, text string }
	seen := map[key]bool{}
	list = slices.DeleteFunc(list, func(f Finding) bool {
		k := key{f.Why, f.Text}
		again := seen[k]
		seen[k] = true
		return again
	})
	return list[:min(len(list), maxFindings)]
}

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
