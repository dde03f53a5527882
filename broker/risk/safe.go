package risk

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// reader is a program that only looks, as long as it has none of some options. The zero reader
// is one whose every option only looks.
type reader struct {
	not   string                     // options that make it do more, separated by blanks
	texts bool                       // its words are no files
	first bool                       // its first operand is no file, but a pattern or a program
	only  func(cmdline.Command) bool // must hold besides
}

// readers are programs that only look. To be missing here costs nothing but the word "safe", so
// a program is here only if its options are known on Linux and macOS.
var readers = sync.OnceValue(func() map[string]reader {
	all := map[string]reader{
		"find": {only: findLooks}, "fd": {not: "-x -X --exec --exec-batch", first: true}, "fdfind": {not: "-x -X --exec --exec-batch", first: true},
		"grep": {first: true}, "egrep": {first: true}, "fgrep": {first: true},
		"rg":   {not: "--pre --pre-glob --hostname-bin -z --search-zip", first: true},
		"sort": {not: "-o --output --compress-program -T --temporary-directory --files0-from"},
		"jq":   {not: "-f --from-file -L --library-path --slurpfile --rawfile --argfile", first: true},
		"yq":   {not: "-i --inplace -f --from-file -s --split-exp", first: true, only: noWord("load", "env", "system")},
		"sed":  {only: sedPrints}, "date": {not: "-s --set -r --reference -f --file", texts: true},
		"tree": {not: "-o --output --fromfile"}, "uniq": {only: oneOperand}, "file": {not: "-C --compile -m --magic-file -z -Z -f --files-from"},
		"hostname": {not: "-F --file -b --boot", only: noOperands}, "uname": {texts: true}, "id": {texts: true},
		"git": {only: gitLooks, texts: true}, "go": {only: goLooks}, "cargo": {only: asksVersion}, "npm": {only: npmLooks},
		"pnpm": {only: npmLooks}, "test": {}, "[": {}, "du": {not: "--files0-from -X --exclude-from"}, "wc": {not: "--files0-from"},
		"diff": {not: "--from-file --to-file"}, "xxd": {not: "-r", only: oneOperand}, "printf": {not: "-v", texts: true},
		"column": {}, "base64": {not: "-o --output"},
	}
	for name := range wordset.Map("ls cat head tail cut tr cmp comm nl tac rev fold paste join expand unexpand stat df readlink realpath md5sum sha1sum sha256sum sha512sum cksum od hexdump strings") {
		all[name] = reader{}
	}
	for name := range wordset.Map("pwd echo which whoami basename dirname true false sleep seq type arch nproc uptime") {
		all[name] = reader{texts: true}
	}
	for name := range wordset.Map("node python python3 python2 ruby rustc rustup deno bun yarn java javac gcc g++ clang cmake make docker kubectl terraform gh pip pip3 uv poetry php perl npx tsc dotnet swift zig") {
		all[name] = reader{only: asksVersion, texts: true}
	}
	return all
})

// safeJudge says of a line whether it only looks. It finds nothing. All that it asks must hold
// for sure.
type safeJudge struct{ *resolver }

// onlyReads reports whether every element of a line is known to only look, inside the project
// or where nobody minds. git counts only with a repository that runs nothing.
func (j safeJudge) onlyReads(l *shell.Line) bool {
	if j.at.Project == "" {
		return false
	}
	for i, e := range l.Elements {
		// A repository with settings of its own can make "git status" run a program.
		if g := GitUse(l, i, j.dirOf(e), j.at); g.Foreign != "" || g.Settings != "" || !j.elementReads(e) {
			return false
		}
	}
	return true
}

