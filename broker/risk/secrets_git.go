package risk

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/commands"
	"github.com/aoctl/aoctl/broker/risk/leaves"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// quietGit are subcommands of git that show nothing of what is in files, but for these options.
// A subcommand that stands nowhere here may show all that the repository keeps, also what is no
// longer on the disk.
var quietGit = sync.OnceValue(func() map[string]string {
	quiet := map[string]string{
		"status": "-v --verbose", "commit": "--dry-run -p --patch --interactive", "add": "-p --patch -i --interactive -e --edit", "stage": "-p --patch -i --interactive -e --edit",
		"checkout": "-p --patch", "restore": "-p --patch", "reset": "-p --patch", "rebase": "--show-current-patch", "am": "--show-current-patch", "request-pull": "-p", "fsck": "--lost-found",
	}
	for sub := range wordset.Map(`apply bisect branch check-attr check-ignore check-mailmap check-ref-format cherry cherry-pick clean clone column commit-graph commit-tree
		config count-objects describe fetch for-each-ref gc hash-object help init init-db interpret-trailers ls-files ls-remote ls-tree maintenance merge
		merge-base mktree mv name-rev pack-refs patch-id prune prune-packed pull push read-tree remote repack replace rev-list rev-parse revert rm shortlog
		show-branch show-ref sparse-checkout stripspace submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version worktree write-tree`) {
		quiet[sub] = ""
	}
	return quiet
})

// How the subcommands that show commits and changes begin: with or without what changed.
var (
	patchesGit = wordset.New("diff show")
	listsGit   = wordset.New("log reflog whatchanged diff-tree diff-index diff-files")
)

// Options of these subcommands, spelled in full. What stands nowhere here may show a file.
var (
	// gitInstead show something in place of what changed.
	gitInstead = wordset.New("--stat --numstat --shortstat --dirstat --name-only --name-status --summary --compact-summary --raw --quiet --no-patch -s")
	// gitHarmless take no word that follows.
	gitHarmless = wordset.New(`--oneline --graph --all --decorate --no-decorate --format --pretty --abbrev-commit --no-abbrev-commit --abbrev --no-merges --merges --first-parent --reverse --follow
		--branches --tags --remotes --topo-order --date-order --author-date-order --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --ancestry-path --simplify-by-decoration --full-history --boundary --no-walk
		--color --no-color --no-ext-diff --no-textconv --exit-code --cached --staged --merge-base --relative --no-relative --find-renames --find-copies --no-renames --source --log-size --notes --no-notes --reflog
		--walk-reflogs --since --after --until --before --author --committer --grep --max-count --skip --date --diff-filter --invert-grep --all-match --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp
		--ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-submodules --minimal --patience --histogram --diff-algorithm --text --no-prefix --min-parents --max-parents --full-index --use-mailmap --no-mailmap
		-z -r -t -w -b -a -R -g -i -E -F -P -M -C -D --root --always --parents --children --clear-decorations --indent-heuristic --no-indent-heuristic --stat-width --stat-name-width --stat-count`)
	// gitTakes take the next word when they have no value.
	gitTakes = wordset.New(`-n -S -G --since --after --until --before --author --committer --grep --max-count --skip --date --diff-filter --diff-algorithm --min-parents --max-parents --stat-width --stat-name-width --stat-count`)
)

// gitShows judges what a git command shows of files that hold keys: those that its words name,
// and those that the repository keeps. What it kept once is not known. First comes what shows
// nothing, then what is named, and only then everything.
func (j secretJudge) gitShows(a cmdline.Command) {
	dir, b, sub := j.gitSub(a)
	raw := b.AnyWord(func(w string) bool { return strings.Contains(w, "%(raw") }) // of a name for a file
	if options, quiet := quietGit()[sub]; sub == "" || quiet && !raw && !b.Has(strings.Fields(options)...) {
		j.gitAddresses(b, sub, dir)
		if sub == "mv" {
			j.gitMoves(b, dir)
		}
		return
	}
	switch {
	// A stash holds files, and list and show tell their names alone unless asked for more.
	case sub == "stash":
		if len(b.Words) == 0 || !cmdline.Matches("list|show", b.Words[0]) && !b.Has("-p", "--patch") || cmdline.Matches("list|show", b.Words[0]) && gitSilent(b.After(b.Words[1:]), true) {
			return
		}
	case patchesGit.Has(sub) || listsGit.Has(sub):
		if gitSilent(b, listsGit.Has(sub)) {
			return
		}
	case sub == "cat-file" && len(b.Words) > 0 && cmdline.Matches("-t|-s|-e|--batch-check*", b.Words[0]) && !b.Exactly("--batch"):
		return
	case sub == "bundle" && len(b.Words) > 0 && cmdline.Matches("verify|list-heads", b.Words[0]):
		return
	}
	if !j.gitNamed(b, sub, dir) {
		j.gitKept(b, sub, dir)
	}
}

