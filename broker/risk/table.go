package risk

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// entry is one line of a table of paths.
type entry struct {
	base  base
	names []name
	below bool // also everything below
	why   string
}

// name is one name of an entry.
type name struct {
	text string // folded; * stands for any text
	glob bool

	// What stands around the star of a pattern that has one and no other wildcard.
	oneStar       bool
	before, after string
}

func nameOf(text string) name {
	n := name{text: text, glob: hasGlob(text)}
	before, after, _ := strings.Cut(text, "*") // of a name without wildcards nobody asks for these
	if !hasGlob(before) && !hasGlob(after) {
		n.oneStar, n.before, n.after = true, before, after
	}
	return n
}

// fits reports whether got, which is no pattern whatever its characters, is one of the
// names that n stands for.
func (n *name) fits(got string) bool {
	if !n.glob {
		return got == n.text
	}
	got = literal(got)
	if n.oneStar {
		return len(got) >= len(n.before)+len(n.after) && strings.HasPrefix(got, n.before) && strings.HasSuffix(got, n.after)
	}
	return meet(got, n.text)
}

// base is where an entry's names begin.
type base int

const (
	anywhere base = iota // after any folder
	home                 // in a user's home folder
	root                 // in the root of the file system
)

// table is a list of entries that can be searched by a path's components. The lists
// have the places of entries in all, in its order.
type table struct {
	all      []entry
	literal  map[string][]int // that begin anywhere with a name without wildcards, by that name
	anchored map[string][]int // that begin so in the home folder or the root
	wild     []int            // that begin with a wildcard
	other    []int            // anchored and wild
}

// rows makes the entries of one reason. A pattern that begins with "~/" is anchored in
// a home folder, with "/" in the root, and any other one fits anywhere; one that ends
// in "/" covers everything below as well.
func rows(why string, patterns ...string) []entry {
	out := make([]entry, 0, len(patterns))
	for _, p := range patterns {
		e := entry{why: why, below: strings.HasSuffix(p, "/")}
		switch {
		case strings.HasPrefix(p, "~/"):
			e.base, p = home, p[2:]
		case strings.HasPrefix(p, "/"):
			e.base = root
		}
		for _, n := range strings.Split(strings.Trim(fold(p), "/"), "/") {
			e.names = append(e.names, nameOf(n))
		}
		out = append(out, e)
	}
	return out
}

func newTable(groups ...[]entry) *table {
	t := &table{all: slices.Concat(groups...), literal: map[string][]int{}, anchored: map[string][]int{}}
	for i := range t.all {
		e, name := &t.all[i], t.all[i].names[0]
		switch {
		case name.glob:
			t.wild = append(t.wild, i)
		case e.base == anywhere:
			t.literal[name.text] = append(t.literal[name.text], i)
			continue
		default:
			t.anchored[name.text] = append(t.anchored[name.text], i)
		}
		t.other = append(t.other, i)
	}
	return t
}

// find returns the first entry that p matches in one of its forms.
func (t *table) find(p target) (entry, bool) {
	for _, f := range p.forms {
		if e, ok := t.findForm(f); ok {
			return e, true
		}
	}
	return entry{}, false
}

func (t *table) findForm(f form) (entry, bool) {
	for at, name := range f.names {
		for _, i := range t.literal[name] {
			if t.all[i].fits(f, at) {
				return t.all[i], true
			}
		}
		if !f.glob || !hasGlob(name) {
			continue
		}
		for i := range t.all {
			e := &t.all[i]
			if e.base == anywhere && !e.names[0].glob && pointed(name, e.names[0].text) && e.fits(f, at) {
				return *e, true
			}
		}
	}
	if i := t.findOther(f); i >= 0 {
		return t.all[i], true
	}
	return entry{}, false
}

// findOther returns the place of the first of the other entries that f fits, -1 when
// there is none. A pattern may be any name, so no name can be looked up for it.
func (t *table) findOther(f form) int {
	if f.glob {
		return t.first(t.other, f)
	}
	found := t.first(t.wild, f)
	for at, name := range f.names {
		for _, i := range t.anchored[name] {
			if (found < 0 || i < found) && t.all[i].starts(f, at) && t.all[i].fits(f, at) {
				found = i
			}
		}
	}
	return found
}

// first returns the first of the entries in list that fits somewhere in f, or -1.
func (t *table) first(list []int, f form) int {
	for _, i := range list {
		for at := range f.names {
			if t.all[i].starts(f, at) && t.all[i].fits(f, at) {
				return i
			}
		}
	}
	return -1
}

// starts reports whether e may begin at the name of f that has this index.
func (e *entry) starts(f form, at int) bool {
	switch {
	case e.base == root:
		return f.root && !f.loose && at == 0
	case e.base == home && !f.loose:
		return at == f.home
	}
	return true
}

// crowded are folders that hold so much else that a pattern for all in them is not
// meant for the one file in question.
var crowded = wordset.New("etc .config .local share state bin usr local home users root proc * lib applications library")

// fits reports whether the names of f from at on are those of e, and end there or,
// with below, go on.
func (e *entry) fits(f form, at int) bool {
	rest := f.names[at:]
	if len(rest) < len(e.names) || len(rest) > len(e.names) && !e.below {
		return false
	}
	for i := range e.names {
		want, got := &e.names[i], rest[i]
		if !f.glob || !hasGlob(got) {
			if !want.fits(got) {
				return false
			}
			continue
		}
		if got != want.text && !pointed(got, want.text) && (i == 0 || crowded.Has(e.names[i-1].text) || !meet(got, want.text)) {
			return false
		}
	}
	return true
}

// literal keeps meet from reading the characters of a plain name as a pattern.
func literal(name string) string {
	if !hasGlob(name) {
		return name
	}
	return noPattern.Replace(name)
}

var noPattern = strings.NewReplacer("*", "x", "?", "x", "[", "x", "{", "x")
