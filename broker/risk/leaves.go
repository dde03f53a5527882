package risk

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

// leaves is what a search or an archive leaves out. The zero leaves nothing out, and stands for
// every command whose words are not all understood. It exists so that "grep -r --include=*.go x
// ." is no question because of an .env in the project.
type leaves struct {
	picks  []pick // the last one that fits a file decides
	only   bool   // a file that fits none is left out
	hidden bool   // a file that fits none is left out when its path has a name with a dot in front
	dotted bool   // the star of a pattern stands for a dot in front, too
}

// pick is one of the patterns by which files are chosen.
type pick struct {
	pattern string
	not     bool // what fits is left out
	of      fits
}

// fits is what a pattern that leaves something out is compared with.
type fits int

const (
	anyName     fits = iota // the file's name, and those of the folders above it
	fileName                // the file's name
	folderNames             // the names of the folders above it
	wholePath               // all of its path; a star stands for slashes too
)

// all reports whether no secret can remain: sources are none. Then nobody has to look at the
// disk.
func (l leaves) all() bool {
	return l.only && !slices.ContainsFunc(l.picks, func(p pick) bool {
		return !p.not && slices.ContainsFunc(braces(p.pattern), func(s string) bool { return !plainPattern().MatchString(s) || !endsIn(s, sourceEnds...) })
	})
}

// out reports whether a file, as seen from the folder of the search, is surely left out. The
// last pattern that fits decides, as with most programs; one that leaves out must surely fit,
// one that takes in only may.
func (l leaves) out(file string) bool {
	names := strings.Split(file, "/")
	for _, p := range slices.Backward(l.picks) {
		switch {
		// From the last pattern to the first: the later one decides.
		case p.not && p.surely(names):
			return true
		case !p.not && p.may(names):
			return false
		}
	}
	return l.only || l.hidden && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, ".") })
}

// surely reports whether every program takes the pattern to fit: of all that a pattern can
// hold, only stars and question marks are understood, and capitals are no small letters. In
// doubt the file is not left out.
func (p pick) surely(names []string) bool {
	if p.pattern == "" || strings.ContainsAny(p.pattern, "[]{}\\!#/()| \t") {
		return false
	}
	last := len(names) - 1
	// A star at the beginning reaches over slashes, so only the end of the name matters.
	if p.of == wholePath {
		end, ok := strings.CutPrefix(p.pattern, "*")
		return ok && !pathtable.HasGlob(end) && strings.HasSuffix(names[last], end)
	}
	for i, n := range names {
		if i == last && p.of == folderNames || i < last && p.of == fileName {
			continue
		}
		if ok, err := path.Match(p.pattern, n); ok && err == nil {
			return true
		}
	}
	return false
}