// gitSub is the subcommand of a git command, with the words behind it and the folder that it
// works in, "" when that is not known. A subcommand that cannot be found is "unknown", which is
// not quiet.
func (j secretJudge) gitSub(a cmdline.Command) (dir string, b cmdline.Command, sub string) {
	words := a.Words
	if part, ok := strings.CutPrefix(a.Name, "git-"); ok {
		dir, words = j.dirOf(a.Element), append([]string{part}, words...)
	} else if to, rest, foreign := gitFolder(j.dirOf(a.Element), words); foreign == "" {
		dir, words = to, rest
	} else if words = words[max(0, slices.IndexFunc(words, isGitSub)):]; len(words) > 0 && !isGitSub(words[0]) {
		return "", cmdline.Command{}, "unknown"
	}
	if len(words) == 0 {
		return dir, cmdline.Command{}, ""
	}
	if dir != "" {
		dir, _ = j.real(dir) // "" when it cannot be followed
	}
	return dir, cmdline.New("git", words[1:], a.Element), words[0]
}

// isGitSub reports whether a word is a subcommand that is judged here.
func isGitSub(w string) bool {
	_, quiet := quietGit()[w]
	return quiet || patchesGit.Has(w) || listsGit.Has(w) || cmdline.Matches("grep|archive|cat-file|blame|annotate|stash|format-patch", w)
}

// gitSilent reports whether a subcommand that shows commits or changes surely shows nothing of
// a file. silent: it does not by itself. One option that is not known is enough for no.
func gitSilent(a cmdline.Command, silent bool) bool {
	for i := 0; i < a.Plain; i++ {
		w := a.Words[i]
		name, _, _ := strings.Cut(w, "=")
		switch {
		case !strings.HasPrefix(w, "-"):
		case gitInstead.Has(name):
			silent = true
		case gitTakes.Has(w):
			i++
		case gitHarmless.Has(name) || strings.HasPrefix(w, "-S") || strings.HasPrefix(w, "-G") || gitNumber().MatchString(w):
		default:
			return false
		}
	}
	return silent
}

// gitNumber is how many commits to show, or how alike files must be to be the same.
var gitNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-(n|M|C)?\d+%?$`) })

// gitNamed judges the files that the words name, and reports whether all that is shown is
// named, as in rev:file. Words that are texts to search for are passed over.
func (j secretJudge) gitNamed(a cmdline.Command, sub, dir string) bool {
	only, named, objects := cmdline.Matches("blame|annotate", sub), 0, 0
	for i, w := range a.Words {
		option := i < a.Plain && strings.HasPrefix(w, "-")
		switch {
		case w == "--", option && cmdline.Matches("--grep=*|--author=*|--committer=*|--format=*|--pretty=*|-S*|-G*|--since=*|--until=*|--after=*|--before=*", w):
			continue
		case sub == "grep" && isPattern(a, i):
			continue
		case i < a.Plain && !option && (sub != "cat-file" || !cmdline.Matches("blob|tree|commit|tag", w)):
			objects++
			if _, ok := gitFile(w); ok || sub == "cat-file" && gitHead().MatchString(w) {
				named++
			}
		}
		if leavesPath(w) {
			continue
		}
		for _, p := range append(gitPieces(w), strings.TrimLeft(w, ":/!^")) {
			if why, ok := credential(j.resolve(p, spot{dir: dir, glob: true})); ok {
				j.danger(why)
				return true
			}
		}
	}
	return only || cmdline.Matches("show|diff|cat-file", sub) && named > 0 && named == objects && !a.Has("--stdin", "--batch", "--batch-command", "--no-index")
}

// isPattern reports whether word i of git grep is what is looked for: behind -e, or the first
// word when there is no -e.
func isPattern(a cmdline.Command, i int) bool {
	if i > 0 && a.Words[i-1] == "-e" {
		return true
	}
	first := slices.IndexFunc(a.Words[:a.Plain], func(w string) bool { return !strings.HasPrefix(w, "-") })
	return i == first && !a.Has("-e", "-f")
}

// leavesPath reports whether a word is a place that is left out.
func leavesPath(w string) bool {
	magic, _, _ := strings.Cut(w, ")")
	return strings.HasPrefix(w, ":!") || strings.HasPrefix(w, ":^") || strings.HasPrefix(w, ":(") && strings.Contains(magic, "exclude")
}

// gitFile is the file of a word that names one of a commit or of the index: rev:file, :file or
// :0:file. A text to look for in messages may hold a colon too. ok is false for a whole commit.
func gitFile(w string) (string, bool) {
	rev, file, ok := strings.Cut(w, ":")
	if !ok || file == "" || strings.HasPrefix(w, ":/") || strings.HasPrefix(w, ":(") || strings.Contains(rev, "{/") {
		return "", false
	}
	if len(file) > 2 && file[1] == ':' && rev == "" {
		file = file[2:]
	}
	return file, true
}

// gitHead is the commit that is checked out, or one before it.
var gitHead = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(HEAD|@)([~^]\d*)*(\^\{(tree|commit)\})?$`) })

