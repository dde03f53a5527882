package risk

import "strings"

// bringers are subcommands of git that write other files into the work tree.
const bringers = "switch|checkout|pull|merge|rebase|cherry-pick|revert|am|apply|clone|submodule|read-tree|checkout-index|worktree|sparse-checkout|bisect|subtree"

func gitBrings(a args) bool {
	if rest, ok := a.sub("restore"); ok {
		return !unstages(a.after(rest))
	}
	if _, ok := a.sub("stash pop|apply|branch"); ok {
		return true
	}
	if rest, ok := a.sub("reset"); ok {
		return a.after(rest).hasShort([]string{"--hard", "--merge", "--keep"})
	}
	for _, only := range []string{"worktree list", "submodule status", "sparse-checkout list", "bisect log"} {
		if _, ok := a.sub(only); ok {
			return false
		}
	}
	rest, ok := a.sub(bringers)
	return ok && !startsBranch(a, a.after(rest))
}

// unstages reports whether git restore leaves the work tree alone. Behind an option that
// is not known --staged may be the option's value, or be taken back.
func unstages(a args) bool {
	staged := false
	for _, w := range a.words[:a.plain] {
		switch {
		case !strings.HasPrefix(w, "-"), w == "-s", w == "--quiet", strings.HasPrefix(w, "--source="):
		case w == "--staged":
			staged = true
		case len(w) < 2 || strings.Trim(w[1:], "Sqp") != "":
			return false
		case strings.Contains(w, "S"):
			staged = true
		}
	}
	return staged
}

// startsBranch reports whether git only begins a new branch where it is.
func startsBranch(whole, a args) bool {
	_, checkout := whole.sub("checkout")
	_, change := whole.sub("switch")
	fresh := checkout && a.exactly("-b") || change && a.exactly("-c", "--create")
	return fresh && len(a.words) == 2
}
