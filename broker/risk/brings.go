package risk

import (
	"strings"

	"github.com/aoctl/aoctl/broker/shell"
)

// BringsFiles is the reason of a command that fills the work tree with files that its
// words do not name: an agent's settings, which can switch hooks off, may be among them.
const BringsFiles = "may bring in an agent's settings"

// bringers are subcommands of git that write other files into the work tree.
const bringers = "switch|checkout|pull|merge|rebase|cherry-pick|revert|am|apply|clone|submodule|read-tree|checkout-index|worktree|sparse-checkout|bisect|subtree"

// MayBringFiles reports whether a command may write files into folders although its words
// do not name them: another branch, an archive, a copy of a whole folder.
func MayBringFiles(e shell.Element) bool {
	if e.Kind != shell.Command || len(e.Argv) == 0 {
		return false
	}
	switch a := argsOf(e); a.name {
	case "git":
		return gitBrings(a)
	case "cp":
		return a.has("-r", "-R", "-a", "--recursive", "--archive")
	case "tar", "gtar", "bsdtar":
		return a.has("-x", "--extract", "--get") || len(a.words) > 0 && !strings.HasPrefix(a.words[0], "-") && strings.Contains(a.words[0], "x")
	case "unzip":
		return !a.has("-l", "-t", "-Z", "-v", "-p", "-z")
	case "bsdcpio", "7z", "7za", "7zr", "unrar", "unar", "ditto", "patch":
		return true
	case "rsync":
		return !a.has("-n", "--dry-run", "--list-only")
	case "cpio":
		return a.has("-i", "--extract", "-p", "--pass-through")
	}
	return false
}

func gitBrings(a args) bool {
	if rest, ok := a.sub("restore"); ok {
		b := a.after(rest)
		return !b.has("-S", "--staged") || b.has("-W", "--worktree")
	}
	if _, ok := a.sub("stash pop|apply|branch"); ok {
		return true
	}
	if rest, ok := a.sub("reset"); ok {
		return a.after(rest).has("--hard", "--merge", "--keep")
	}
	for _, only := range []string{"worktree list", "submodule status", "sparse-checkout list", "bisect log"} {
		if _, ok := a.sub(only); ok {
			return false
		}
	}
	rest, ok := a.sub(bringers)
	return ok && !startsBranch(a, a.after(rest))
}

// startsBranch reports whether git only begins a new branch where it is.
func startsBranch(whole, a args) bool {
	_, checkout := whole.sub("checkout")
	_, change := whole.sub("switch")
	fresh := checkout && a.exactly("-b") || change && a.exactly("-c", "--create")
	return fresh && len(a.words) == 2
}
