package risk

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Git is what Place.Git says of the repository that git would use in a folder. The zero Git is
// the project's own, with settings that run nothing. The reasons are ours and can be shown.
type Git struct {
	Foreign  string // not empty: it is not the project's own, because of this
	Settings string // not empty: its settings run a program or read a file of elsewhere, or cannot be read
	Signs    string // not empty: making commits and tags runs a program that signs them
	Partial  string // not empty: looking into its contents may fetch them from others
	Remote   string // not empty: fetching from others, or pushing to them, may run a program
	Nested   bool   // Foreign is because of a repository that lies on the way
	Password bool   // its settings hold a password or a token
	Hooks    bool   // commits and checkouts run hooks of it
	Top      string // real path of the folder with the repository's .git; "" for none
}

// GitUse is what Place.Git says of the repository that element at of l would use, which works
// in dir, absolute or "" when not known; the zero Git for any other command, and at a place
// that does not tell.
//
// git obeys the settings of the repository that it finds, and these can run programs: whoever
// can put a .git on its way decides what "git status" does. So rules with wildcards hold for
// the project's own repository only, as it is on the disk now, and not where the line itself
// may change it.
func GitUse(l *shell.Line, at int, dir string, p Place) Git {
	e := l.Elements[at]
	if p.Git == nil || e.Kind != shell.Command || e.Host != "" || !runsGit(e.Argv) {
		return Git{}
	}
	words, foreign := e.Argv[1:], ""
	dir, words, foreign = gitFolder(dir, words)
	if foreign != "" {
		// Without a folder there is nothing to ask the disk.
		return Git{Foreign: foreign}
	}
	// It looks for no repository.
	if len(words) == 1 && words[0] == "version" {
		return Git{}
	}
	real := dir
	if p.Real != nil {
		var err error
		if real, err = p.Real(dir); err != nil {
			return Git{Foreign: "git works in a folder that cannot be followed"}
		}
	}
	g, sub := p.Git(real), ""
	if len(words) > 0 {
		sub = words[0]
	}
	if signing[sub] {
		g.Settings = cmp.Or(g.Settings, g.Signs)
	}
	if !namesOnly[sub] {
		g.Settings = cmp.Or(g.Settings, g.Partial)
	}
	switch {
	case !talking[sub]:
		// Only talking to a remote runs what these settings name.
		g.Remote = ""
	case g.Foreign == "":
		g.Foreign = talksTo(words[1:], real, p)
	}
	if g.Foreign == "" && remakesGit(l, at, g.Top, dir, real, p) {
		g.Foreign = "the line may change the repository that git would use, whose settings can run programs"
	}
	return g
}

// talking are subcommands of git that fetch from another repository or push to one. Not
// so what is harmless: git remote -v.
var talking = wordset.Map("fetch pull push remote ls-remote fetch-pack send-pack submodule archive clone")

// signing are subcommands of git that make commits or tags, and sign them where settings say so.
var signing = wordset.Map("am cherry-pick commit commit-tree merge pull rebase revert tag")

// namesOnly are subcommands of git that never need the contents of earlier commits.
var namesOnly = wordset.Map("add branch check-ignore config ls-files merge-base remote status tag version worktree")

// maxPushed is how many words of a push are looked at as folders. Each may cost a walk up to
// the root.
const maxPushed = 50

// talksTo says what a push to one of the words, or a fetch from it, would run: a repository
// that is a folder runs its own hooks, and obeys its own settings. "" when there is none among
// them.
func talksTo(words []string, dir string, p Place) string {
	if len(words) > maxPushed {
		return "it has too many words to see which repositories git talks to"
	}
	for _, w := range words {
		if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
			w = value
		}
		if w == "" || strings.HasPrefix(w, "-") {
			continue
		}
		if !path.IsAbs(w) {
			w = dir + "/" + w
		}
		if p.Real != nil {
			var err error
			if w, err = p.Real(w); err != nil {
				continue // nothing is there
			}
		}
		if g := p.Git(w); g.Nested {
			return g.Foreign
		}
	}
	return ""
}

// runsGit reports whether a program is git, or one of its parts under its own name.
func runsGit(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	name := cmdline.Program(argv[0])
	return name == "git" || strings.HasPrefix(name, "git-")
}

// gitFolder is the folder in which git looks for its repository when it starts in dir, and the
// words from the subcommand on. foreign says why that is not known. The folder is not cleaned,
// as git walks links before "..".
func gitFolder(dir string, words []string) (folder string, rest []string, foreign string) {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		w := words[0]
		words = words[1:]
		name, _, _ := strings.Cut(w, "=")
		switch {
		case w == "-C":
			if len(words) == 0 || strings.ContainsAny(words[0], "*?[{~") {
				return "", nil, "git -C works in a folder that is not known"
			}
			switch to := words[0]; {
			case path.IsAbs(to):
				dir = to
			case to != "" && dir != "":
				dir += "/" + to
			}
			words = words[1:]
		case name == "--git-dir", name == "--work-tree", name == "--bare", strings.HasPrefix(w, "-C"):
			return "", nil, "git " + name + " names a repository, whose settings can run programs"
		case slices.Contains([]string{"-c", "--namespace", "--config-env", "--super-prefix", "--attr-source", "--shallow-file"}, w):
			words = words[min(1, len(words)):]
		}
	}
	if !path.IsAbs(dir) {
		return "", nil, "git works in a folder that is not known"
	}
	return dir, words, ""
}

// gitMovers are subcommands of git that may put other folders and files into the work tree, and
// a repository with them.
var gitMovers = wordset.Map("am apply checkout checkout-index cherry-pick clone merge mv pull read-tree rebase reset restore revert stash submodule switch worktree")

// repositoryNames are the files and folders by which git knows a repository.
var repositoryNames = wordset.Map(".git head objects refs commondir")

// remakesGit reports whether another part of the line may make the folder in which element at
// runs git, given as dir and really real, or a repository there: what the disk says now is not
// what git finds. top is the folder of the repository. Later writes count too, as a line may
// loop.
func remakesGit(l *shell.Line, at int, top, dir, real string, p Place) bool {
	j := newResolver(p)
	for i, e := range l.Elements {
		switch {
		case i == at || e.Host != "":
		case e.Kind == shell.Command && i < at && real != top && runsGit(e.Argv):
			if _, words, _ := gitFolder("/", e.Argv[1:]); len(words) > 0 && gitMovers[words[0]] {
				return true
			}
		// A path that is not known has no text here; its element is unsure, which asks anyway.
		case e.Kind == shell.Write && e.Path != "":
			t := j.resolve(e.Path, j.spotOf(e, true))
			if t.lost && !e.Deletes || slices.ContainsFunc(append(t.reals, t.given), func(w string) bool {
				return makesGit(w, real, e.Deletes) || !e.Deletes && (real != top || e.Tree) && (pathtable.Below(w, path.Clean(dir)) || pathtable.Below(w, real))
			}) {
				return true
			}
		}
	}
	return false
}

// makesGit reports whether a write to file w may change a repository that git would find in
// folder dir, or make one there. A lock that is removed changes nothing; a bare repository has
// the files of repositoryNames and no .git.
func makesGit(w, dir string, deletes bool) bool {
	if slices.Contains(pathtable.Split(w), ".git") {
		return !deletes || !strings.HasSuffix(w, ".lock")
	}
	return !deletes && pathtable.Below(path.Dir(w), dir) && repositoryNames[pathtable.Fold(path.Base(w))]
}
