package effects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// Doing is what a command is known to do by its words.
type Doing struct {
	Does  Set
	Files []string // the words that may name files, or hold the name of one
	Deep  bool     // it goes through folders among Files, or the one that it works in, and through links there
	Tool  string   // not empty: a file of the project that must be there as a link, or something else would be run

	Module string // not empty: a module of Python that must be one of the project's, or another would be run
	New    string // not empty: a folder that must not be there yet

	// Of a program on the command line: what its text says that may be names of files, why it has
	// more effects than others, and whether it changes the files among Files.
	Says     []string
	Why      map[Effect]string
	Rewrites bool
	Walks    string // not empty: the word by which it goes through folders and reads what is there
}

// row is what is known of a program, or of some subcommands of one.
type row struct {
	call  string // "go test|vet": the program, and words that stand right behind it
	does  Set
	with  string                     // the options that it may have: "-x", "-f=" with a file behind it, "-m:" with a text
	lax   bool                       // its options are all known to do no harm, but for those in not
	not   string                     // with lax: options that make it do more
	whole bool                       // its options have one dash and several letters; there are no clusters
	texts bool                       // its operands are no files
	first bool                       // its first operand is no file, but a pattern or a program
	stop  bool                       // its options end at the first operand; what follows is for the program that it names
	deep  bool                       // it goes through folders that it is given, or the one that it works in, and through links there
	why   string                     // what a person is told of the worst that it does; "" for nothing
	tool  bool                       // its first operand is a program that the project has installed
	only  func(cmdline.Command) bool // must hold besides, of the words behind the call; nil for nothing
}

// rows are all rows by the program's name.
var rows = sync.OnceValue(func() map[string][]row {
	all := map[string][]row{}
	for _, table := range [][]row{lookRows(), gitRows(), projectRows(), checkRows(), changeRows()} {
		for _, r := range table {
			programs, call, _ := strings.Cut(r.call, " ")
			r.call = call
			for name := range strings.SplitSeq(programs, "|") {
				all[name] = append(all[name], r)
			}
		}
	}
	return all
})

// Known says what a command is known to do. ok is false when that is not known for sure; then
// the rest says nothing. The name of the program must be a plain one: what a path leads to is not
// known here. The first row that fits counts, so narrower ones stand before wider ones.
func Known(a cmdline.Command) (d Doing, ok bool) {
	// What echo prints need not be known, as long as package shell says that it is nothing private.
	if argv := a.Element.Argv; len(argv) == 0 || slices.Contains(argv, "") && (argv[0] != "echo" || a.Element.Unsure != "" && !a.Element.Shown) {
		return Doing{}, false
	}
	words := a.Element.Argv[1:]
	folder := ""
	if a.Element.Argv[0] == "git" {
		if words, folder = gitPlain(words); slices.ContainsFunc(words, ChecksSigned) {
			return Doing{}, false
		}
	}
	for _, r := range rows()[a.Element.Argv[0]] {
		if rest, ok := r.behind(words); ok {
			if d, ok := r.read(a, rest); ok && (folder == "" || staysBelow(d, rest)) {
				if folder != "" {
					d.Files = append(slices.Clip(d.Files), folder)
				}
				return d, true
			}
		}
	}
	if strings.Contains(a.Element.Argv[0], "/") {
		return Doing{}, false
	}
	if d, ok := module(a); ok {
		return d, true
	}
	return Inline(a)
}

// behind are the words behind the subcommand that the row is about.
func (r row) behind(words []string) ([]string, bool) {
	for want := range strings.FieldsSeq(r.call) {
		if len(words) == 0 || !slices.Contains(strings.Split(want, "|"), words[0]) {
			return nil, false
		}
		words = words[1:]
	}
	return words, true
}

// read reads the words behind the subcommand.
func (r row) read(a cmdline.Command, words []string) (Doing, bool) {
	rest := cmdline.New(a.Name, words, a.Element)
	if r.only != nil && !r.only(rest) || a.Element.Glob && slices.ContainsFunc(words, startsOpen) {
		return Doing{}, false
	}
	if r.tool {
		return r.ofTool(a, words)
	}
	if r.lax {
		return Doing{Does: r.does, Files: r.files(words), Why: r.because()}, !rest.Has(strings.Fields(r.not)...)
	}
	files, ok := r.strictly(words)
	return Doing{Does: r.does, Files: files, Deep: r.deep, Why: r.because()}, ok
}

