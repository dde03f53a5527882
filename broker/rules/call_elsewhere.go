package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/command"
)

// Package shell knows the folders of a system, but neither the project nor where links lead:
// /home/me/other/x and a link in the project to it look to it like files of the project. Here
// such words are given to it as what they are, files elsewhere.

// elsewhereAt is a folder that package shell takes for no part of a project. A word that leads
// out of the project is put below it, and the command is judged once more.
const elsewhereAt = "/tmp"

// maxElsewhere is how many paths out of the project a command may have before no wildcard vouches
// for it, whatever they are to it.
const maxElsewhere = 50

// wordsAreCode are programs that are given code in which slashes are no paths.
var wordsAreCode = map[string]bool{"sed": true, "gsed": true}

// follower follows the words of one command.
type follower struct {
	*paths
	dirs  []string // where the command may look for its files; absolute, or "" when not known
	moved []string // files that other commands of the line may put in place
	glob  bool     // a word may be a pattern, which stands for other words
	seen  int      // paths so far: one that is not looked at may lead anywhere
}

// readsElsewhere takes from a command what no wildcard may vouch for, should some of its words
// lead out of the project. It only asks where nothing else is wrong yet, and where there is a
// project.
//
// Each word is tried as whatever it may mean: a path, the value of an option, an item of a
// list. If package command doubts the command with that word as a file elsewhere, so does this
// call.
func (r *lineReader) readsElsewhere(x *elem, e *shell.Element) {
	// A doubt about names stays, whatever the words are.
	if x.names {
		words := *x
		words.names, words.unsure = false, ""
		r.readsElsewhere(&words, e)
		x.names = words.exact == "" && words.unsure == ""
		return
	}
	if e.Kind != shell.Command || x.exact != "" || x.unsure != "" || r.q.Place.Project == "" {
		return
	}
	if wordsAreCode[e.Argv[0]] {
		return
	}
	f := &follower{paths: r.paths, dirs: r.workFolders(x.dir, e), moved: r.movedBeside(x.at), glob: e.Glob}
	found := 0
	for i, w := range e.Argv {
		if i == 0 || i == 1 && firstNames(e.Argv[0], w) {
			continue
		}
		words := f.elsewhere(w)
		if plainly := patterns.Unescaped(w); plainly != w {
			words = append(words, f.elsewhere(plainly)...)
		}
		// The table knows modules by their names only, so its answer would be about another
		// one.
		if len(words) > 0 && isModule(e.Argv, i) {
			x.exact = "runs a module from outside of the project"
			return
		}
		for _, far := range words {
			argv := slices.Clone(e.Argv)
			argv[i] = far
			if x.exact, x.unsure = command.Doubts(argv); x.exact != "" || x.unsure != "" {
				return
			}
			if found++; found > maxElsewhere {
				x.exact = "names too many files outside of the project"
				return
			}
		}
	}
}

// subcommands are programs whose first word is a subcommand whenever it is a plain name, and never a
// file of that name.
var subcommands = map[string]bool{"git": true, "go": true, "npm": true, "pnpm": true, "cargo": true}

