package risk

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// tells is what a command does that does nothing by itself: it may tell all the same which files there are
// beyond the project, by how it ends or by what a pattern stands for.
func (j doesJudge) tells(e shell.Element) doing {
	s := j.spotOf(e, false)
	s.tilde, s.glob = true, e.Glob
	for _, p := range tested(e.Argv) {
		if p == "" {
			return does(effects.Unknown, "tests a file that is not known")
		}
		if !j.mayRead(j.resolve(p, s)) {
			return does(effects.Outside, "tests for a file outside the project")
		}
	}
	if e.Glob && slices.ContainsFunc(e.Argv, func(w string) bool {
		return strings.ContainsAny(w, "*?[") && w != "[" && !j.mayRead(j.resolve(w, s))
	}) {
		return does(effects.Outside, "names files outside the project")
	}
	return doing{}
}

// tested are the files that test, or [, looks at; "" for one that is not known.
func tested(argv []string) []string {
	if len(argv) == 0 || argv[0] != "test" && argv[0] != "[" {
		return nil
	}
	words := argv[1:]
	if argv[0] == "[" && len(words) > 0 {
		words = words[:len(words)-1]
	}
	if len(words) > 1 && words[0] == "!" {
		words = words[1:]
	}
	switch {
	case len(words) == 2 && words[0] != "-n" && words[0] != "-z":
		return words[1:]
	case len(words) == 3 && fileCompares.Has(words[1]):
		return []string{words[0], words[2]}
	}
	return nil
}

// fileCompares compare two files; the other operators compare texts and numbers.
var fileCompares = wordset.New("-nt -ot -ef")