// gitPieces are the parts of a word that may name a file. git has more of them than other
// programs: rev:file, option=file, :(magic)file.
func gitPieces(w string) []string {
	list := cmdline.Pieces(w)
	for i := 0; i < len(w); i++ {
		if w[i] == ':' || w[i] == '=' {
			list = append(list, w[i+1:])
		}
	}
	return list
}

// gitKept judges the files with keys that the repository keeps and that may be shown, or those
// of the folder where git looks at all of it. Paths behind -- narrow it; without any all of the
// repository counts.
func (j secretJudge) gitKept(a cmdline.Command, sub, dir string) {
	if a.Has("--untracked", "--no-index", "--recurse-submodules") && cmdline.Matches("grep|diff|archive", sub) || sub == "ls-files" && a.Has("-o", "--others") {
		j.holdsSecrets(j.resolve(".", spot{dir: dir}), leaves.Leaves{})
	}
	if j.at.Tracked == nil || dir == "" {
		return
	}
	var under []string
	switch {
	// What is named there is not known, so all of it may be shown.
	case a.Has("--stdin", "--batch", "--pathspec-from-file"):
	case sub == "ls-files":
		under = a.Operands()
	case a.Plain < len(a.Words):
		under = a.Words[a.Plain+1:]
	}
	found, whole := j.at.Tracked(dir)
	for _, f := range found {
		if gitUnder(dir, f, under) {
			j.danger("reads keys or credentials that the repository keeps: " + clip(path.Base(f)))
			return
		}
	}
	// Nothing was found in what could be read; the rest is not known.
	if !whole {
		j.note("git's list of files cannot be read")
	}
}

// gitUnder reports whether one of the places that a git command is kept to may hold file. A
// star stands for slashes, too.
func gitUnder(dir, file string, under []string) bool {
	if len(under) == 0 {
		return true
	}
	for _, u := range under {
		full := path.Join(dir, u)
		if strings.HasPrefix(u, ":") || pathtable.Below(pathtable.Fold(full), pathtable.Fold(file)) {
			return true
		}
		if strings.ContainsAny(u, `*?[\`) && (leaves.Pick{Pattern: full}).May(pathtable.Split(file)) {
			return true
		}
	}
	return false
}

// gitMoves judges files that get another name, under which they can be read. The last operand
// is where they go.
func (j secretJudge) gitMoves(a cmdline.Command, dir string) {
	ops := a.Operands()
	for _, w := range ops[:max(0, len(ops)-1)] {
		if why, ok := credential(j.resolve(w, spot{dir: dir, glob: a.Element.Glob})); ok {
			j.danger(why)
		}
	}
}

// gitAddresses judges what shows a repository's settings, or where it fetches from: there may
// be a password in them. Only whether there is one is asked, never which.
func (j secretJudge) gitAddresses(a cmdline.Command, sub, dir string) {
	shown := false
	switch sub {
	case "config":
		plain := slices.ContainsFunc(a.Operands(), func(w string) bool { return gitPlainKey().MatchString(w) })
		sets := a.Surely(commands.ConfigSets...) || commands.ConfigSetsKey(a)
		shown = (a.Has(commands.ConfigGets...) || !sets) && !plain || a.Has("--list", "-l") || a.AnyWord(func(w string) bool { return strings.HasPrefix(w, "--get-r") })
	case "remote":
		shown = slices.ContainsFunc(a.Words, func(w string) bool { return cmdline.Matches("-v|--v*|show|get-url", w) })
	case "ls-remote":
		shown = true
	case "var":
		shown = a.Exactly("-l")
	}
	if !shown {
		return
	}
	// git remote shows addresses of this repository alone.
	password := sub != "remote" && j.at.OwnPassword != nil && j.at.OwnPassword()
	if dir != "" && j.at.Git != nil {
		password = password || j.at.Git(dir).Password
	}
	if password {
		j.danger("shows a password or token in git's settings")
	}
}

// gitPlainKey is a setting that holds no password.
var gitPlainKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(user|author|committer|core|init|pull|push|branch|commit|color|diff|merge|tag|log|status|rebase|fetch|gpg|rerere)\.[\w./-]+$`)
})
