package effects

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

// gitRows are subcommands of git. Those that look are listed with the options that make them do
// more; long options may be shortened. Formats may run a program, too (ChecksSigned). --textconv, --ext-diff and --show-signature run programs from the
// settings, --help a pager; --output is known to more of them than say so, and --remerge-diff writes objects.
// Which repository it is, and what its settings run, is for package risk to ask.
//
// What commits can be taken back by the reflog. Not here is what brings other files into the work
// tree, as an agent's settings may be among them, and what throws work away.
func gitRows() []row {
	look, commit := Of(Look), Of(Commit)
	return []row{
		{call: "git status|ls-tree|merge-base|rev-list|name-rev|count-objects|check-ignore|version", does: look, lax: true, not: "--help --output"},
		{call: "git diff", does: look, lax: true, not: "--help --output --remerge-diff --ext-diff --no-index --textconv"},
		{call: "git log|show|diff-tree|diff-index|whatchanged|shortlog", does: look, lax: true, not: "--help --output --remerge-diff --ext-diff --textconv --show-signature"},
		{call: "git rev-parse", does: look, lax: true, not: "--help --output --remerge-diff --parseopt --sq-quote"},
		{call: "git ls-files", does: look, lax: true, not: "--help --output --remerge-diff -X --exclude-from"},
		{call: "git blame", does: look, lax: true, not: "--help --output --remerge-diff --contents -S --ignore-revs-file"},
		{call: "git describe", does: look, lax: true, not: "--help --output"},
		{call: "git cat-file", does: look, lax: true, not: "--help --output --remerge-diff --textconv --filters --batch-command"},
		{call: "git for-each-ref", does: look, lax: true, not: "--help --output --remerge-diff --shell --perl --python --tcl"},
		{call: "git grep", does: look, lax: true, not: "--help --output --remerge-diff -O --open-files-in-pager -f --no-index --textconv"},
		{call: "git branch|tag", does: look, lax: true, not: "--help --output", only: onlyLists},
		{call: "git remote", does: look, with: "-v --verbose", only: noOperands},
		{call: "git remote get-url", does: look, texts: true},
		{call: "git stash list|show", does: look, lax: true, not: "--help --output --remerge-diff --ext-diff --textconv --show-signature"},
		{call: "git worktree list", does: look, with: "--porcelain -v"},
		{call: "git reflog show", does: look, lax: true, not: "--help --output --remerge-diff --ext-diff --textconv --show-signature"},
		{call: "git reflog|--version", does: look, only: noOperands},
		{call: "git submodule status", does: look},

		{call: "git clean -n|-nd|-ndx|-ndX|-nx|-nX|--dry-run", does: look, with: "-d -x -X -q"},
		{call: "git config user.name|user.email", does: look, only: noOperands},
		{call: "git config --get user.name|user.email", does: look, only: noOperands},

		{call: "git add|stage", does: commit, with: "-A --all -u --update -v --verbose -n --dry-run -N --intent-to-add"},
		{call: "git commit", does: commit, with: "-m: --message: -a --all -q --quiet -v --verbose -s --signoff --allow-empty --no-edit --author: --amend", only: hasMessage},
		{call: "git reset", does: commit, with: "-q --quiet --mixed --soft"},
		{call: "git restore --staged|-S", does: commit},
		{call: "git branch", does: commit, with: "-q --quiet -d -m"},
		{call: "git switch", does: commit, with: "-c: --create: -q --quiet", only: noOperandsBut("-c", "--create")},
		{call: "git checkout", does: commit, with: "-b: -q --quiet", only: noOperandsBut("-b")},
		{call: "git tag", does: commit, with: "-a --annotate -m: --message:"},
		// What git does not have as it is, it does not remove.
		{call: "git rm", does: commit, with: "-r -q --quiet -n --dry-run --cached", only: each(word("--cached"), noMagic)},
		{call: "git rm", does: Of(Edit, Commit), with: "-r -q --quiet -n --dry-run", only: noMagic},
		{call: "git mv", does: Of(Edit, Commit), with: "-v -k -n"},

		{call: "git push|send-email", does: Of(Push), lax: true},
		{call: "git fetch|pull|clone|ls-remote", does: Of(Network), lax: true},
	}
}