// elementReads reports whether one element is known to only look. What package shell doubts is
// not.
func (j safeJudge) elementReads(e shell.Element) bool {
	if e.Unsure != "" || e.Exact != "" || e.Host != "" || e.DirUnsure {
		return false
	}
	for _, w := range e.Via {
		if !programs.Is(programs.PlainWrapper, w) {
			return false
		}
	}
	// Elsewhere a relative path is none of the project's files.
	if !j.inProject(j.resolve(j.dirOf(e), spot{})) {
		return false
	}
	switch e.Kind {
	case shell.Read:
		return j.mayRead(j.resolve(e.Path, j.spotOf(e, false)))
	case shell.Write:
		return !e.Deletes && harmlessDevice(e.Path)
	case shell.Assign:
		return quietVariables.Has(e.Name) && (!showers.Has(e.Name) || plainShowers.Has(e.Value))
	case shell.Command:
		return e.Neutral || j.commandReads(e)
	case shell.Unknown:
	}
	return false
}

// commandReads reports whether a command is one of the readers, and names no file
// outside.
func (j safeJudge) commandReads(e shell.Element) bool {
	if len(e.Argv) == 0 {
		return false
	}
	r, ok := readers()[e.Argv[0]]
	a := cmdline.Of(e)
	if !ok || r.only != nil && !r.only(a) || a.Has(strings.Fields(r.not)...) {
		return false
	}
	return r.texts || j.wordsInside(a, r.first)
}

// wordsInside reports whether no word is a path that leads outside. The line's own elements say
// which files are read; this does not rely on them. skipFirst: the first operand is no file.
func (j safeJudge) wordsInside(a cmdline.Command, skipFirst bool) bool {
	s := j.spotOf(a.Element, false)
	s.tilde = true
	for i, w := range a.Words {
		option := i < a.Plain && strings.HasPrefix(w, "-")
		if !option && skipFirst {
			skipFirst = false
			continue
		}
		// An option may have a path behind its letter, or behind an equals sign.
		for _, p := range append(pieces(w), w) {
			if leavesFolder(p) && !j.mayRead(j.resolve(p, s)) {
				return false
			}
		}
	}
	return true
}

// leavesFolder reports whether a path may lead out of the folder that it starts in by its text
// alone. Links are followed by whoever asks mayRead.
func leavesFolder(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || p == ".." || strings.HasPrefix(p, "../") || strings.Contains(p, "/../") || strings.HasSuffix(p, "/..")
}

// findLooks, sedPrints, oneOperand, noWord, asksVersion, npmLooks and goLooks are what readers
// ask besides.
func findLooks(a cmdline.Command) bool {
	return !a.AnyWord(func(w string) bool {
		return cmdline.Matches("-delete|-exec|-execdir|-ok|-okdir|-fprint*|-fls|-files0-from|-newer*", w)
	})
}

