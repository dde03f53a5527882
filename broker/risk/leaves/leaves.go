// Package leaves says which files a search or an archive surely leaves out, by the words of its
// command.
package leaves

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Leaves is what a search or an archive leaves out. The zero leaves nothing out, and stands for
// every command whose words are not all understood. It exists so that "grep -r --include=*.go x
// ." is no question because of an .env in the project.
type Leaves struct {
	Picks  []Pick // the last one that fits a file decides
	Only   bool   // a file that fits none is left out
	Hidden bool   // a file that fits none is left out when its path has a name with a dot in front
	Dotted bool   // the star of a pattern stands for a dot in front, too
}

// Pick is one of the patterns by which files are chosen.
type Pick struct {
	Pattern string
	Not     bool // what fits is left out
	Of      Fits
}

// Fits is what a pattern that leaves something out is compared with.
type Fits int

// What a pattern may be compared with.
const (
	AnyName     Fits = iota // the file's name, and those of the folders above it
	FileName                // the file's name
	FolderNames             // the names of the folders above it
	WholePath               // all of its path; a star stands for slashes too
)

// All reports whether no secret can remain: sources are none. Then nobody has to look at the
// disk.
func (l Leaves) All() bool {
	return l.Only && !slices.ContainsFunc(l.Picks, func(p Pick) bool {
		return !p.Not && slices.ContainsFunc(Braces(p.Pattern), func(s string) bool {
			return !plainPattern().MatchString(s) || !pathtable.EndsIn(s, pathtable.SourceEnds...)
		})
	})
}

// Out reports whether a file, as seen from the folder of the search, is surely left out. The
// last pattern that fits decides, as with most programs; one that leaves out must surely fit,
// one that takes in only may.
func (l Leaves) Out(file string) bool {
	names := strings.Split(file, "/")
	for _, p := range slices.Backward(l.Picks) {
		switch {
		// From the last pattern to the first: the later one decides.
		case p.Not && p.surely(names):
			return true
		case !p.Not && p.May(names):
			return false
		}
	}
	return l.Only || l.Hidden && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, ".") })
}

// surely reports whether every program takes the pattern to fit: of all that a pattern can
// hold, only stars and question marks are understood, and capitals are no small letters. In
// doubt the file is not left out.
func (p Pick) surely(names []string) bool {
	if p.Pattern == "" || strings.ContainsAny(p.Pattern, "[]{}\\!#/()| \t") {
		return false
	}
	last := len(names) - 1
	// A star at the beginning reaches over slashes, so only the end of the name matters.
	if p.Of == WholePath {
		end, ok := strings.CutPrefix(p.Pattern, "*")
		return ok && !pathtable.HasGlob(end) && strings.HasSuffix(names[last], end)
	}
	for i, n := range names {
		if i == last && p.Of == FolderNames || i < last && p.Of == FileName {
			continue
		}
		if ok, err := path.Match(p.Pattern, n); ok && err == nil {
			return true
		}
	}
	return false
}

// May reports whether some program may take the pattern to fit: by all of the path, where a
// star may stand for slashes, or by its last part, for each name. A pattern that programs read
// differently may.
func (p Pick) May(names []string) bool {
	whole := pathtable.Literal(pathtable.Fold(strings.Join(names, "/")))
	for _, one := range Braces(p.Pattern) {
		if !plainPattern().MatchString(one) {
			return true
		}
		one = strings.Trim(strings.TrimPrefix(pathtable.Fold(one), "./"), "/")
		last := path.Base(one)
		if last == "**" || pathtable.Meet(one, whole) || slices.ContainsFunc(names, func(n string) bool { return pathtable.Meet(last, pathtable.Literal(pathtable.Fold(n))) }) {
			return true
		}
	}
	return false
}

// plainPattern is a pattern that all programs read alike, or as less than meet does.
var plainPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^\\{}\[\]()|!#\s]([^\\{}\[\]()|]|\[[\w.-]+\])*$`)
})

// maxBraces is how many lists in braces a pattern may have to be understood.
const maxBraces = 3

