package rules

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/risk/brings"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// elem is one element of a call, as rules look at it: what package shell says, with its paths
// followed, its words spoken for patterns, and what this package adds to the doubts. Fields
// that are about one kind are zero for others.
type elem struct {
	kind    shell.Kind        // toolKind for calls that run no command line
	at      int               // place in the line's elements
	spoken  patterns.Spoken   // of a command
	others  []patterns.Spoken // the same with its wrappers in front
	front   int               // when not 0: so many words of others[0] are its only wrapper
	path    *located          // of a read or write
	program *located          // of a command that is named by a path
	assign  string            // NAME=value
	neutral bool
	operand bool
	outside bool // an operand that is written outside the project, which no rule about a command's first words vouches for
	exact   string
	doubt   string // what is in exact because of where the command runs and what it brings, not of its words alone
	named   int    // with exact, when not 0: so many first words are enough
	behind  bool   // a wrapper changes what the words mean, so only the whole line names it
	unsure  string
	known   bool   // with unsure: a grant may speak, of a program whose text is known, or an echo of what is nothing private
	names   bool   // unsure is about names of files alone: what a grant allows, was looked up on the disk
	dir     string // absolute, "" when not known
}

// toolKind is the kind of the one element of a call that runs no command line.
const toolKind shell.Kind = "tool"

// shells run a script, as a word behind -c, in which each command is looked at. So the wrapper
// itself needs no rule.
var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true}

// element turns an element of the line into what rules look at. Of the reasons for exact and
// unsure the first stands; those of package shell come first, as they are about the words
// themselves.
func (r *lineReader) element(e *shell.Element, at int) elem {
	x := elem{kind: e.Kind, at: at, neutral: e.Neutral, operand: e.Operand, unsure: e.Unsure, names: e.Names}
	x.known = e.Program != "" || e.Shown
	x.dir = r.folder(e)
	switch e.Kind {
	case shell.Command:
		x.spoken = patterns.Speak(e.Argv)
		x.others = withWrappers(e.Via, e.Argv)
		if !slices.Equal(e.Via, e.ViaAs) { // a refusing rule may name /bin/sh
			x.others = append(x.others, withWrappers(e.ViaAs, e.Argv)...)
		}
		x.program = r.programPlace(e, x.dir)
		if len(e.Argv) == 0 {
			x.unsure = cmp.Or(x.unsure, "has no words")
		}
	case shell.Read, shell.Write:
		r.elementPath(&x, e)
	case shell.Assign:
		x.assign = e.Name + "=" + e.Value
	case shell.Unknown:
		x.unsure = cmp.Or(x.unsure, "cannot be read")
	}
	if e.Exact != "" {
		x.named = e.Named
	}
	why := behind(e)
	switch {
	case why != "" || e.Kind != shell.Command:
	case r.leaves(e, x.dir):
		why, x.neutral = "leaves the project", false
	case r.away && !e.Neutral:
		why = "works outside the project"
	}
	if why != "" {
		x.behind = true
		x.doubt = why
	} else if len(e.Via) == 1 && effects.Runner(e.Via[0]) != 0 {
		x.front = len(strings.Fields(e.Via[0]))
	}
	r.gitPlace(&x)
	x.exact = cmp.Or(e.Exact, x.doubt)
	r.readsElsewhere(&x, e)
	if e.Exact == "" {
		x.doubt = x.exact
	}
	// What brings files is understood well enough, so the raw text needs no search because of
	// it.
	r.unclear = r.unclear || x.unsure != "" || x.exact != ""
	if r.bringsFiles(e, x.dir) {
		x.exact = cmp.Or(x.exact, brings.Why)
		// Which files git brings, package risk asks the repository; where that does not say, they are unknown.
		if e.Argv[0] != "git" {
			x.doubt = cmp.Or(x.doubt, brings.Why)
		}
	}
	return x
}

// gitPlace takes from a git command what no wildcard may vouch for: a repository that is not
// the project's own, or settings of the project's that run a program. Both are found by
// risk.GitUse on the disk; what it found is kept, to be compared when the call is allowed.
func (r *lineReader) gitPlace(x *elem) {
	at := r.q.Place
	at.CWD = r.dir
	g := risk.GitUse(r.Line, x.at, x.dir, at)
	if g == (risk.Git{}) {
		return
	}
	r.gits = append(r.gits, g)
	x.doubt = cmp.Or(x.doubt, g.Foreign, g.Settings, g.Remote)
	if g.Foreign == "" {
		return
	}
	x.behind = true // the words of the command do not say where it runs
	if r.dir != r.q.Place.Project {
		x.unsure = cmp.Or(x.unsure, g.Foreign) // nor does the line
	}
}

// leaves reports whether e is a cd out of the project, or to nobody knows where: what runs
// after it finds other files under the names that its rule had in mind. popd goes to a folder
// of an earlier call's, for all that is known here.
func (r *lineReader) leaves(e *shell.Element, dir string) bool {
	if len(e.Argv) == 0 {
		return false
	}
	switch e.Argv[0] {
	case "cd", "chdir", "pushd":
	case "popd":
		return true
	default:
		return false
	}
	to := "~"
	if last := e.Argv[len(e.Argv)-1]; len(e.Argv) > 1 && !strings.HasPrefix(last, "-") {
		to = last
	} else if len(e.Argv) > 1 {
		return true // "cd -", and options that nobody uses
	}
	var p located
	if strings.HasPrefix(to, "~") {
		p = r.homePlace(to)
	} else {
		p = r.shellPlace(to, dir)
	}
	return p.real == "" || !patterns.Below(cmp.Or(r.q.Place.Project, r.q.Place.CWD), p.real)
}

