package setup

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// summary is what would be done to one file, in a few rows, so that the question below
// them stays on the screen. Paths and lines in it are made safe for a terminal.
func (i *installer) summary(r install.Report) string {
	var b strings.Builder
	line := func(label, value string) { fmt.Fprintf(&b, "  %-12s%s\n", label, safe.Line(value)) }
	line("file", filePath(r))
	if i.remove {
		line("change", removalWords(r))
	} else {
		line("change", changeWords(r))
		line("decides", strings.Join(r.Gates, ", "))
		line("also sends", strings.Join(r.Watches, ", "))
		line("runs", r.Line)
	}
	line("all of it", fmt.Sprintf("f shows the whole difference, %s", figures.Plural(strings.Count(r.Diff, "\n"), "line")))
	return b.String()
}

// changeWords says how many hooks are written, and what becomes of those that are there.
func changeWords(r install.Report) string {
	hooks := figures.Plural(r.Has, "hook")
	switch {
	case r.Has == 0 && r.Created:
		return "a new file, a plugin"
	case r.Has == 0:
		return "the plugin is written anew"
	case r.Created:
		return "a new file with " + hooks
	case r.Had > 0:
		return fmt.Sprintf("%s of aoctl brought up to date (%d so far); nothing else changes", hooks, r.Had)
	}
	return "adds " + hooks + "; nothing else changes"
}

// removalWords says how many hooks go, and what becomes of the file.
func removalWords(r install.Report) string {
	hooks := figures.Plural(r.Removed, "hook")
	switch {
	case r.Deleted:
		return hooks + " of aoctl out; the file goes with them, as nothing else is in it"
	case r.Restored:
		return hooks + " of aoctl out; the file is then as it was before the installation"
	}
	return hooks + " of aoctl out; nothing else changes"
}
