// Package pathtable has tables of paths, and says whether a path is in one of them.
//
// A table is a list of patterns: of names below any folder, in a home folder, or in the root of
// the disk, some with all that lies below. A path comes as the Forms in which it can be read,
// each cut into folded names, so that no file system takes for the same file what a table takes
// for two. A path may be a pattern itself, as a shell expands it; then the question is whether
// it was plainly meant for a file of the table. The tables only ever make a call look worse, so
// in doubt a path is in them.
//
// Package risk has the tables and makes the forms; nothing here knows what a table is for.
// Names that begin a row without a wildcard are found by a map, since a judgement looks up each
// word of a line in tables of some hundred rows. A Table does not change and may be asked by
// several goroutines. glob.go compares single names with wildcards.
package pathtable

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// entry is one line of a table of paths. Why is the reason that the table gives for it.
type entry struct {
	base  base
	names []name
	below bool // also everything below
	Why   string
}

// name is one name of an entry.
type name struct {
	text string // folded; * stands for any text
	glob bool

	// What stands around the star of a pattern that has one and no other wildcard.
	oneStar       bool
	before, after string
}

// NameOf reads one name of a pattern, which has to be folded.
func NameOf(text string) name {
	n := name{text: text, glob: HasGlob(text)}
	before, after, _ := strings.Cut(text, "*") // of a name without wildcards nobody asks for these
	if !HasGlob(before) && !HasGlob(after) {
		n.oneStar, n.before, n.after = true, before, after
	}
	return n
}

// Fits reports whether got, which is no pattern whatever its characters, is one of the
// names that n stands for.
func (n *name) Fits(got string) bool {
	if !n.glob {
		return got == n.text
	}
	got = Literal(got)
	if n.oneStar {
		return len(got) >= len(n.before)+len(n.after) && strings.HasPrefix(got, n.before) && strings.HasSuffix(got, n.after)
	}
	return Meet(got, n.text)
}

// base is where an entry's names begin.
type base int

const (
	anywhere base = iota // after any folder
	home                 // in a user's home folder
	root                 // in the root of the file system
)

// Table is a list of entries that can be searched by a path's components. The lists have the
// places of entries in all, in its order. The first entry that fits gives the reason, so the
// more telling rows come first.
type Table struct {
	all      []entry
	literal  map[string][]int // that begin anywhere with a name without wildcards, by that name
	anchored map[string][]int // that begin so in the home folder or the root
	wild     []int            // that begin with a wildcard
	other    []int            // anchored and wild
}

// Rows makes the entries of one reason. A pattern that begins with "~/" is anchored in a home
// folder, with "/" in the root, and any other one fits anywhere; one that ends in "/" covers
// everything below as well. Capitals do not matter.
func Rows(why string, patterns ...string) []entry {
	out := make([]entry, 0, len(patterns))
	for _, p := range patterns {
		e := entry{Why: why, below: strings.HasSuffix(p, "/")}
		switch {
		case strings.HasPrefix(p, "~/"):
			e.base, p = home, p[2:]
		case strings.HasPrefix(p, "/"):
			e.base = root
		}
		for _, n := range strings.Split(strings.Trim(Fold(p), "/"), "/") {
			e.names = append(e.names, NameOf(n))
		}
		out = append(out, e)
	}
	return out
}

// New makes a table of the entries of several reasons. The order of groups is that of the
// answers.
func New(groups ...[]entry) *Table {
	t := &Table{all: slices.Concat(groups...), literal: map[string][]int{}, anchored: map[string][]int{}}
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

// Find returns the first entry that one of the forms of a path fits.
func (t *Table) Find(forms []Form) (entry, bool) {
	for _, f := range forms {
		if e, ok := t.FindForm(f); ok {
			return e, true
		}
	}
	return entry{}, false
}

// FindForm returns the first entry that one form of a path fits. Of names that fit anywhere,
// the one nearest to the root is tried first.
func (t *Table) FindForm(f Form) (entry, bool) {
	for at, name := range f.Names {
		for _, i := range t.literal[name] {
			if t.all[i].fits(f, at) {
				return t.all[i], true
			}
		}
		if !f.Glob || !HasGlob(name) {
			continue
		}
		for i := range t.all {
			e := &t.all[i]
			if e.base == anywhere && !e.names[0].glob && e.fits(f, at) {
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
func (t *Table) findOther(f Form) int {
	if f.Glob {
		return t.first(t.other, f)
	}
	found := t.first(t.wild, f)
	for at, name := range f.Names {
		for _, i := range t.anchored[name] {
			if (found < 0 || i < found) && t.all[i].starts(f, at) && t.all[i].fits(f, at) {
				found = i
			}
		}
	}
	return found
}

// first returns the first of the entries in list that fits somewhere in f, or -1.
func (t *Table) first(list []int, f Form) int {
	for _, i := range list {
		for at := range f.Names {
			if t.all[i].starts(f, at) && t.all[i].fits(f, at) {
				return i
			}
		}
	}
	return -1
}

// starts reports whether e may begin at the name of f that has this index. A loose form may lie
// in any home.
func (e *entry) starts(f Form, at int) bool {
	switch {
	case e.base == root:
		return f.Root && at == 0
	case e.base == home && !f.Loose:
		return at == f.Home
	}
	return true
}

// crowded are folders that hold so much else that a pattern for all in them is not
// meant for the one file in question.
var crowded = wordset.New("etc .config .local share state bin usr local home users root proc * lib applications library")

// fits reports whether the names of f from at on are those of e, and end there or, with below,
// go on. A wildcard of the path fits only if it was meant for the name, or stands in a folder
// where nothing else is likely.
func (e *entry) fits(f Form, at int) bool {
	rest := f.Names[at:]
	if len(rest) < len(e.names) || len(rest) > len(e.names) && !e.below {
		return false
	}
	for i := range e.names {
		want, got := &e.names[i], rest[i]
		if !f.Glob || !HasGlob(got) {
			if !want.Fits(got) {
				return false
			}
			continue
		}
		if got != want.text && !Pointed(got, want.text) && (i == 0 || crowded.Has(e.names[i-1].text) || !Meet(got, want.text)) {
			return false
		}
	}
	return true
}

// Literal keeps meet from reading the characters of a plain name as a pattern.
func Literal(name string) string { return noPattern.Replace(name) }

// noPattern writes an x for what would be a wildcard; which letter it is does not matter.
var noPattern = strings.NewReplacer("*", "x", "?", "x", "[", "x", "{", "x")

// Form is one way to write a path, for the tables.
type Form struct {
	Names []string // folded
	Root  bool     // the first name is in the root
	Home  int      // index of the first name in a user's home folder, or -1
	Loose bool     // nobody knows where it starts; it has no root then
	Glob  bool
}

// Split cuts a path into its folded names.
func Split(p string) []string {
	p = strings.Trim(p, "/")
	if p == "" {
		return nil
	}
	return strings.Split(Fold(p), "/")
}

// SamePrefix reports whether names begin with all of prefix.
func SamePrefix(prefix, names []string) bool {
	if len(names) < len(prefix) {
		return false
	}
	for i, n := range prefix {
		if names[i] != n {
			return false
		}
	}
	return true
}

// Along reports whether the first names of f are, or may be, those given. A star does not
// stand for a dot in front, as in shells.
func (f Form) Along(names []string) bool {
	for i, want := range names {
		got := f.Names[i]
		switch {
		case got == want:
		case !f.Glob || !HasGlob(got) || !Meet(got, Literal(want)):
			return false
		case strings.HasPrefix(want, ".") && !strings.HasPrefix(got, "."):
			return false
		}
	}
	return true
}