// behind says why e needs a pattern that names it, because of what it runs through. "" for a
// command that runs as it stands there.
func behind(e *shell.Element) string {
	if e.Host != "" {
		return "runs on another machine"
	}
	for _, w := range e.Via {
		if !runsItself(w) {
			return "runs through " + w
		}
	}
	return ""
}

// runsItself reports whether wrapper w, which may be a shell that is given its script as a
// word, runs the very command behind it. A rule for the command then says all; of any other
// wrapper, such as sudo, it says too little.
func runsItself(w string) bool {
	if programs.Is(programs.Transparent, w) || effects.Runner(w) != 0 {
		return true
	}
	name, flags, ok := strings.Cut(w, " ")
	name = name[strings.LastIndexByte(name, '/')+1:]
	return ok && strings.HasPrefix(flags, "-") && strings.HasSuffix(flags, "c") && shells[name]
}

// folder is where e works, as far as that is known: absolute, or "". It is not cleaned, as ".."
// behind a link is the folder above the link's target.
func (r *lineReader) folder(e *shell.Element) string {
	switch {
	case e.DirUnsure:
		return ""
	case e.Dir == "~" || strings.HasPrefix(e.Dir, "~/"):
		return join(r.q.Place.Home, "."+e.Dir[1:])
	}
	return join(r.dir, e.Dir)
}

// elementPath follows the path of a read or write. An operand with an odd path is only a hint,
// and gives no doubt; a redirection is the element itself, and does.
func (r *lineReader) elementPath(x *elem, e *shell.Element) {
	if !r.more() {
		// The path is kept for the screen, though nobody knows where it leads.
		x.path, x.unsure = &located{given: e.Path}, "the line names too many paths"
		return
	}
	var p located
	if e.Home {
		p = r.homePlace(e.Path)
	} else {
		p = r.shellPlace(e.Path, x.dir)
	}
	x.path = &p
	if nowhere[p.abs] {
		x.neutral, x.operand, p.odd = true, true, ""
		return
	}
	// A command's own rule speaks for its operands, but not for a file that it writes
	// elsewhere.
	x.outside = e.Kind == shell.Write && e.Host == "" && r.leads(&p)
	p.reach(e)
	if p.abs == "" && !e.Home && e.Path != "" {
		r.guess(&p, e)
	}
	switch {
	case x.unsure != "": // what follows stands against a grant all the same
		x.names = x.names && p.real != "" && (e.Operand || p.odd == "" && !e.Glob)
	// On another machine nobody here can look, and the wrapper's rule decides.
	case e.Host != "":
	case !e.Operand && p.odd != "":
		x.unsure = "the path " + quote(e.Path) + " " + p.odd
	case !e.Operand && e.Glob:
		x.unsure = "the path " + quote(e.Path) + " is a pattern"
	// The folder is known and the way is not: a link in a circle, or a folder that cannot be
	// read.
	case p.abs != "" && p.real == "":
		x.unsure = "the path " + quote(e.Path) + " " + p.odd
	}
}

// nowhere are files that keep nothing and hold nothing. A path to one has no say, wherever it
// stands.
var nowhere = map[string]bool{"/dev/null": true}

// reach notes what else than the path itself a wildcard or a tree may touch. It is in lower
// case, as only refusing rules ask.
func (p *located) reach(e *shell.Element) {
	if p.abs == "" || !e.Glob && !e.Tree {
		return
	}
	wide := strings.ToLower(p.abs)
	if !e.Glob {
		wide = patterns.EscapePath(wide)
	}
	p.wide = patterns.SplitPath(wide)
	if e.Tree {
		p.wide = append(p.wide, "**")
	}
}

// guess notes what a path may be whose folder is not known, for refusing rules: a file of its
// name in any folder, and the one in the folder that the line starts in.
func (r *lineReader) guess(p *located, e *shell.Element) {
	r.addForm(p, join(r.dir, e.Path))
	p.finish()
	rest := strings.ToLower(path.Clean(e.Path))
	// From an unknown folder, going up leads to another unknown folder.
	for strings.HasPrefix(rest, "../") {
		rest = rest[3:]
	}
	if !e.Glob {
		rest = patterns.EscapePath(rest)
	}
	p.wide = append([]string{"**"}, patterns.SplitPath(rest)...)
	if e.Tree {
		p.wide = append(p.wide, "**")
	}
}

// longChain is the number of wrappers up to which a pattern may name several of them.
const longChain = 4

// withWrappers puts the wrappers of a command in front of its words: each of them alone, and
// all from one of them on. Of make through sudo and env there are "sudo make", "sudo env make"
// and "env make", and a rule that refuses "sudo *" fits the first. More than longChain wrappers
// are only tried one by one, so that a hostile line costs little.
func withWrappers(via, argv []string) []patterns.Spoken {
	var list []patterns.Spoken
	add := func(wrappers ...string) {
		var words []string
		for _, w := range wrappers {
			words = append(words, strings.Fields(w)...)
		}
		list = append(list, patterns.Speak(append(words, argv...)))
	}
	for i, w := range via {
		if !slices.Contains(via[:i], w) {
			add(w)
		}
		if i+1 < len(via) && len(via) <= longChain {
			add(via[i:]...)
		}
	}
	return list
}

// programPlace is the file of a program that is named by a path, nil for a bare name, which is
// looked for in PATH.
func (r *lineReader) programPlace(e *shell.Element, dir string) *located {
	if len(e.Argv) == 0 || !strings.Contains(e.Argv[0], "/") || !r.more() {
		return nil
	}
	var p located
	if strings.HasPrefix(e.Argv[0], "~/") {
		p = r.homePlace(e.Argv[0])
	} else {
		p = r.shellPlace(e.Argv[0], dir)
	}
	return &p
}
