package risk

import (
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/shell"
)

// args are the words of one command, to be asked about.
type args struct {
	name  string   // of the program: without folder, folded, and without a version
	words []string // after the program, up to the first --, then the rest
	plain int      // how many of words stand before a lone --
	e     shell.Element
}

func argsOf(e shell.Element) args {
	a := args{e: e}
	if len(e.Argv) == 0 {
		return a
	}
	a.name = program(e.Argv[0])
	a.words = e.Argv[1:]
	a.plain = len(a.words)
	for i, w := range a.words {
		if w == "--" {
			a.plain = i
			break
		}
	}
	return a
}

// versioned are programs that are also installed under names with a version.
var versioned = []string{"python", "pypy", "ruby", "perl", "php", "lua", "node", "pip", "gcc", "clang", "tclsh", "bash"}

// program is the name under which tables know argv[0].
func program(word string) string {
	name := strings.TrimSuffix(fold(path.Base(word)), ".exe")
	bare := strings.TrimRight(name, "0123456789.-")
	for _, v := range versioned {
		if bare == v {
			return bare
		}
	}
	return name
}

// has reports whether one of the options was given. "-f" is also found in a cluster
// such as "-rf", "--force" also with a value or shortened to "--forc"; a word after one
// dash that is longer than a letter, such as "-delete", must be there as it is.
func (a args) has(options ...string) bool {
	for _, w := range a.words[:a.plain] {
		for _, o := range options {
			if isOption(w, o) {
				return true
			}
		}
	}
	return false
}

func isOption(word, option string) bool {
	switch {
	case word == option:
		return true
	case strings.HasPrefix(option, "--"):
		name, _, _ := strings.Cut(word, "=")
		return len(name) > 4 && strings.HasPrefix(option, name)
	case len(option) == 2 && len(word) > 2 && word[0] == '-' && word[1] != '-':
		cluster, _, _ := strings.Cut(word[1:], "=")
		return strings.Contains(cluster, option[1:])
	}
	return false
}

// exactly reports whether one of the words is w.
func (a args) exactly(words ...string) bool {
	for _, have := range a.words {
		for _, w := range words {
			if have == w {
				return true
			}
		}
	}
	return false
}

// operands are the words that are no options. The value of an option counts as one.
func (a args) operands() []string {
	var out []string
	for i, w := range a.words {
		if i > a.plain || i < a.plain && !strings.HasPrefix(w, "-") || w == "-" {
			out = append(out, w)
		}
	}
	return out
}

// sub returns the words after the subcommand that names says, such as "release
// create", and whether it is there. Options may stand between, and a word after an
// option may be its value.
func (a args) sub(names string) ([]string, bool) {
	want, more, nested := strings.Cut(names, " ")
	afterOption := false
	for i, w := range a.words {
		switch {
		case strings.HasPrefix(w, "-") && w != "-":
			afterOption = !strings.Contains(w, "=")
		case matches(want, w):
			if !nested {
				return a.words[i+1:], true
			}
			rest := args{words: a.words[i+1:], plain: len(a.words) - i - 1}
			if got, ok := rest.sub(more); ok {
				return got, true
			}
			if !afterOption {
				return nil, false
			}
			afterOption = false
		case afterOption:
			afterOption = false
		default:
			return nil, false
		}
	}
	return nil, false
}

// matches compares a word with alternatives: "a|b*|c".
func matches(pattern, word string) bool {
	for p := range strings.SplitSeq(pattern, "|") {
		if p == word || hasGlob(p) && meet(p, literal(word)) {
			return true
		}
	}
	return false
}

// after returns args of what follows a subcommand.
func (a args) after(words []string) args {
	return args{name: a.name, words: words, plain: min(len(words), max(0, a.plain-(len(a.words)-len(words)))), e: a.e}
}

// value returns the value of the first of the options that was given: the word after
// it, or what is attached to it.
func (a args) value(options ...string) (string, bool) {
	for i, w := range a.words[:a.plain] {
		for _, o := range options {
			switch {
			case w == o && i+1 < len(a.words):
				return a.words[i+1], true
			case strings.HasPrefix(o, "--") && strings.HasPrefix(w, o+"="):
				return w[len(o)+1:], true
			case len(o) == 2 && len(w) > 2 && strings.HasPrefix(w, o):
				return w[2:], true
			}
		}
	}
	return "", false
}

// anyWord reports whether test holds for one of the words.
func (a args) anyWord(test func(string) bool) bool {
	for _, w := range a.words {
		if test(w) {
			return true
		}
	}
	return false
}

// through reports whether a command is run by one of these wrappers.
func (a args) through(wrappers ...string) bool {
	for _, w := range a.e.Via {
		for _, name := range wrappers {
			if program(firstWord(w)) == name {
				return true
			}
		}
	}
	return false
}