// may reports whether some program may take the pattern to fit: by all of the path, where a
// star may stand for slashes, or by its last part, for each name. A pattern that programs read
// differently may.
func (p pick) may(names []string) bool {
	whole := pathtable.Literal(pathtable.Fold(strings.Join(names, "/")))
	for _, one := range braces(p.pattern) {
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

// braces are the patterns that a pattern with lists in braces stands for. What is not
// understood keeps its braces, and plainPattern then refuses it.
func braces(pattern string) []string {
	head, rest, _ := strings.Cut(pattern, "{")
	inner, tail, closed := strings.Cut(rest, "}")
	if !closed || strings.Count(pattern, "{") > maxBraces || strings.ContainsAny(inner, `{\[`) || strings.Contains(head, `\`) {
		return []string{pattern}
	}
	var out []string
	for part := range strings.SplitSeq(inner, ",") {
		for _, end := range braces(tail) {
			out = append(out, head+part+end)
		}
	}
	return out
}

// choose adds a pattern of files that are looked at. From then on, other files are not.
func (l *leaves) choose(pattern string) {
	l.picks, l.only = append(l.picks, pick{pattern: pattern}), true
}

// omit adds a pattern of files that are not looked at.
func (l *leaves) omit(pattern string, of fits) {
	l.picks = append(l.picks, pick{pattern: pattern, not: true, of: of})
}

// omitAll adds the values of an option as patterns of files that are not looked at, in their
// order.
func (l *leaves) omitAll(options []command.Option, name string, of fits) {
	for _, o := range options {
		if o.Name == name {
			l.omit(o.Value, of)
		}
	}
}

// glob adds one of the patterns by which ripgrep chooses files, as .gitignore has them: !x
// leaves x out, and **/x/ or **/x/** the folders of that name. A pattern without the "!" takes
// in, and from then on all others are out.
func (l *leaves) glob(pattern string) {
	not, ok := strings.CutPrefix(pattern, "!")
	if !ok {
		l.choose(pattern)
		return
	}
	deep, anywhere := strings.CutPrefix(not, "**/")
	folder, within := strings.CutSuffix(deep, "/**")
	folder, slash := strings.CutSuffix(folder, "/")
	switch {
	case within && !anywhere:
		l.omit("/", folderNames) // as seen from a folder that is not known
	case within || slash:
		l.omit(folder, folderNames)
	default:
		l.omit(deep, anyName)
	}
}

// kindGlobs is a pattern of the files of a kind, as ripgrep names it, as far as that matters;
// "" for one that is not known.
func kindGlobs(name string) string {
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

// leftOut reads from the words of a command what it leaves out. An option that the tables do
// not know may take the next word, so with one of them nothing is left out.
func leftOut(e shell.Element) leaves {
	name := cmdline.Program(e.Argv[0])
	if name == "find" || name == "bfs" {
		return foundNames(e.Argv[1:])
	}
	options, _, ok := command.Options(e.Argv)
	if !ok || slices.ContainsFunc(options, func(o command.Option) bool { return !o.Known }) {
		return leaves{}
	}
	var l leaves
	switch name {
	case "grep", "egrep", "fgrep", "ggrep":
		l = grepLeaves(options)
	case "rg":
		l = rgLeaves(options)
	case "ag":
		l.hidden = !given(options, "-u", "--unrestricted", "--hidden", "-a", "--all-types", "-t", "--all-text")
	case "tar", "gtar", "bsdtar":
		if !given(options, "--anchored", "--no-wildcards", "--no-wildcards-match-slash") {
			first := slices.DeleteFunc(options, func(o command.Option) bool { return o.Operands > 0 }) // it holds for what follows it
			l.omitAll(first, "--exclude", anyName)
		}
	case "rsync":
		if !given(options, "--include", "--include-from", "--filter", "-f", "-F") {
			l.omitAll(options, "--exclude", anyName)
		}
	case "zip":
		l.omitAll(options, "-x", wholePath)
	}
	if e.Glob { // the shell may make other words of them
		l.picks = slices.DeleteFunc(l.picks, func(p pick) bool { return p.not && pathtable.HasGlob(p.pattern) })
	}
	return l
}

// given reports whether one of the options is there, by its full name.
func given(options []command.Option, names ...string) bool {
	return slices.ContainsFunc(options, func(o command.Option) bool { return slices.Contains(names, o.Name) })
}

// grepLeaves: a file that fits nothing is looked at, unless the first of the patterns says
// what is to be looked at.
func grepLeaves(options []command.Option) leaves {
	var l leaves
	first := ""
	for _, o := range options {
		switch o.Name {
		case "--include":
			l.choose(o.Value)
			first = cmp.Or(first, o.Name)
		case "--exclude":
			l.omit(o.Value, fileName)
			first = cmp.Or(first, o.Name)
		case "--exclude-dir":
			l.omit(strings.TrimRight(o.Value, "/"), folderNames)
		case "--include-dir":
			return leaves{}
		}
	}
	// grep lets the first of these two options decide what becomes of all other files.
	l.only = first == "--include"
	return l
}

// rgLeaves: a glob goes before a kind of files, and one that looks at no capitals before
// others. Either finds hidden files as well. Kinds that the line defines itself are not known.
func rgLeaves(options []command.Option) leaves {
	var l leaves
	for _, names := range [][]string{{"-t", "--type"}, {"-g", "--glob"}, {"--iglob"}} {
		for _, o := range options {
			switch {
			case !slices.Contains(names, o.Name):
			case names[0] != "-t":
				l.glob(o.Value)
			case given(options, "--type-add", "--type-clear"):
				l.choose("")
			default:
				l.choose(kindGlobs(o.Value))
			}
		}
	}
	l.hidden = !given(options, "-.", "--hidden", "-u", "--unrestricted", "-z", "--search-zip", "--pre", "--ignore-file")
	return l
}

// findTests are tests of find by how many words they take.
var findTests = map[bool]*wordset.Set{
	false: wordset.New("-empty -readable -executable -writable -daystart -depth -d -mount -xdev -x -a -and -true -H -P -E"),
	true:  wordset.New("-type -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -newer -path -ipath -wholename -regex -iregex -user -group -perm"),
}

// foundNames are the names that find is given before it does anything with what it found. Which
// remain behind an alternative is not plain, so then nothing is left out.
func foundNames(words []string) leaves {
	var l leaves
	for _, w := range words {
		if w == "!" || w == "(" || cmdline.Matches("-o|-or|-not|,", w) {
			return leaves{}
		}
	}
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case !strings.HasPrefix(w, "-") || findTests[false].Has(w):
		case (w == "-name" || w == "-iname") && i+1 < len(words):
			i++
			l.choose(words[i])
		case findTests[true].Has(w):
			i++
		case cmdline.Matches("-print|-print0|-exec|-execdir|-ok|-okdir|-delete|-ls", w):
			return l
		default:
			return leaves{}
		}
	}
	return l
}
