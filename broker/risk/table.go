package risk

import "strings"

// entry is one line of a table of paths.
type entry struct {
	base  base
	names []string // folded; * stands for any text within a name
	below bool     // also everything below
	why   string
}

// base is where an entry's names begin.
type base int

const (
	anywhere base = iota // after any folder
	home                 // in a user's home folder
	root                 // in the root of the file system
)

// table is a list of entries that can be searched by a path's components.
type table struct {
	all     []entry
	literal map[string][]int // entries that begin anywhere with a name without wildcards, by that name
	other   []int
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
		e.names = strings.Split(strings.Trim(fold(p), "/"), "/")
		out = append(out, e)
	}
	return out
}

func newTable(groups ...[]entry) *table {
	t := &table{literal: map[string][]int{}}
	for _, g := range groups {
		for _, e := range g {
			i := len(t.all)
			t.all = append(t.all, e)
			if e.base == anywhere && !hasGlob(e.names[0]) {
				t.literal[e.names[0]] = append(t.literal[e.names[0]], i)
			} else {
				t.other = append(t.other, i)
			}
		}
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
		for _, e := range t.all {
			if e.base == anywhere && !hasGlob(e.names[0]) && pointed(name, e.names[0]) && e.fits(f, at) {
				return e, true
			}
		}
	}
	for _, i := range t.other {
		if t.all[i].fitsSomewhere(f) {
			return t.all[i], true
		}
	}
	return entry{}, false
}

func (e entry) fitsSomewhere(f form) bool {
	switch {
	case e.base == root && !f.loose:
		return f.root && e.fits(f, 0)
	case e.base == home && !f.loose:
		return f.home >= 0 && e.fits(f, f.home)
	case e.base == root:
		return false
	}
	for at := range f.names {
		if e.fits(f, at) {
			return true
		}
	}
	return false
}

// crowded are folders that hold so much else that a pattern for all in them is not
// meant for the one file in question.
var crowded = set("etc .config .local share state bin usr local home users root proc * lib applications library")

// fits reports whether the names of f from at on are those of e, and end there or,
// with below, go on.
func (e entry) fits(f form, at int) bool {
	rest := f.names[at:]
	if len(rest) < len(e.names) || len(rest) > len(e.names) && !e.below {
		return false
	}
	for i, want := range e.names {
		got := rest[i]
		switch {
		case f.glob && hasGlob(got):
			if !pointed(got, want) && (i == 0 || crowded[e.names[i-1]] || !meet(got, want)) {
				return false
			}
		case got == want:
		case !hasGlob(want) || !meet(literal(got), want):
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
	return strings.NewReplacer("*", "x", "?", "x", "[", "x", "{", "x").Replace(name)
}