// because is why the row has the worst of its effects.
func (r row) because() map[Effect]string {
	if r.why == "" {
		return nil
	}
	list := r.does.List()
	return map[Effect]string{list[len(list)-1]: r.why}
}

// startsOpen reports whether a word begins with a pattern. A shell may make an option of it.
func startsOpen(w string) bool {
	return strings.HasPrefix(w, "*") || strings.HasPrefix(w, "?") || strings.HasPrefix(w, "[")
}

// files are those of some words that may name files. Options are among them, as one may have a
// path behind its letter.
func (r row) files(words []string) []string {
	if r.texts {
		return nil
	}
	i := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") || w == "-" })
	if !r.first || i < 0 {
		return words
	}
	return slices.Delete(slices.Clone(words), i, i+1)
}

// strictly reads words by the options that the row allows, and returns the operands and values
// that may name files. Options of one letter may stand in a cluster, the last one with its value.
func (r row) strictly(words []string) (files []string, ok bool) {
	allowed := strings.Fields(r.with)
	var operands []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			operands = append(operands, words[i+1:]...)
			break
		}
		if w == "-" || !strings.HasPrefix(w, "-") {
			operands = append(operands, w)
			if !r.stop {
				continue
			}
			operands = append(operands, words[i+1:]...)
			break
		}
		kind, value, ok := option(allowed, w, r.whole)
		if ok && kind != flag && value == "" && !strings.HasSuffix(w, "=") {
			if i++; i == len(words) {
				return nil, false
			}
			value = words[i]
		}
		switch {
		case !ok:
			return nil, false
		case kind == file:
			files = append(files, value)
		}
	}
	// Without a file, or with a dash for one, the program would be what it is fed.
	if r.stop && (len(operands) == 0 || operands[0] == "-") {
		return nil, false
	}
	return append(files, r.files(operands)...), true
}

// kind is what stands behind an option.
type kind byte

const (
	flag kind = 0 // nothing
	file kind = '='
	text kind = ':'
)

// option looks a word up among the options that are allowed. An empty value is in the next word. whole:
// a word is one option.
func option(allowed []string, w string, whole bool) (k kind, value string, ok bool) {
	name, value, attached := strings.Cut(w, "=")
	for _, k := range []kind{file, text} {
		if slices.Contains(allowed, name+string(k)) {
			return k, value, true
		}
	}
	// A flag may have one value that is listed with it, such as -std=c11.
	if slices.Contains(allowed, w) && (!attached || value != "") && !strings.HasSuffix(w, string(text)) {
		return flag, "", true
	}
	if whole {
		return flag, "", false
	}
	return cluster(allowed, w)
}

// cluster reads a word of several options of one letter, such as -xvs or -n5.
func cluster(allowed []string, w string) (k kind, value string, ok bool) {
	if strings.HasPrefix(w, "--") || len(w) < 3 {
		return flag, "", false
	}
	for i := 1; i < len(w); i++ {
		letter := "-" + w[i:i+1]
		for _, k := range []kind{file, text} {
			if slices.Contains(allowed, letter+string(k)) {
				return k, w[i+1:], true
			}
		}
		if !slices.Contains(allowed, letter) {
			return flag, "", false
		}
	}
	return flag, "", true
}

// Through is what wrappers add to what a command does. ok is false when one of them runs it in a way that
// its own words do not tell.
func Through(wrappers []string) (set Set, ok bool) {
	for _, w := range wrappers {
		switch {
		case programs.Is(programs.PlainWrapper, w):
		case Runner(w) != 0:
			set |= Runner(w)
		default:
			return 0, false
		}
	}
	return set, true
}

// unordered is a line in which a part may run before or beside another one that stands before it.
var unordered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^&>|])&([^&>]|$)|(^|[^|])\|([^|]|$)|\b(for|while|until)\b`)
})

// Unordered reports whether parts of a line may run in another order than they stand there.
func Unordered(line string) bool { return unordered().MatchString(line) }
