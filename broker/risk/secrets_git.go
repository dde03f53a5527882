package risk

import (
	"path"
	"strings"
)

// gitShows judges what a git command shows of files that hold keys: those that its words
// name, and those that the repository keeps.
func (j *judge) gitShows(a args) {
	for _, sub := range []string{"show", "diff", "grep", "archive", "log", "cat-file", "blame", "annotate", "whatchanged", "format-patch", "difftool", "stash show"} {
		rest, ok := a.sub(sub)
		if !ok {
			continue
		}
		b := a.after(rest)
		if sub == "log" && !b.has("-p", "-u", "--patch", "-U", "--unified", "-c", "--cc") || b.has("--stat", "--name-only", "--name-status", "--shortstat", "--numstat", "--summary", "--check", "--quiet") && !b.has("-p", "-u", "--patch") {
			return
		}
		j.gitNames(b, sub != "cat-file" && sub != "blame" && sub != "annotate" && sub != "stash show")
		return
	}
}

// gitNames is gitShows for the words behind the subcommand. tree: without a name it shows
// what the repository keeps.
func (j *judge) gitNames(a args, tree bool) {
	dir := j.dirOf(a.e)
	var under []string
	for i, w := range a.words {
		if w == "--" || i < a.plain && strings.HasPrefix(w, "-") {
			continue
		}
		rev, file, named := strings.Cut(w, ":")
		if !named || rev == "" { // :/x and :(glob)x are places, too
			file = strings.TrimLeft(w, ":/!^")
		}
		if t := j.resolve(file, spot{dir: dir, glob: true}); file != "" {
			if why, ok := credential(t); ok && !strings.Contains(w, "!") && !strings.Contains(w, "exclude") {
				j.danger(why)
				return
			}
		}
		switch {
		case named && rev != "":
			tree = false // one file of a commit
		case i > a.plain:
			under = append(under, w)
		}
	}
	if !tree || j.at.Tracked == nil || dir == "" {
		return
	}
	found, whole := j.at.Tracked(dir)
	for _, f := range found {
		if gitUnder(dir, f, under) {
			j.danger("reads keys or credentials that the repository keeps: " + clip(path.Base(f)))
			return
		}
	}
	if !whole {
		j.note("git's list of files cannot be read")
	}
}

// gitUnder reports whether one of the places that a git command is kept to may hold file.
func gitUnder(dir, file string, under []string) bool {
	if len(under) == 0 {
		return true
	}
	for _, u := range under {
		full := path.Join(dir, u)
		if strings.HasPrefix(u, ":") || below(full, file) || hasGlob(u) && meet(fold(path.Base(u)), literal(fold(path.Base(file)))) {
			return true
		}
	}
	return false
}
