package agents

import "strings"

// claudeMachineTags begin the prompts that Claude Code makes itself: the report of a
// background task, and messages of other agents and of channels.
var claudeMachineTags = []string{"<task-notification", "<teammate-message", "<cross-session-message", "<channel"}

// claudeFromApp tells a prompt that no person typed.
//
// source is "user", "sdk" (a program, or claude -p), "system", "loop_wakeup",
// "schedule_wakeup" or "poll_event"; a word not known here counts as the agent's own
// doing. Claude Code 2.1.329 declares the field and never sends it, so the text
// decides: it can betray a background task's report, but not a prompt that the agent
// scheduled for itself, which is plain text like a person's.
func claudeFromApp(source, text string) bool {
	switch source {
	case "user", "sdk":
		return false
	case "":
		return machineMade(text)
	}
	return true
}

// machineMade reports whether a prompt begins like one that Claude Code makes itself. The sign
// after the tag must end its name, so that a person may begin with "<channels".
func machineMade(text string) bool {
	text = strings.TrimSpace(text)
	for _, tag := range claudeMachineTags {
		if rest, ok := strings.CutPrefix(text, tag); ok && rest != "" && strings.ContainsRune(" >\n", rune(rest[0])) {
			return true
		}
	}
	return false
}
