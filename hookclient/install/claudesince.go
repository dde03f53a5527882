package install

import (
	"fmt"
	"slices"
	"strings"
)

// claudeSince is the release from which on an event can stand in Claude Code's settings.
// One before 2.1.105 takes a file with an event that it does not know for a broken one,
// and ignores all of it, the gate with it. Source: runs of 2.0.60, 2.1.40, 2.1.50, 2.1.100
// and 2.1.105, and the programs of 2.1.77 and 2.1.78.
var claudeSince = map[string]string{claudeSettings: "2.1.50", claudeFailed: "2.1.78", claudeTexts: "2.1.105"}

// claudeUnknown are the events of an installation that Claude Code of this version must
// not find in its settings; none when the version is not known.
func claudeUnknown(version string) []string {
	return slices.DeleteFunc(ClaudeEvents(), func(event string) bool {
		since, late := claudeSince[event]
		return version == "" || !late || compareVersions(version, since) >= 0
	})
}

// claudeHooksFor are the hooks that Claude Code of version o.Version can be given, and
// the events of those that it cannot and without which something runs unasked.
func claudeHooksFor(o Options) (hooks []hook, left []string) {
	unknown := claudeUnknown(o.Version)
	for _, h := range claudeHooks(o.Program, o.Mode, o.Timeout) {
		switch {
		case !slices.Contains(unknown, h.event):
			hooks = append(hooks, h)
		case h.event != claudeFailed:
			left = append(left, h.event)
		}
	}
	return hooks, left
}

// claudeAge warns of a Claude Code that is too old for hooks that would be written, or
// may be.
func claudeAge(o Options) []string {
	if o.Version == "" {
		return []string{"the version of Claude Code is not known here: one before " + claudeSince[claudeTexts] + " ignores this whole file, and the gate with it"}
	}
	if _, left := claudeHooksFor(o); len(left) > 0 {
		return []string{claudeTooOldFor(o.Version, left) + "; update it (claude update), then install again"}
	}
	return nil
}

func claudeTooOldFor(version string, events []string) string {
	return fmt.Sprintf("Claude Code %s is too old for a hook on %s: %s", version, strings.Join(events, " and "), claudeOpen(events))
}

// claudeOpen says what may happen unasked without these events.
func claudeOpen(events []string) string {
	var open []string
	if slices.Contains(events, claudeTexts) {
		open = append(open, "shell commands in the text of a custom command or a skill that you type run unasked")
	}
	if slices.Contains(events, claudeSettings) {
		open = append(open, "a settings file that comes in can switch the gate off in the middle of a session")
	}
	return strings.Join(open, ", and ")
}

// claudeTooOld reports a file that the Claude Code here takes for a broken one.
func (c *checker) claudeTooOld(f *claudeFile) {
	hooks := f.doc.Root.Member("hooks")
	for _, event := range claudeUnknown(c.r.Version) {
		if hooks.Member(event) != nil {
			c.add(Fail, "version", "claude update; or aoctl install claude, which leaves that hook out",
				"%s has a hook on %s, which Claude Code %s does not know: it ignores this whole file, and asks nobody", f.path, event, c.r.Version)
		}
	}
}
