package risk

import "strings"

// bringers are subcommands of git that write other files into the work tree.
const bringers = "switch|checkout|pull|merge|rebase|cherry-pick|revert|am|apply|clone|submodule|read-tree|checkout-index|worktree|sparse-checkout|bisect|subtree"

func gitBrings(a args) bool {
	if rest, ok := a.sub("restore"); ok {
		back := a.after(rest)
		return !unstages(back) && !restoresFiles(back, a.e.Glob)
	}
	if rest, ok := a.sub("stash"); ok {
		return !stashes(a.after(rest), a.e.Glob)
	}
	if rest, ok := a.sub("apply"); ok {
		return !appliesNothing(a.after(rest))
	}
	if rest, ok := a.sub("reset"); ok {
		return a.after(rest).hasShort([]string{"--hard", "--merge", "--keep"})
	}
	for _, only := range []string{"worktree list", "submodule status", "sparse-checkout list", "bisect log"} {
		if _, ok := a.sub(only); ok {
			return false
		}
	}
	if rest, ok := a.sub("checkout"); ok && checksOutFiles(a.after(rest), a.e.Glob) {
		return false
	}
	rest, ok := a.sub(bringers)
	return ok && !startsBranch(a, a.after(rest))
}

// stashes reports whether git stash leaves the work tree alone, or puts away the files that
// it names and no other. Without names it makes the whole tree what the branch, or the
// index, says by then, which need not be where the files came from.
func stashes(a args, glob bool) bool {
	if len(a.words) == 0 {
		return false
	}
	if matches("list|show|drop|clear|create|store", a.words[0]) {
		return true
	}
	return a.words[0] == "push" && a.plain < len(a.words) && !glob && plainFiles(a.words[a.plain+1:])
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

// appliesNothing reports whether git apply only says what a patch would do. Behind an
// option that is not known it may apply it all the same.
func appliesNothing(a args) bool {
	looks := false
	for _, w := range a.words[:a.plain] {
		switch {
		case matches("--check|--stat|--numstat|--summary", w):
			looks = true
		case strings.HasPrefix(w, "-") && !matches("-v|--verbose|-R|--reverse|-p0|-p1|-p2", w):
			return false
		}
	}
	return looks
}

// startsBranch reports whether git only begins a new branch where it is.
func startsBranch(whole, a args) bool {
	_, checkout := whole.sub("checkout")
	_, change := whole.sub("switch")
	fresh := checkout && a.exactly("-b") || change && a.exactly("-c", "--create")
	return fresh && len(a.words) == 2
}

// restoresFiles reports whether git restore writes the files that it names and no other.
func restoresFiles(a args, glob bool) bool {
	for i, w := range a.words[:a.plain] {
		if !strings.HasPrefix(w, "-") {
			return a.plain == len(a.words) && !glob && plainFiles(a.words[i:])
		}
		if !matches("-q|--quiet|-W|--worktree|-S|--staged|-SW|-WS", w) && !strings.HasPrefix(w, "--source=") {
			return false
		}
	}
	return !glob && a.plain < len(a.words) && plainFiles(a.words[a.plain+1:])
}

// checksOutFiles reports whether git checkout writes the files that it names behind --.
func checksOutFiles(a args, glob bool) bool {
	if a.plain == len(a.words) || glob || a.plain > 1 || a.plain == 1 && strings.HasPrefix(a.words[0], "-") {
		return false
	}
	return plainFiles(a.words[a.plain+1:])
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
