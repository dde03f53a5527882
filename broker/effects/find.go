package effects

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// The tests and actions of find that hand on names of files as they are, those that have a value
// and those that have none.
var (
	findTests  = wordset.New("-name -iname -path -ipath -wholename -type -size -mtime -mmin -maxdepth -mindepth")
	findSimple = wordset.New("-not ! -o -or -a -and ( ) -print -print0 -prune -empty -xdev -depth")
)

// Search is what a program does that only hands on names.
type Search struct {
	Starts []string // the folders that it was given
	Runs   bool     // it runs programs
	Zero   bool     // names end with a zero
	Bare   bool     // nothing stands before the names in the folder itself
	Kept   bool     // they are names that git has, whether they are on the disk or not
}

// SearchOf reads the words of find. ok is false when it may do more, or follow links.
func SearchOf(words []string) (s Search, ok bool) {
	for len(words) > 0 && words[0] != "" && !strings.ContainsAny(words[0][:1], "-(!") {
		s.Starts, words = append(s.Starts, words[0]), words[1:]
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case findTests.Has(w) && i+1 < len(words):
			i++
		case w == "-exec":
			end := slices.IndexFunc(words[i:], func(w string) bool { return w == ";" || w == "+" })
			if end < 2 {
				return s, false
			}
			s.Runs, i = true, i+end
		case !findSimple.Has(w):
			return s, false
		}
	}
	return s, len(s.Starts) > 0
}
