package brings

import (
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
)

// bringers are subcommands of git that write other files into the work tree.
const bringers = "switch|checkout|pull|merge|rebase|cherry-pick|revert|am|apply|clone|submodule|read-tree|checkout-index|worktree|sparse-checkout|bisect|subtree"

// gitBrings reports whether a git command may write files that its words do not name. Each
// subcommand that can be harmless is asked first.
func gitBrings(a cmdline.Command) bool {
	if rest, ok := a.Sub("restore"); ok {
		back := a.After(rest)
		return !unstages.surely(back.Words[:back.Plain]) && !restoresFiles(back, a.Element.Glob)
	}
	if rest, ok := a.Sub("stash"); ok {
		return !stashes(a.After(rest), a.Element.Glob)
	}
	if rest, ok := a.Sub("apply"); ok {
		back := a.After(rest)
		return !applyLooking.surely(back.Words[:back.Plain])
	}
	if rest, ok := a.Sub("reset"); ok {
		return a.After(rest).Has("--hard", "--merge", "--keep")
	}
	for _, only := range []string{"worktree list", "submodule status", "sparse-checkout list", "bisect log"} {
		if _, ok := a.Sub(only); ok {
			return false
		}
	}
	if rest, ok := a.Sub("checkout"); ok && checksOutFiles(a.After(rest), a.Element.Glob) {
		return false
	}
	rest, ok := a.Sub(bringers)
	return ok && !startsBranch(a, a.After(rest))
}

// stashes reports whether git stash leaves the work tree alone, or puts away the files that
// it names and no other. Without names it makes the whole tree what the branch, or the
// index, says by then, which need not be where the files came from.
func stashes(a cmdline.Command, glob bool) bool {
	if len(a.Words) == 0 {
		return false
	}
	if cmdline.Matches("list|show|drop|clear|create|store", a.Words[0]) {
		return true
	}
	return a.Words[0] == "push" && a.Plain < len(a.Words) && !glob && plainFiles(a.Words[a.Plain+1:])
}

// What leaves the work tree alone: git restore of the index, and git apply that only looks.
var (
	unstages     = trial{shows: "--staged", fine: "-s|--quiet|--source=", flags: "Sqp", showFlags: "S"}
	applyLooking = trial{shows: "--check|--stat|--numstat|--summary", fine: "-v|--verbose|-R|--reverse|-p0|-p1|-p2"}
)

// startsBranch reports whether git only begins a new branch where it is.
func startsBranch(whole, a cmdline.Command) bool {
	_, checkout := whole.Sub("checkout")
	_, change := whole.Sub("switch")
	fresh := checkout && a.Exactly("-b") || change && a.Exactly("-c", "--create")
	return fresh && len(a.Words) == 2
}

// restoresFiles reports whether git restore writes the files that it names and no other.
func restoresFiles(a cmdline.Command, glob bool) bool {
	for i, w := range a.Words[:a.Plain] {
		if !strings.HasPrefix(w, "-") {
			return a.Plain == len(a.Words) && !glob && plainFiles(a.Words[i:])
		}
		if !listed("-q|--quiet|-W|--worktree|-S|--staged|-SW|-WS|--source=", w) {
			return false
		}
	}
	return !glob && a.Plain < len(a.Words) && plainFiles(a.Words[a.Plain+1:])
}

// checksOutFiles reports whether git checkout writes the files that it names behind --.
func checksOutFiles(a cmdline.Command, glob bool) bool {
	if a.Plain == len(a.Words) || glob || a.Plain > 1 || a.Plain == 1 && strings.HasPrefix(a.Words[0], "-") {
		return false
	}
	return plainFiles(a.Words[a.Plain+1:])
}

// plainFiles reports whether the words name files below the folder that are no folders
// by their looks, and nothing hidden: agents keep their settings in hidden folders.
func plainFiles(words []string) bool {
	for _, w := range words {
		if strings.ContainsAny(w, `*?[]\\:~^@{}$`) || strings.HasPrefix(w, "/") || strings.HasPrefix(w, "-") {
			return false
		}
		parts := strings.Split(w, "/")
		for _, p := range parts {
			if p == "" || p[0] == '.' {
				return false
			}
		}
		if last := parts[len(parts)-1]; !strings.Contains(strings.TrimSuffix(last, "."), ".") {
			return false
		}
	}
	return len(words) > 0
}
