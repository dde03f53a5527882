package command

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// optionLists is what rows that list the same options have in common.
type optionLists struct {
	ok, read, write, spill, code, load, exact, unsure string
	single                                            bool
}

// optionRows are the rows of all programs and subcommands that list options. Rows with the
// same lists count once, under the name that comes first.
func optionRows() map[string]*spec {
	all := make(map[string]*spec)
	var add func(name string, s *spec)
	add = func(name string, s *spec) {
		all[name] = s
		for sub, next := range s.subs {
			add(name+" "+sub, next)
		}
	}
	for name, s := range table() {
		add(name, s)
	}
	rows, seen := make(map[string]*spec), make(map[optionLists]bool)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		key := optionLists{s.OK, s.Reads, s.Writes, s.Spills, s.Code, s.Loads, s.Exact, s.Unsure, s.Single}
		if len(s.list.byName) > 0 && !seen[key] {
			rows[name], seen[key] = s, true
		}
	}
	return rows
}

// optionDoes is what a row makes of an option with a word behind it, or with a value that is
// attached, where it takes no other.
func optionDoes(s *spec, o option) string {
	words := []Word{literal(o.name), literal("v")}
	if o.maybe {
		words = []Word{literal(o.name + "=v")}
		if !s.Single && !strings.HasPrefix(o.name, "--") {
			words = []Word{literal(o.name + "v")}
		}
	}
	c := newCall(s, "it", words, &Meaning{})
	c.parse()
	kind := "flag"
	switch {
	case o.maybe:
		kind = "attached"
	case len(c.rest) == 0:
		kind = "value"
	}
	return kind + ", " + told(c.done())
}

// Each option of a row does what stands in options.txt, where a line has a program, what
// its options do, and the options: "flag" takes no value, "value" the next word,
// "attached" only what is attached; v is that value, r( ) a file that is read, w( ) one that
// is written. An option that is not there is a new one: say what it does.
func TestOptions(t *testing.T) {
	text, err := os.ReadFile("testdata/options.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]map[string]string)
	for _, line := range strings.Split(string(text), "\n") {
		program, rest, ok := strings.Cut(line, ": ")
		if does, list, listed := strings.Cut(rest, ": "); ok && listed && !strings.HasPrefix(line, "# ") {
			if want[program] == nil {
				want[program] = make(map[string]string)
			}
			for _, o := range strings.Fields(list) {
				want[program][o] = does
			}
		}
	}
	for program, s := range optionRows() {
		for name := range want[program] {
			if _, ok := s.list.byName[name]; !ok {
				t.Errorf("%s has no option %s any more", program, name)
			}
		}
		for name, o := range s.list.byName {
			if got := optionDoes(s, o); got != want[program][name] {
				t.Errorf("%s: %s: %s\n\twant %q", program, got, name, want[program][name])
			}
		}
		delete(want, program)
	}
	for program := range want {
		t.Errorf("there is no row %s", program)
	}
}
