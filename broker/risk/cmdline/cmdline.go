// Package cmdline asks about the words of one command as somebody does who is wary of it.
//
// Words are read in two ways, because there are two questions. What does this command do? Package
// shell/command answers that: it knows the options of many programs from their pages, tells values
// from operands by them, and doubts the command where it does not know. What might this command do?
// That is asked here, for the danger rules, about programs that no page knows as well, in whatever
// folder they lie and however their name is spelled. So an option counts as given when some way to read
// the words finds it: in a cluster, shortened, behind the subcommand or before it, or as the value
// of another option. What may be an operand is one, and a word after an option may be its value or the
// subcommand. A danger rule that asked the exact reading would miss whatever a page leaves out.
//
// A wary yes is right where it makes a command look worse, and wrong where it excuses one: the -n
// of "git clean -e -n" is a pattern, and git deletes. An option that excuses is asked about with Surely,
// which the program's page must not contradict. Has may say yes too often, Surely too rarely.
package cmdline

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/hookclient/profile"
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
	if len(e.Argv) == 0 {
		return Command{Element: e}
	}
	return New(Program(e.Argv[0]), e.Argv[1:], e)
}

// New are the words of a program of which the element runs it.
func New(name string, words []string, e shell.Element) Command {
	a := Command{Name: name, Words: words, Plain: slices.Index(words, "--"), Element: e}
	if a.Plain < 0 {
		a.Plain = len(words)
	}
	return a
}

// versioned are programs that are also installed under names with a version. They are fewer than those
// of programs.Versioned, because a name that is cut gets what excuses the program as well.
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

// wholeNames are programs that take no shortened options. What begins like one is another option
// there, or one of a program that they run.
var wholeNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, name := range append(strings.Fields("docker podman nerdctl npx npm pnpm yarn bunx bun"), profile.Gather(func(p *profile.Profile) []string { return p.Programs })...) {
		names[name] = true
	}
	return names
})

// Has reports whether one of the options may have been given. "-f" is also found in a cluster such
// as "-rf", "--force" also with a value, or shortened to however few letters, but to three at least of a
// program that takes no shortened ones; a word after one dash that is longer than a letter, such as
// "-delete", must be there as it is.
func (a Command) Has(options ...string) bool {
	least := 1
	if wholeNames()[a.Name] {
		least = 3
	}
	return slices.ContainsFunc(a.Words[:a.Plain], func(w string) bool {
		return slices.ContainsFunc(options, func(o string) bool { return w == o || isShortened(w, o, least) || inCluster(w, o) })
	})
}

// IsOption reports whether a word may give an option of one letter.
func IsOption(word, option string) bool { return word == option || inCluster(word, option) }

// isShortened reports whether a word is the beginning of an option with two dashes, with so many
// letters at least, or all of it, maybe with a value.
func isShortened(word, option string, letters int) bool {
	name, _, _ := strings.Cut(word, "=")
	return strings.HasPrefix(option, "--") && len(name) >= 2+letters && strings.HasPrefix(option, name)
}

// inCluster reports whether an option of one letter is among those of a word such as "-rf".
func inCluster(word, option string) bool {
	if len(option) != 2 || len(word) < 3 || word[0] != '-' || word[1] == '-' {
		return false
	}
	cluster, _, _ := strings.Cut(word[1:], "=")
	return strings.Contains(cluster, option[1:])
}

// Surely reports whether one of the options was given and nothing stands against it: it is spelled
// out, it has no value, and the program's page, where there is one, reads the word as this option.
func (a Command) Surely(options ...string) bool {
	return slices.ContainsFunc(options, func(o string) bool {
		if !slices.ContainsFunc(a.Words[:a.Plain], func(w string) bool { return w == o || inCluster(w, o) }) {
			return false
		}
		given, known := command.Given(a.Element.Argv, o)
		return given || !known
	})
}

// Exactly reports whether one of the words is w.
func (a Command) Exactly(words ...string) bool {
	return a.AnyWord(func(have string) bool { return slices.Contains(words, have) })
}

// Operands are the words that are no options. The value of an option counts as one.
func (a Command) Operands() []string {
	var out []string
	for i, w := range a.Words {
		if i == a.Plain && w == "--" { // not there when it stood before the subcommand
			continue
		}
		if i >= a.Plain || !strings.HasPrefix(w, "-") || w == "-" {
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
			if got, ok := a.After(a.Words[i+1:]).Sub(more); ok {
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
	values := a.Values(options...)
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// Values are all values that the options were given, of which a program may take the last.
func (a Command) Values(options ...string) (values []string) {
	for i, w := range a.Words[:a.Plain] {
		for _, o := range options {
			switch {
			case w == o && i+1 < len(a.Words):
				values = append(values, a.Words[i+1])
			case strings.HasPrefix(o, "--") && strings.HasPrefix(w, o+"="):
				values = append(values, w[len(o)+1:])
			case len(o) == 2 && len(w) > 2 && strings.HasPrefix(w, o):
				values = append(values, w[2:])
			}
		}
	}
	return values
}

// AnyWord reports whether test holds for one of the words.
func (a Command) AnyWord(test func(string) bool) bool { return slices.ContainsFunc(a.Words, test) }

// Through reports whether a command is run by one of these wrappers.
func (a Command) Through(wrappers ...string) bool {
	return slices.ContainsFunc(a.Element.Via, func(w string) bool { return slices.Contains(wrappers, wrapper(w)) })
}

// ThroughOne reports whether a command is run by a wrapper of this kind.
func (a Command) ThroughOne(k programs.Kind) bool {
	return slices.ContainsFunc(a.Element.Via, func(w string) bool { return programs.Is(k, wrapper(w)) })
}

// Is reports whether the program is of a kind.
func (a Command) Is(k programs.Kind) bool { return programs.Is(k, a.Name) }

// wrapper is the program of a wrapper such as "bash -c".
func wrapper(via string) string {
	name, _, _ := strings.Cut(via, " ")
	return Program(name)
}

// SubOf reports whether a subcommand is there, as Sub takes it.
func (a Command) SubOf(names string) bool {
	_, ok := a.Sub(names)
	return ok
}
