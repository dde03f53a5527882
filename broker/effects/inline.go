package effects

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

// A program on the command line, or in a here-document, is checked and edited like a file: who may
// write files of the project and run them may do the same in one go. What its text says it does
// beyond the project is named as well (inline_words.go). That is no proof, as a program can hide
// what it does, and in a file it could, too.

// dialect is how one interpreter is given its program.
type dialect struct {
	language string                                        // whose words inline_words.go knows
	takes    string                                        // options with the program in the next word
	plain    string                                        // options that change nothing of what the program may do
	letters  string                                        // those of one letter, which may stand in a cluster
	last     bool                                          // behind the program all words are for the program itself
	text     bool                                          // the first operand is the program
	reads    func(w string, in *inline) (program, ok bool) // other options
}

// dialects are the interpreters by their names, without versions.
var dialects = sync.OnceValue(func() map[string]dialect {
	return map[string]dialect{
		"python": {language: "python", takes: "-c", plain: "-OO -bb", letters: "uBsEIOqb", last: true},
		"node": {
			language: "node", takes: "-e --eval -p --print -pe",
			plain: "--input-type=module --input-type=commonjs --no-warnings --enable-source-maps --trace-warnings --trace-uncaught --experimental-strip-types --experimental-vm-modules",
		},
		"bun":    {language: "node", takes: "-e --eval -p --print"},
		"deno":   {language: "node", plain: "-q --quiet -p --print -T --ext=ts --ext=js --ext=mts --ext=mjs", text: true},
		"ruby":   {language: "ruby", takes: "-e", letters: "wnpla", plain: "-W0 -W1 -W2 -rjson -rset -rdate -rtime -ryaml -rcsv -rpp"},
		"perl":   {language: "perl", takes: "-e -E", letters: "wnpla", reads: perlOption},
		"timeit": {language: "python", takes: "-s --setup -n --number -r --repeat", letters: "vp", text: true},
	}
})

// inline is a program on the command line, as far as it was read.
type inline struct {
	texts    []string // the program, or its parts
	operands []string // what it is given
	rewrites bool     // it changes the files that it is given
}

// Inline says what an interpreter does that is given its program as a word or a here-document, whatever the
// path of the interpreter is. ok is false when that is not known for sure.
func Inline(a cmdline.Command) (d Doing, ok bool) {
	argv := a.Element.Argv
	if len(argv) == 0 || slices.Contains(argv, "") || !strings.HasPrefix(path.Base(argv[0]), a.Name) {
		return Doing{}, false
	}
	name, words := a.Name, argv[1:]
	switch {
	case name == "deno" && len(words) > 0 && words[0] == "eval":
		words = words[1:]
	case name == "deno":
		return Doing{}, false
	case name == "python" && len(words) > 1 && words[0] == "-m" && words[1] == "timeit":
		name, words = "timeit", words[2:]
	}
	dialect, ok := dialects()[name]
	if !ok {
		return Doing{}, false
	}
	in, ok := dialect.read(words)
	if !ok || !in.complete(a, name) {
		return Doing{}, false
	}
	return in.doing(name, dialect.language), true
}

// read reads the words of an interpreter. Each is an option that is known, a program, or what
// the program is given.
func (d dialect) read(words []string) (in inline, ok bool) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			return d.rest(in, words[i+1:]), true
		case w == "-" || !strings.HasPrefix(w, "-"):
			return d.rest(in, words[i:]), true
		}
		program, ok := d.option(w, &in)
		if !ok {
			return in, false
		}
		if !program {
			continue
		}
		// What begins with a dash might be another option to some version.
		if i++; i == len(words) || strings.HasPrefix(words[i], "-") {
			return in, false
		}
		if in.texts = append(in.texts, words[i]); d.last {
			in.operands = words[i+1:]
			break
		}
	}
	return in, true
}

// option reads an option, and reports whether the next word is the program. ok is false when the
// option is not known.
func (d dialect) option(w string, in *inline) (program, ok bool) {
	switch {
	case slices.Contains(strings.Fields(d.plain), w), w[1] != '-' && strings.Trim(w[1:], d.letters) == "":
		return false, true
	case d.given(w):
		return true, true
	case d.reads != nil:
		return d.reads(w, in)
	}
	return false, false
}

// given reports whether the next word is the program: behind such an option, or a cluster with it at the end.
func (d dialect) given(w string) bool {
	takes := strings.Fields(d.takes)
	if slices.Contains(takes, w) {
		return true
	}
	return len(w) > 2 && w[1] != '-' && slices.Contains(takes, "-"+w[len(w)-1:]) && d.letters != "" && strings.Trim(w[1:len(w)-1], d.letters) == ""
}

// rest takes what follows the options.
func (d dialect) rest(in inline, words []string) inline {
	if d.text {
		in.texts = append(in.texts, words...)
		return in
	}
	in.operands = words
	return in
}

// complete reports whether the program is known to its end. Where no word holds it, it is the
// here-document of the line; where one does, the program may read that.
func (in *inline) complete(a cmdline.Command, name string) bool {
	if a.Element.Program != "" {
		if len(in.texts) == 0 {
			if len(in.operands) > 0 {
				if in.operands[0] != "-" {
					return false
				}
				in.operands = in.operands[1:]
			}
		}
		in.texts = append(in.texts, a.Element.Program)
	}
	// A shell must not make other words of the program.
	if a.Element.Glob && slices.ContainsFunc(in.texts, func(t string) bool { return !strings.Contains(a.Element.Text, "'"+t+"'") }) {
		return false
	}
	// Perl takes a word with such a mark for a program to run.
	if (name == "perl" || name == "ruby") && slices.ContainsFunc(in.operands, func(w string) bool { return strings.ContainsAny(w, "|<>&") || strings.TrimSpace(w) != w }) {
		return false
	}
	return len(in.texts) > 0
}

// doing is what the program may do: what files of the project may, and what its text says.
func (in *inline) doing(name, language string) Doing {
	s := speech{language: language}
	for _, t := range slices.Concat(in.texts, in.operands) {
		s.read(t)
	}
	if name == "deno" || name == "bun" {
		s.fetches(name)
	}
	d := Doing{Does: Of(Check, Edit) | s.set, Why: s.why(), Files: in.operands, Says: s.pieces, Rewrites: in.rewrites}
	if s.reads {
		d.Walks = s.walks
	}
	return d
}

// perlModule is a module that perl loads first, with the names that it takes from it.
var perlModule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z]\w*(::\w+)*(=[\w,]+)?$`) })

// perlOption reads a cluster of perl with options that have a value attached.
func perlOption(w string, in *inline) (program, ok bool) {
	for i := 1; i < len(w); i++ {
		rest := w[i+1:]
		switch c := w[i]; {
		case c == '0' || c == 'l':
			i += len(rest) - len(strings.TrimLeft(rest, "01234567"))
		case strings.IndexByte("wnpa", c) >= 0:
		case c == 'e' || c == 'E':
			return true, rest == ""
		case c == 'i':
			in.rewrites = true
			return false, rest == "" || rest == ".bak" || rest == ".orig"
		case c == 'F' && rest != "":
			in.texts = append(in.texts, rest)
			return false, true
		case c == 'M' && perlModule().MatchString(rest):
			in.texts = append(in.texts, rest)
			return false, true
		default:
			return false, false
		}
	}
	return false, true
}
