package effects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// NamesOf reads the words of a program that prints names of files below folders, each on a line of its own.
// ok is false when it may print anything else.
func NamesOf(argv []string) (s Search, ok bool) {
	switch {
	case len(argv) == 0 || slices.Contains(argv, ""):
		return s, false
	case argv[0] == "find":
		s, ok = SearchOf(argv[1:])
		s.Zero = slices.Contains(argv, "-print0")
		return s, ok && !s.Runs
	case argv[0] == "git":
		return keptNames(argv[1:])
	}
	l, known := listers[argv[0]]
	if !known {
		return s, false
	}
	s, lists, ok := l.read(argv[1:])
	return s, ok && lists
}

// diffOptions are options of diff that have no value and read no other file.
var diffOptions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-[rqNuwbBEZaist]+[0-9]*|--brief|--recursive|--exclude=.+)$`)
})

// Folders are the folders that grep, rg or diff goes through by its words. ok is false when these may name others.
func Folders(argv []string) (starts []string, ok bool) {
	if len(argv) == 0 || slices.Contains(argv, "") {
		return nil, false
	}
	if l, known := listers[argv[0]]; known {
		s, _, ok := l.read(argv[1:])
		return s.Starts, ok
	}
	for _, w := range argv[1:] {
		switch {
		case !strings.HasPrefix(w, "-"):
			starts = append(starts, w)
		case !diffOptions().MatchString(w):
			return nil, false
		}
	}
	return starts, argv[0] == "diff" && len(starts) == 2
}

// PassesLines reports whether a command that reads a pipe prints some of its lines, whole ones, and opens
// no file.
func PassesLines(argv []string) bool {
	if len(argv) == 0 || slices.Contains(argv, "") {
		return false
	}
	words := argv[1:]
	switch argv[0] {
	case "sort":
		return only(words, "-u -r -f -V")
	case "uniq":
		return only(words, "")
	case "head", "tail":
		count, dashed := strings.CutPrefix(strings.Join(words, ""), "-")
		return len(words) == 0 || dashed && (len(words) == 1 || len(words) == 2 && words[0] == "-n") && strings.Trim(strings.TrimPrefix(count, "n"), "0123456789") == ""
	case "grep", "egrep":
		return len(words) > 0 && !strings.HasPrefix(words[len(words)-1], "-") && only(words[:len(words)-1], "-v -E -F -i -w -vE -Ev -iv -vi")
	}
	return false
}

// only reports whether all words are among the allowed ones.
func only(words []string, allowed string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(strings.Fields(allowed), w) })
}

// lister is a program that searches files, and may print their names alone.
type lister struct {
	flags, values, long string // options that change nothing of a name: letters, letters with a value, long ones with theirs behind "="
	deep                bool   // it looks below folders without being told to
}

var listers = map[string]lister{
	"grep": {flags: "lLrRniwxvsEFPGHhaI", values: "emABC", long: "include exclude exclude-dir"},
	"rg":   {flags: "lniwxvsSFPNH", values: "egtTmABC", long: "glob iglob type type-not max-depth regexp", deep: true},
}

// read reads the words behind the program. The first operand is the pattern, unless an option has it.
// lists: it prints names alone.
func (l lister) read(words []string) (s Search, lists, ok bool) {
	deep, pattern := l.deep, false
	var operands []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--null":
			s.Zero = true
		case w == "--files-with-matches", w == "--files-without-match":
			lists = true
		case w == "--files" && l.deep:
			lists, pattern = true, true
		case w == "-", w == "--":
			return s, lists, false // what it reads, or words that look like options
		case strings.HasPrefix(w, "--"):
			name, _, has := strings.Cut(w[2:], "=")
			if !has || !slices.Contains(strings.Fields(l.long), name) {
				return s, lists, false
			}
			pattern = pattern || name == "regexp"
		case strings.HasPrefix(w, "-"):
			c, ok := l.cluster(w[1:])
			if !ok {
				return s, lists, false
			}
			lists, deep, pattern, s.Zero = lists || c.names, deep || c.deep, pattern || c.pattern, s.Zero || c.zero
			if c.next {
				i++
			}
		default:
			operands = append(operands, w)
		}
	}
	if !pattern && len(operands) > 0 {
		operands, pattern = operands[1:], true
	}
	s.Starts = operands
	if len(s.Starts) == 0 {
		s.Starts, s.Bare = []string{"."}, true
	}
	return s, lists, deep && pattern
}

// letters is what options of one letter say.
type letters struct{ names, deep, pattern, zero, next bool }

// cluster reads options of one letter. next: the last one has its value in the next word.
func (l lister) cluster(text string) (c letters, ok bool) {
	for i, r := range text {
		switch {
		case strings.ContainsRune(l.values, r):
			c.pattern, c.next = c.pattern || r == 'e', i == len(text)-1
			return c, true
		case r == 'Z' && !l.deep, r == '0' && l.deep:
			c.zero = true
		case !strings.ContainsRune(l.flags, r):
			return c, false
		case r == 'l' || r == 'L':
			c.names = true
		case r == 'r' || r == 'R':
			c.deep = true
		}
	}
	return c, true
}

// keptOptions are options of "git ls-files" with which it prints names of files that git has.
var keptOptions = wordset.New("-c --cached -m --modified -z --")

// keptNames reads the words of git that lists the files that it has below its folder.
func keptNames(words []string) (s Search, ok bool) {
	if len(words) == 0 || words[0] != "ls-files" {
		return s, false
	}
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") && !keptOptions.Has(w) || strings.HasPrefix(w, ":") || strings.HasPrefix(w, "/") || slices.Contains(strings.Split(w, "/"), "..") {
			return s, false
		}
		s.Zero = s.Zero || w == "-z"
	}
	return Search{Starts: []string{"."}, Zero: s.Zero, Bare: true, Kept: true}, true
}