// gitPlain are the words of git without options before the subcommand that change only how it prints, or the
// folder that it works in. Whose repository that is, package risk asks.
func gitPlain(words []string) (rest []string, folder string) {
	for len(words) > 0 {
		switch {
		case words[0] == "--no-pager", words[0] == "-P", words[0] == "--no-optional-locks":
			words = words[1:]
		case words[0] == "-C" && len(words) > 1 && folder == "":
			words, folder = words[2:], words[1]
		default:
			return words, folder
		}
	}
	return words, folder
}

// checksSigned is what formats and orders say of who signed a commit or a tag.
var checksSigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`%[-+ ]?G|%\(\*?signature|^(--so[a-z]*=)?-?\*?((version|v):)?signature(:|$)`)
})

// ChecksSigned reports whether a word of git, or a value of its settings, is a format or an order for which it
// runs the program that checks signatures.
func ChecksSigned(word string) bool { return checksSigned().MatchString(word) }

// staysBelow reports whether words mean files of the project in each of its folders: package risk follows
// them from where the line works.
func staysBelow(d Doing, words []string) bool {
	return !d.Does.Has(Edit) && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "..") })
}

// hasMessage reports whether git commit needs no editor for its message: that may be any program.
func hasMessage(a cmdline.Command) bool {
	return a.Has("-m", "--message", "--no-edit")
}

// noMagic asks for plain names of files. git has patterns of its own, which a shell leaves alone.
func noMagic(a cmdline.Command) bool {
	return !a.AnyWord(func(w string) bool { return strings.HasPrefix(w, ":") || strings.ContainsAny(w, "*?[\\") })
}

// each asks for all of some things.
func each(tests ...func(cmdline.Command) bool) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool {
		return !slices.ContainsFunc(tests, func(t func(cmdline.Command) bool) bool { return !t(a) })
	}
}

// listing are the options with which git branch and git tag only list.
const listing = "-a|-r|-v|-vv|-l|-n|--list|--all|--remotes|--verbose|--show-current|--sort=*|--format=*|--column|--no-color|--color=*|--merged|--no-merged|--contains|--points-at"

// onlyLists reports whether all words are options that list. Operands are fine where one of
// these says that they are patterns, or commits to list by.
func onlyLists(a cmdline.Command) bool {
	lists := a.Exactly("-l", "--list", "--merged", "--no-merged", "--contains", "--points-at")
	return !a.AnyWord(func(w string) bool {
		if strings.HasPrefix(w, "-") {
			return !cmdline.Matches(listing, w)
		}
		return !lists
	})
}

// noOperandsBut asks for one of the options and a value behind it, and nothing else that is no
// option: what follows the name of a new branch is where it begins, and brings other files.
func noOperandsBut(options ...string) func(cmdline.Command) bool {
	return func(a cmdline.Command) bool { return a.Exactly(options...) && len(a.Operands()) == 1 }
}

// tellings are the words behind subcommands of git that print contents, with which it prints names and
// numbers alone; the first of them in each list is needed.
var tellings = sync.OnceValue(func() map[string][2]*regexp.Regexp {
	words := regexp.MustCompile(`^(--oneline|--stat|--shortstat|--numstat|--name-only|--name-status|--cached|--staged|--graph|--decorate|--no-color|-n?[0-9]+|-q|HEAD)$`)
	some := regexp.MustCompile(`^(--stat|--shortstat|--numstat|--name-only|--name-status)$`)
	return map[string][2]*regexp.Regexp{"log": {words}, "shortlog": {words}, "diff": {words, some}, "show": {words, some}}
})

// TellsNames reports whether a git command that looks prints names, numbers and messages, and no contents of
// files.
func TellsNames(a cmdline.Command) bool {
	if len(a.Element.Argv) == 0 || a.Element.Argv[0] != "git" {
		return false
	}
	words, _ := gitPlain(a.Element.Argv[1:])
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "status", "branch", "tag", "remote", "rev-parse", "ls-files", "ls-tree", "describe", "worktree", "reflog", "merge-base", "rev-list", "name-rev", "count-objects", "check-ignore", "version", "--version", "config", "clean", "submodule":
		return true
	}
	fits, ok := tellings()[words[0]]
	return ok && !slices.ContainsFunc(words[1:], func(w string) bool { return !fits[0].MatchString(w) }) &&
		(fits[1] == nil || slices.ContainsFunc(words[1:], fits[1].MatchString))
}

// TakesAll reports whether a git command stages or commits whatever changed, in all of the repository.
func TakesAll(a cmdline.Command) bool { return a.Has("-A", "-a", "-u", "--all", "--update") }
