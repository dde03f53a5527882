// Package brings says which commands fill folders with files that their words do not name:
// another branch, an archive, a copy of a whole folder.
//
// An agent's settings may be among such files, and they can switch its hooks off. So a rule
// about the beginning of a command does not let one pass, and risk notes it. Some commands of
// these programs only show what they would do, or write just the files that they name; these
// are told apart by the plainest words alone.
//
// Files is the question, CopiedFolder tells the one kind of copy that package rules can look up
// on the disk. The programs that bring files whatever their words are stand on the pages of
// package programs; git has a file of its own here. In doubt a command brings: the price is a
// rule that has to name it exactly.
package brings

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
)

// Why is the reason of a command that fills the work tree with files that its
// words do not name: an agent's settings, which can switch hooks off, may be among them.
const Why = "may bring in an agent's settings"

// Files reports whether a command may write files into folders although its words
// do not name them: another branch, an archive, a copy of a whole folder. Where programs
// take shortened options, each shortening counts.
func Files(e shell.Element) bool {
	if e.Kind != shell.Command || len(e.Argv) == 0 {
		return false
	}
	a := cmdline.Of(e)
	if part, ok := strings.CutPrefix(a.Name, "git-"); ok { // git-stash is git stash
		a = cmdline.New("git", append([]string{part}, a.Words...), e)
	}
	switch a.Name {
	case "git":
		return gitBrings(a)
	case "hg", "jj", "sl", "bzr", "brz", "fossil", "darcs", "pijul":
		return len(a.Words) > 0 && !a.SubOf(staying)
	case "jar":
		return a.Has("-x", "--extract") || oldStyle(a.Words, "x")
	case "cp", "gcp":
		return a.Has("-r", "-R", "-a", "--recursive", "--archive")
	case "scp":
		return a.Has("-r")
	case "tar", "gtar", "bsdtar":
		if tarShows(a.Words) {
			return false
		}
		return a.Has("-x", "--extract", "--get") || oldStyle(a.Words, "x")
	case "unzip":
		return !unzipShows(a.Words)
	case "rsync":
		return !rsyncTrial.surely(a.Words)
	case "cpio":
		return a.Has("-i", "--extract", "-p", "--pass-through")
	case "dpkg-deb", "dpkg":
		return a.Has("-x", "-X", "-R", "--extract", "--vextract", "--raw-extract")
	}
	return a.Is(programs.Brings) || slices.ContainsFunc(bringingSubs[a.Name], a.SubOf)
}

// bringingSubs are subcommands with which other programs do so.
var bringingSubs = map[string][]string{
	"gh":     {"co", "pr checkout|co|merge", "repo sync|clone|fork|create", "issue develop", "gist clone", "run|release download", "codespace|cs cp"},
	"glab":   {"mr checkout|co", "repo clone|fork|create", "ci|job artifact"},
	"svn":    {"checkout|co|update|up|switch|sw|merge|patch|revert|export"},
	"docker": {"cp", "container|compose cp"}, "podman": {"cp", "container|compose cp"}, "nerdctl": {"cp", "container|compose cp"},
}

// staying are subcommands of hg and jj that leave the files where they are. Others may be
// shortened, and bring some.
const staying = "status|st|log|diff|show|describe|desc|commit|ci|annotate|blame|cat|root|id|identify|summary|branches|tags|heads|paths|push|incoming|outgoing|files|manifest|help|version"

// oldStyle reports whether the first word is options without a dash, one of them letter.
func oldStyle(words []string, letter string) bool {
	return len(words) > 0 && !strings.HasPrefix(words[0], "-") && strings.Contains(words[0], letter)
}

// tarShows reports whether tar prints what it takes out of an archive: its first word says so, and
// no other option follows that could take it back.
func tarShows(words []string) bool {
	if len(words) == 0 {
		return false
	}
	letters := strings.TrimPrefix(words[0], "-")
	return strings.Contains(letters, "O") && strings.Contains(letters, "f") && strings.Trim(letters, "xOzjJvf") == "" &&
		!slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") })
}

// trial are the options of a program that only shows, or says what it would do, when it has one of
// them. They are few on purpose: any other option may have a value that looks like one of
// these, or take it back.
type trial struct {
	shows     string // options that make it so: "--list|--check"
	fine      string // options that change nothing of that; one that ends in = has any value behind it
	flags     string // letters that may stand in a cluster
	showFlags string // those of them that make it so
}

// surely reports whether the words have an option that makes the program a trial, and none that is
// not known.
func (t trial) surely(words []string) bool {
	shows := false
	for _, w := range words {
		switch {
		case !strings.HasPrefix(w, "-") || listed(t.fine, w):
		case listed(t.shows, w):
			shows = true
		case len(w) < 2 || strings.Trim(w[1:], t.flags) != "":
			return false
		default:
			shows = shows || strings.ContainsAny(w, t.showFlags)
		}
	}
	return shows
}

// listed reports whether a word is one of the options, or one with a value.
func listed(options, w string) bool {
	for o := range strings.SplitSeq(options, "|") {
		if w == o || strings.HasSuffix(o, "=") && strings.HasPrefix(w, o) {
			return true
		}
	}
	return false
}

// rsyncTrial: rsync says what it would do.
var rsyncTrial = trial{
	shows: "--dry-run|--list-only",
	fine: "--verbose|--quiet|--checksum|--archive|--recursive|--relative|--update|--links|--perms|--owner|--group" +
		"|--times|--delete|--itemize-changes|--stats|--progress|--human-readable|--compress|--partial|--numeric-ids|--cvs-exclude" +
		"|--exclude=|--include=|--filter=|--exclude-from=|--include-from=|--chmod=|--info=|--out-format=|--max-size=|--min-size=",
	flags: "vqcarRubdlLkKHpEAXogtUNODJSWxCIyzhPi0468Fn", showFlags: "n",
}

// unzipTrial: unzip lists, tests or prints. What stands behind an operand may be the name of a file.
var unzipTrial = trial{flags: "ltvpzZqsh12m", showFlags: "ltvpzZ"}

// unzipShows reports whether unzip only shows, by all of its options as well as by those before
// the archive: what stands behind may be the name of a file in it.
func unzipShows(words []string) bool {
	first := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") })
	return unzipTrial.surely(words) && (first < 0 || unzipTrial.surely(words[:first]))
}