// firstNames reports whether w, right behind the name of a program, is a subcommand.
func firstNames(name, w string) bool {
	return subcommands[name] && w != "" && w[0] != '-' && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// isModule reports whether a word is the module that python runs, or -m with it. at is not 0.
func isModule(argv []string, at int) bool {
	before := argv[at-1]
	return strings.HasPrefix(patterns.BaseName(argv[0]), "python") &&
		(strings.HasPrefix(argv[at], "-m") || strings.HasPrefix(before, "-") && strings.HasSuffix(before, "m"))
}

// elsewhere are the words that say of w what it may be, a file elsewhere: the value of its
// option, or an operand. None when it leads nowhere but into the project.
func (f *follower) elsewhere(w string) []string {
	var words []string
	for _, p := range partsOf(w) {
		if p.at > letters && f.inside(w[:p.at]) {
			continue
		}
		to := f.outside(p.text)
		if to == "" {
			continue
		}
		head, far := "", elsewhereAt+to
		switch equals := strings.IndexByte(w, '='); {
		case w[0] == '@':
			head = "@"
		case w[0] != '-':
		case equals > 0 && equals < p.at:
			head = w[:equals+1]
		// Whether this is an option with a value or a path behind a name is for its program to
		// say; so it is tried as both.
		case p.at > letters: // -Xname:/srv/x, -isystem/srv/x
			words = append(words, far)
			head = w[:p.at]
		default:
			head = w[:p.at]
		}
		words = append(words, head+far)
	}
	return words
}

// inside reports whether what stands before a slash of an option, which is longer than its
// letters, may be a folder behind these, as in -Lbuild/lib. Then the slash begins no absolute
// path.
func (f *follower) inside(option string) bool {
	if strings.ContainsAny(option, separators) {
		return false
	}
	for at := 2; at <= letters; at++ {
		if f.exists(join(f.dirs[0], option[at:])) {
			return true
		}
	}
	return false
}

// folderOptions are options after which many programs work in another folder. Both folders are
// tried for each word.
var folderOptions = map[string]bool{
	"-C": true, "--directory": true, "--cwd": true, "--prefix": true, "--dir": true, "--chdir": true, "--project-dir": true, "--root": true, "--rootDir": true,
}

// workFolders are the folders in which a command may look for its files, when it starts in dir.
// What runs through uv run and its like starts in the folder of the line or in the project's,
// if no cd came before. There is always one, which may be "".
func (r *lineReader) workFolders(dir string, e *shell.Element) []string {
	dirs, argv := []string{dir}, e.Argv
	if dir == "" && len(e.Via) > 0 && !slices.ContainsFunc(r.Elements, func(e shell.Element) bool { return changesFolder(&e) }) {
		dir = r.dir
		dirs = []string{dir, r.q.Place.Project}
	}
	for i, w := range argv {
		name, value, ok := strings.Cut(w, "=")
		switch {
		case ok:
		case i+1 < len(argv) && folderOptions[name]:
			value = argv[i+1]
		case strings.HasPrefix(w, "-C"):
			name, value = "-C", w[2:]
		}
		if folderOptions[name] {
			dirs = append(dirs, join(dir, value))
		}
	}
	return dirs
}

// movedBeside are the words, as absolute paths, of the line's commands that put links or trees
// in place, but for the command at the element that is given. What lies below one of them may
// lead anywhere by the time that the command runs.
func (r *lineReader) movedBeside(at int) []string {
	var moved []string
	for i := range r.Elements {
		e := &r.Elements[i]
		if i == at || e.Kind != shell.Command || !e.Relinks || len(e.Argv) == 0 {
			continue
		}
		for _, w := range e.Argv[1:] {
			if abs := join(r.folder(e), w); abs != "" {
				moved = append(moved, path.Clean(abs))
			}
		}
	}
	return moved
}

// extensions are what programs add to the name of a module.
var extensions = []string{".js", ".mjs", ".cjs", ".ts", ".json", ".py", ".rb", ".class", ".java"}

// outside is where a path leads when that is out of the project, or not known, else "". Of
// several folders the first that leads out is enough.
func (f *follower) outside(p string) string {
	if f.seen++; f.seen > maxOperands || len(p) > maxOperandName && strings.Contains(p, "/") {
		return "/" + p // nobody followed it
	}
	for _, dir := range f.dirs {
		if to := f.outsideFrom(dir, p); to != "" {
			return to
		}
	}
	return ""
}

// outsideFrom is outside for a command that works in dir. What cannot be followed counts as
// outside; a word that is plainly no path does not, or no wildcard would ever vouch for a
// command with words.
func (f *follower) outsideFrom(dir, p string) string {
	abs := join(dir, p)
	switch {
	case nowhere[p], strings.HasPrefix(p, "/dev/std"), strings.HasPrefix(p, "/dev/fd/"):
		return "" // package shell knows these
	case abs == "":
		return "/" + p
	// What stands there now is not what the command finds.
	case slices.ContainsFunc(f.moved, func(dir string) bool { return patterns.Below(dir, path.Clean(abs)) }):
		return path.Clean(abs)
	// The shell may expand it.
	case f.glob && strings.ContainsAny(p, "*?["):
		return f.patternOutside(p, abs, dir)
	case strings.ContainsAny(p, "*?["): // for the program, or no pattern at all
		if to := f.patternOutside(p, patterns.Widened(abs), dir); to != "" {
			return to
		}
	}
	if !f.exists(abs) {
		if to := f.moduleOutside(abs, p); to != "" {
			return to
		}
		if !strings.Contains(p, "/") && p != ".." {
			return "" // a plain word, and no link
		}
	}
	if host, ok := strings.CutPrefix(p, "//"); ok { // file://host/path
		if _, rest, ok := strings.Cut(host, "/"); ok && f.exists("/"+firstFolder("/"+rest)) {
			return f.beyond("/" + rest)
		}
	}
	if f.q.Exists != nil && !f.exists("/"+firstFolder(abs)) {
		return "" // no path at all, as in grep /api/v1
	}
	return f.beyond(abs)
}

// moduleOutside is outside for what is not there under its own name: a module that is named
// without the extension of its file, with dots between its folders, or by its place below the
// project's own name. Links to such files are followed as the interpreter would.
func (f *follower) moduleOutside(abs, p string) string {
	if f.q.Exists == nil {
		return ""
	}
	names := []string{abs}
	if !strings.Contains(p, "/") && strings.Contains(p, ".") {
		names = append(names, strings.TrimSuffix(abs, p)+strings.ReplaceAll(p, ".", "/"))
	}
	// project/pkg/mod is tried as pkg/mod, too: the first name may be the project's own.
	for rest, ok := p, !path.IsAbs(p); ok; {
		if _, rest, ok = strings.Cut(rest, "/"); ok && rest != "" {
			names = append(names, strings.TrimSuffix(abs, p)+rest)
		}
	}
	for i, name := range names {
		if i > 0 {
			if to := f.beyond(name); to != "" {
				return to
			}
		}
		for _, extension := range extensions {
			if f.exists(name + extension) {
				if to := f.beyond(name + extension); to != "" {
					return to
				}
			}
		}
	}
	return ""
}

// exists is false when nobody looks: then a word is no path unless it looks like one.
func (f *follower) exists(abs string) bool { return f.q.Exists != nil && f.q.Exists(abs) }

// firstFolder is the name of the folder of the root in which an absolute path lies.
func firstFolder(abs string) string {
	first, _, _ := strings.Cut(path.Clean(abs)[1:], "/")
	return first
}

// patternOutside is outside for a pattern, and abs that as an absolute path. The part before
// the first wildcard is followed as a path; what the rest may fit is asked for
// (Question.Matches).
func (f *follower) patternOutside(p, abs, dir string) string {
	start := p[:strings.LastIndexByte(p[:patterns.FirstMeta(p)], '/')+1]
	if start != "" {
		if real := f.outsideFrom(dir, start); real != "" {
			return path.Join(real, p[len(start):])
		}
	}
	if f.q.Matches == nil {
		return ""
	}
	// Whoever looks stops at a number of files; then the pattern may fit others.
	matches, all := f.q.Matches(abs)
	if !all {
		return abs
	}
	for _, m := range matches {
		if real := f.beyond(m); real != "" {
			return real
		}
	}
	return ""
}
