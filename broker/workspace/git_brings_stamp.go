package workspace

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/shell"
)

// refName is a word that may be the name of a reference, with or without its folder.
var refName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+-]*$`)

// stampedRefs are the files in which git has what the names in a call stand for that brings files: while the
// call waits, a branch may be moved, and another commit brings other files. None for any other call.
func stampedRefs(c *rules.Call) (files []string) {
	if c.Line() == nil {
		return nil
	}
	for _, e := range c.Line().Elements {
		if e.Kind != shell.Command {
			continue
		}
		if _, ok := effects.BroughtBy(cmdline.Of(e)); !ok {
			continue
		}
		for _, g := range c.Gits() {
			if g.Top != "" {
				files = append(files, refsOf(filepath.Join(g.Top, ".git"), e.Argv)...)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// refsOf are the files of HEAD, of what is staged, of the stash, and of the references that words may name.
func refsOf(dir string, words []string) (files []string) {
	names := []string{"HEAD", "index", "logs/HEAD", "packed-refs", "refs/stash", "logs/refs/stash"}
	if to, err := readSmall(filepath.Join(dir, "HEAD")); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(to)), "ref: "); ok && filepath.IsLocal(ref) {
			names = append(names, ref)
		}
	}
	for _, w := range words {
		if w, _, _ = strings.Cut(strings.ReplaceAll(w, "^", "~"), "~"); refName.MatchString(w) && filepath.IsLocal(w) {
			names = append(names, "refs/heads/"+w, "refs/tags/"+w, "refs/remotes/"+w, "refs/"+w)
		}
	}
	for _, name := range names {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}