// sedCommand is a program of sed that prints some lines.
var sedCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+|\$)?(,(\d+|\$))?p$`) })

func sedPrints(a cmdline.Command) bool {
	ops := a.Operands()
	if len(ops) == 0 || !sedCommand().MatchString(ops[0]) {
		return false
	}
	for _, w := range a.Words {
		// -i writes, -f reads a program, and new ones may do anything.
		if strings.HasPrefix(w, "-") && w != "-n" && w != "-E" && w != "-r" {
			return false
		}
	}
	return true
}

func oneOperand(a cmdline.Command) bool { return len(a.Operands()) <= 1 }

func noWord(parts ...string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return !a.AnyWord(mentions(parts...)) }
}

func asksVersion(a cmdline.Command) bool {
	if len(a.Words) != 1 {
		return false
	}
	switch a.Words[0] {
	case "--version", "-V", "-version":
		return true
	case "-v":
		return a.Name == "node" || a.Name == "ruby" || a.Name == "php" || a.Name == "npm" || a.Name == "pnpm" || a.Name == "yarn"
	case "version":
		return a.Name == "terraform" || a.Name == "zig"
	}
	return false
}

func npmLooks(a cmdline.Command) bool {
	if asksVersion(a) {
		return true
	}
	if len(a.Words) == 0 || a.AnyWord(mentions("--prefix", "--globalconfig", "--userconfig", "--registry", "-C", "--dir")) {
		return false
	}
	switch a.Words[0] {
	case "ls", "list", "outdated", "view", "info", "why", "explain":
		return true
	}
	return false
}

func goLooks(a cmdline.Command) bool {
	if len(a.Words) == 0 {
		return false
	}
	rest := a.After(a.Words[1:])
	switch a.Words[0] {
	case "version", "doc":
		return true
	case "env":
		return !rest.AnyWord(func(w string) bool { return cmdline.Matches("-w*|-u*|--w*|--u*|*=*", w) })
	case "list":
		return !rest.AnyWord(func(w string) bool {
			return cmdline.Matches("-toolexec*|-overlay*|-modfile*|-mod*|-exec*|-pkgdir*|-C*|-export*|-u|-compiled*|-test*|-vcs*|--*", w)
		})
	}
	return false
}

// gitReads are subcommands of git that only look, with the options that make them do more. Long
// ones may be shortened. --textconv and --ext-diff run programs from the settings.
var gitReads = map[string]string{
	"status": "", "diff": "--output --ext-diff --no-index --textconv", "log": "--output --ext-diff --textconv",
	"show": "--output --ext-diff --textconv", "rev-parse": "--parseopt --sq-quote", "ls-files": "-X --exclude-from", "blame": "--contents -S --ignore-revs-file",
	"ls-tree": "", "describe": "", "shortlog": "--output", "merge-base": "", "rev-list": "", "name-rev": "", "cat-file": "--textconv --filters --batch-command",
	"for-each-ref": "--shell --perl --python --tcl", "count-objects": "", "check-ignore": "", "grep": "-O --open-files-in-pager -f --no-index --textconv",
	"diff-tree": "--output --ext-diff --textconv", "diff-index": "--output --ext-diff --textconv", "whatchanged": "--output --ext-diff --textconv", "version": "",
}

// gitLooks reports whether git only looks. Any option before the subcommand but a few makes it
// no.
func gitLooks(a cmdline.Command) bool {
	words := a.Words
	for len(words) > 0 && (words[0] == "--no-pager" || words[0] == "-P" || words[0] == "--no-optional-locks") {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	rest := cmdline.New("git", words[1:], a.Element)
	if rest.AnyWord(func(w string) bool { return leavesFolder(w) || strings.Contains(w, "=/") || strings.Contains(w, "=~") }) {
		return false
	}
	if not, ok := gitReads[words[0]]; ok {
		return !rest.Has(strings.Fields(not)...)
	}
	return gitLists(words[0], rest)
}

// gitLists reports whether a subcommand that can both list and change only lists. What is not
// in the list of each may change.
func gitLists(sub string, a cmdline.Command) bool {
	if sub == "--version" {
		return len(a.Words) == 0
	}
	first := ""
	if len(a.Words) > 0 {
		first = a.Words[0]
	}
	switch sub {
	case "branch", "tag":
		return onlyOptions(a, "-a|-r|-v|-vv|-l|-n|--list|--all|--remotes|--verbose|--show-current|--sort=*|--format=*|--column|--no-color|--color=*|--merged|--no-merged|--contains|--points-at")
	case "remote":
		return len(a.Words) == 0 || len(a.Words) == 1 && (first == "-v" || first == "--verbose") || first == "get-url"
	case "stash":
		return first == "list" || first == "show"
	case "worktree":
		return first == "list"
	case "reflog":
		return first == "" || first == "show"
	case "submodule":
		return first == "status"
	}
	return false
}

// onlyOptions reports whether all words are options of the list; operands are fine
// where one of them says that they are patterns or commits to list by.
func onlyOptions(a cmdline.Command, list string) bool {
	lists := a.Exactly("-l", "--list", "--merged", "--no-merged", "--contains", "--points-at")
	for _, w := range a.Words {
		if strings.HasPrefix(w, "-") && !cmdline.Matches(list, w) || !strings.HasPrefix(w, "-") && !lists {
			return false
		}
	}
	return true
}
