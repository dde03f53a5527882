package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// claudeSince is the release from which on an event can stand in Claude Code's settings.
// One before 2.1.105 takes a file with an event that it does not know for a broken one,
// and ignores all of it, the gate with it. Source: runs of 2.0.60, 2.1.40, 2.1.50, 2.1.100
// and 2.1.105, and the programs of 2.1.77 and 2.1.78.
var claudeSince = map[string]string{ClaudeSettings: "2.1.50", claudeFailed: "2.1.78", ClaudeTexts: "2.1.105"}

// ClaudeUnknown are the events of an installation that Claude Code of this version must
// not find in its settings; none when the version is not known. An unknown version gets all
// events: a current Claude Code is by far the most likely one, and claudeAge warns.
func ClaudeUnknown(version string) []string {
	return slices.DeleteFunc(ClaudeEvents(), func(event string) bool {
		since, late := claudeSince[event]
		return version == "" || !late || machine.CompareVersions(version, since) >= 0
	})
}

// ClaudeHooksFor are the hooks that Claude Code of version o.Version can be given, and
// the events of those that it cannot and without which something runs unasked. left does not name
// an event of which the console is only told: to miss it leaves nothing open.
func ClaudeHooksFor(o Options) (hooks []Hook, left []string) {
	unknown := ClaudeUnknown(o.Version)
	for _, h := range claudeHooks(o.Program, o.Mode, o.Timeout) {
		switch {
		case !slices.Contains(unknown, h.Event):
			hooks = append(hooks, h)
		// Without that event nothing runs unasked, so its absence is not told.
		case h.Event != claudeFailed:
			left = append(left, h.Event)
		}
	}
	return hooks, left
}

// claudeAge warns of a Claude Code that is too old for hooks that would be written, or
// may be. It warns and does not refuse: the user may update before the next session.
func claudeAge(o Options) []string {
	if o.Version == "" {
		return []string{"the version of Claude Code is not known here: one before " + claudeSince[ClaudeTexts] + " ignores this whole file, and the gate with it"}
	}
	if _, left := ClaudeHooksFor(o); len(left) > 0 {
		return []string{ClaudeTooOldFor(o.Version, left) + "; update it (claude update), then install again"}
	}
	return nil
}

// ClaudeTooOldFor says that Claude Code of this version knows none of these events, and what
// may happen unasked because of it.
func ClaudeTooOldFor(version string, events []string) string {
	return fmt.Sprintf("Claude Code %s is too old for a hook on %s: %s", version, strings.Join(events, " and "), ClaudeOpen(events))
}

// ClaudeOpen says what may happen unasked without these events.
func ClaudeOpen(events []string) string {
	var open []string
	if slices.Contains(events, ClaudeTexts) {
		open = append(open, "shell commands in the text of a custom command or a skill that you type run unasked")
	}
	if slices.Contains(events, ClaudeSettings) {
		open = append(open, "a settings file that comes in can switch the gate off in the middle of a session")
	}
	return strings.Join(open, ", and ")
}
