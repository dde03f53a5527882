// Package cmdline asks about the words of one command as somebody does who is wary of it.
//
// Package shell/command knows the options of many programs and reads words as they do. Here nothing is
// known of the program: an option counts as given when some way to read the words finds it, in a
// cluster, shortened, or as the value of another one, and what may be an operand is one. That is
// right for questions whose yes makes a command look worse, and wrong for all others.
package cmdline

import (
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
)

// Command are the words of one command, to be asked about.
type Command struct {
	Name    string   // of the program: without folder, folded, and without a version
	Words   []string // after the program, up to the first --, then the rest
	Plain   int      // how many of words stand before a lone --
	Element shell.Element
}

// Of are the words of an element; of one that is no command there are none.
func Of(e shell.Element) Command {
	a := Command{Element: e}
	if len(e.Argv) == 0 {
		return a
	}
	a.Name = Program(e.Argv[0])
	a.Words = e.Argv[1:]
	a.Plain = len(a.Words)
	for i, w := range a.Words {
		if w == "--" {
			a.Plain = i
			break
		}
	}
	return a
}

// versioned are programs that are also installed under names with a version.
var versioned = []string{"python", "pypy", "ruby", "perl", "php", "lua", "node", "pip", "gcc", "clang", "tclsh", "bash"}

// Program is the name under which tables know argv[0].
func Program(word string) string {
	name := strings.TrimSuffix(pathtable.Fold(path.Base(word)), ".exe")
	bare := strings.TrimRight(name, "0123456789.-")
	for _, v := range versioned {
		if bare == v {
			return bare
		}
	}
	return name
}

// Has reports whether one of the options was given. "-f" is also found in a cluster
// such as "-rf", "--force" also with a value or shortened to "--forc"; a word after one
// dash that is longer than a letter, such as "-delete", must be there as it is.
func (a Command) Has(options ...string) bool {
	for _, w := range a.Words[:a.Plain] {
		for _, o := range options {
			if IsOption(w, o) {
				return true
			}
		}
	}
	return false
}

// IsOption reports whether a word may give an option, as Has takes it.
func IsOption(word, option string) bool {
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

// Exactly reports whether one of the words is w.
func (a Command) Exactly(words ...string) bool {
	for _, have := range a.Words {
		for _, w := range words {
			if have == w {
				return true
			}
		}
	}
	return false
}

// Operands are the words that are no options. The value of an option counts as one.
func (a Command) Operands() []string {
	var out []string
	for i, w := range a.Words {
		if i > a.Plain || i < a.Plain && !strings.HasPrefix(w, "-") || w == "-" {
			out = append(out, w)
		}
	}
	return out
}

// Sub returns the words after the subcommand that names says, such as "release
// create", and whether it is there. Options may stand between, and a word after an
// option may be its value.
func (a Command) Sub(names string) ([]string, bool) {
	want, more, nested := strings.Cut(names, " ")
	afterOption := false
	for i, w := range a.Words {
		switch {
		case strings.HasPrefix(w, "-") && w != "-":
			afterOption = !strings.Contains(w, "=")
		case Matches(want, w):
			if !nested {
				return a.Words[i+1:], true
			}
			rest := Command{Words: a.Words[i+1:], Plain: len(a.Words) - i - 1}
			if got, ok := rest.Sub(more); ok {
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

// Matches compares a word with alternatives: "a|b*|c".
func Matches(pattern, word string) bool {
	for p := range strings.SplitSeq(pattern, "|") {
		if p == word || pathtable.HasGlob(p) && pathtable.Meet(p, pathtable.Literal(word)) {
			return true
		}
	}
	return false
}

// After returns args of what follows a subcommand.
func (a Command) After(words []string) Command {
	return Command{Name: a.Name, Words: words, Plain: min(len(words), max(0, a.Plain-(len(a.Words)-len(words)))), Element: a.Element}
}

// Value returns the value of the first of the options that was given: the word after
// it, or what is attached to it.
func (a Command) Value(options ...string) (string, bool) {
	for i, w := range a.Words[:a.Plain] {
		for _, o := range options {
			switch {
			case w == o && i+1 < len(a.Words):
				return a.Words[i+1], true
			case strings.HasPrefix(o, "--") && strings.HasPrefix(w, o+"="):
				return w[len(o)+1:], true
			case len(o) == 2 && len(w) > 2 && strings.HasPrefix(w, o):
				return w[2:], true
			}
		}
	}
	return "", false
}

// AnyWord reports whether test holds for one of the words.
func (a Command) AnyWord(test func(string) bool) bool {
	for _, w := range a.Words {
		if test(w) {
			return true
		}
	}
	return false
}

// Through reports whether a command is run by one of these wrappers.
func (a Command) Through(wrappers ...string) bool {
	for _, w := range a.Element.Via {
		for _, name := range wrappers {
			if Program(FirstWord(w)) == name {
				return true
			}
		}
	}
	return false
}

// HasShort is args.has, but takes every shortening of a long option for it.
func (a Command) HasShort(options []string) bool {
	for _, w := range a.Words[:a.Plain] {
		name, _, _ := strings.Cut(w, "=")
		for _, o := range options {
			if IsOption(w, o) || len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(o, name) {
				return true
			}
		}
	}
	return false
}

// SubOf reports whether a subcommand is there, as Sub takes it.
func (a Command) SubOf(names string) bool {
	_, ok := a.Sub(names)
	return ok
}

// FirstWord is the first word of a text, such as the program in the name of a wrapper.
func FirstWord(s string) string {
	s, _, _ = strings.Cut(s, " ")
	return s
}
