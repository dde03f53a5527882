// Package brings says which commands fill folders with files that their words do not name:
// another branch, an archive, a copy of a whole folder.
//
// An agent's settings may be among such files, and they can switch its hooks off. So a rule about the
// beginning of a command does not let one pass, and risk notes it. Some commands of these programs
// only show what they would do, or write just the files that they name; these are told apart
// by the plainest words alone.
package brings

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/programs"
	"github.com/aoctl/aoctl/broker/shell/wordset"
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
		return !rsyncTries(a.Words)
	case "cpio":
		return a.Has("-i", "--extract", "-p", "--pass-through")
	case "dpkg-deb", "dpkg":
		return a.Has("-x", "-X", "-R", "--extract", "--vextract", "--raw-extract")
	}
	return programs.Is(programs.Brings, a.Name) || slices.ContainsFunc(bringingSubs[a.Name], a.SubOf)
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

// unzipShows reports whether unzip only lists, tests or prints. Any other option may have
// a value that looks like one of these, or take it back.
func unzipShows(words []string) bool {
	shows, operands := false, false
	for _, w := range words {
		switch {
		case !strings.HasPrefix(w, "-"):
			operands = true
		case len(w) < 2 || strings.Trim(w[1:], "ltvpzZqsh12m") != "":
			return false
		default:
			shows = shows || !operands && strings.ContainsAny(w, "ltvpzZ")
		}
	}
	return shows
}

// rsyncFlags are short options of rsync without values, but for -n.
const rsyncFlags = "vqcarRubdlLkKHpEAXogtUNODJSWxCIyzhPi0468F"

// rsyncLong are long ones.
var rsyncLong = wordset.New(`--verbose --quiet --checksum --archive --recursive --relative --update --links --perms --owner --group
	--times --delete --itemize-changes --stats --progress --human-readable --compress --partial --numeric-ids --cvs-exclude`)

// rsyncTries reports whether rsync only says what it would do. Behind an option that is
// not known -n may be the option's value, or be taken back.
func rsyncTries(words []string) bool {
	tries := false
	for _, w := range words {
		long := strings.HasPrefix(w, "--")
		switch {
		case w == "--dry-run", w == "--list-only":
			tries = true
		case !strings.HasPrefix(w, "-"), long && (rsyncLong.Has(w) || rsyncGiven(w)):
		case long || len(w) < 2 || strings.Trim(w[1:], rsyncFlags+"n") != "":
			return false
		case strings.Contains(w, "n"):
			tries = true
		}
	}
	return tries
}

// rsyncGiven reports whether w is an option of rsync together with its value.
func rsyncGiven(w string) bool {
	name, _, given := strings.Cut(w, "=")
	return given && cmdline.Matches("--exclude|--include|--filter|--exclude-from|--include-from|--chmod|--info|--out-format|--max-size|--min-size", name)
}