// Braces are the patterns that a pattern with lists in braces stands for. What is not
// understood keeps its braces, and plainPattern then refuses it.
func Braces(pattern string) []string {
	head, rest, _ := strings.Cut(pattern, "{")
	inner, tail, closed := strings.Cut(rest, "}")
	if !closed || strings.Count(pattern, "{") > maxBraces || strings.ContainsAny(inner, `{\[`) || strings.Contains(head, `\`) {
		return []string{pattern}
	}
	var out []string
	for part := range strings.SplitSeq(inner, ",") {
		for _, end := range Braces(tail) {
			out = append(out, head+part+end)
		}
	}
	return out
}

// Choose adds a pattern of files that are looked at. From then on, other files are not.
func (l *Leaves) Choose(pattern string) {
	l.Picks, l.Only = append(l.Picks, Pick{Pattern: pattern}), true
}

// Omit adds a pattern of files that are not looked at.
func (l *Leaves) Omit(pattern string, of Fits) {
	l.Picks = append(l.Picks, Pick{Pattern: pattern, Not: true, Of: of})
}

// omitAll adds the values of an option as patterns of files that are not looked at, in their
// order.
func (l *Leaves) omitAll(options []command.Option, name string, of Fits) {
	for _, o := range options {
		if o.Name == name {
			l.Omit(o.Value, of)
		}
	}
}

// Glob adds one of the patterns by which ripgrep chooses files, as .gitignore has them: !x
// leaves x out, and **/x/ or **/x/** the folders of that name. A pattern without the "!" takes
// in, and from then on all others are out.
func (l *Leaves) Glob(pattern string) {
	not, ok := strings.CutPrefix(pattern, "!")
	if !ok {
		l.Choose(pattern)
		return
	}
	deep, anywhere := strings.CutPrefix(not, "**/")
	folder, within := strings.CutSuffix(deep, "/**")
	folder, slash := strings.CutSuffix(folder, "/")
	switch {
	case within && !anywhere:
		l.Omit("/", FolderNames) // as seen from a folder that is not known
	case within || slash:
		l.Omit(folder, FolderNames)
	default:
		l.Omit(deep, AnyName)
	}
}

// KindGlobs is a pattern of the files of a kind, as ripgrep names it, as far as that matters;
// "" for one that is not known.
func KindGlobs(name string) string {
	switch {
	case codeTypes.Has(name):
		return "*.go" // as good as any other source
	case name == "java":
		return "*.{java,jsp,jspx,properties}"
	}
	return ""
}

// codeTypes are kinds of files, as ripgrep names them, that are sources.
var codeTypes = wordset.New("go py python js javascript ts typescript tsx jsx rust rs kotlin c h cpp cs csharp php swift ruby rb md markdown html css sh")

// LeftOut reads from the words of a command what it leaves out. An option that the tables do
// not know may take the next word, so with one of them nothing is left out.
func LeftOut(e shell.Element) Leaves {
	name := cmdline.Program(e.Argv[0])
	if name == "find" || name == "bfs" {
		return foundNames(e.Argv[1:])
	}
	options, _, ok := command.Options(e.Argv)
	if !ok || slices.ContainsFunc(options, func(o command.Option) bool { return !o.Known }) {
		return Leaves{}
	}
	var l Leaves
	switch name {
	case "grep", "egrep", "fgrep", "ggrep":
		l = grepLeaves(options)
	case "rg":
		l = rgLeaves(options)
	case "ag":
		l.Hidden = !given(options, "-u", "--unrestricted", "--hidden", "-a", "--all-types", "-t", "--all-text")
	case "tar", "gtar", "bsdtar":
		if !given(options, "--anchored", "--no-wildcards", "--no-wildcards-match-slash") {
			first := slices.DeleteFunc(options, func(o command.Option) bool { return o.Operands > 0 }) // it holds for what follows it
			l.omitAll(first, "--exclude", AnyName)
		}
	case "rsync":
		if !given(options, "--include", "--include-from", "--filter", "-f", "-F") {
			l.omitAll(options, "--exclude", AnyName)
		}
	case "zip":
		l.omitAll(options, "-x", WholePath)
	}
	if e.Glob { // the shell may make other words of them
		l.Picks = slices.DeleteFunc(l.Picks, func(p Pick) bool { return p.Not && pathtable.HasGlob(p.Pattern) })
	}
	return l
}

// given reports whether one of the options is there, by its full name.
func given(options []command.Option, names ...string) bool {
	return slices.ContainsFunc(options, func(o command.Option) bool { return slices.Contains(names, o.Name) })
}

// grepLeaves: a file that fits nothing is looked at, unless the first of the patterns says
// what is to be looked at.
func grepLeaves(options []command.Option) Leaves {
	var l Leaves
	first := ""
	for _, o := range options {
		switch o.Name {
		case "--include":
			l.Choose(o.Value)
			first = cmp.Or(first, o.Name)
		case "--exclude":
			l.Omit(o.Value, FileName)
			first = cmp.Or(first, o.Name)
		case "--exclude-dir":
			l.Omit(strings.TrimRight(o.Value, "/"), FolderNames)
		case "--include-dir":
			return Leaves{}
		}
	}
	// grep lets the first of these two options decide what becomes of all other files.
	l.Only = first == "--include"
	return l
}

// rgLeaves: a glob goes before a kind of files, and one that looks at no capitals before
// others. Either finds hidden files as well. Kinds that the line defines itself are not known.
func rgLeaves(options []command.Option) Leaves {
	var l Leaves
	for _, names := range [][]string{{"-t", "--type"}, {"-g", "--glob"}, {"--iglob"}} {
		for _, o := range options {
			switch {
			case !slices.Contains(names, o.Name):
			case names[0] != "-t":
				l.Glob(o.Value)
			case given(options, "--type-add", "--type-clear"):
				l.Choose("")
			default:
				l.Choose(KindGlobs(o.Value))
			}
		}
	}
	l.Hidden = !given(options, "-.", "--hidden", "-u", "--unrestricted", "-z", "--search-zip", "--pre", "--ignore-file")
	return l
}

// findTests are tests of find by how many words they take.
var findTests = map[bool]*wordset.Set{
	false: wordset.New("-empty -readable -executable -writable -daystart -depth -d -mount -xdev -x -a -and -true -H -P -E"),
	true:  wordset.New("-type -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -newer -path -ipath -wholename -regex -iregex -user -group -perm"),
}

// foundNames are the names that find is given before it does anything with what it found. Which
// remain behind an alternative is not plain, so then nothing is left out.
func foundNames(words []string) Leaves {
	var l Leaves
	for _, w := range words {
		if w == "!" || w == "(" || cmdline.Matches("-o|-or|-not|,", w) {
			return Leaves{}
		}
	}
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case !strings.HasPrefix(w, "-") || findTests[false].Has(w):
		case (w == "-name" || w == "-iname") && i+1 < len(words):
			i++
			l.Choose(words[i])
		case findTests[true].Has(w):
			i++
		case cmdline.Matches("-print|-print0|-exec|-execdir|-ok|-okdir|-delete|-ls", w):
			return l
		default:
			return Leaves{}
		}
	}
	return l
}
