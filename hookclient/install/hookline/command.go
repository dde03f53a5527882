package hookline

import (
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/hookclient/profile"
)

// The two shapes of command line that are installed. Both are POSIX shell: agents run
// them with whatever shell they find. The outer braces matter to agents that feed the
// payload as a here-document, which would otherwise reach only the last command.
//
// A gate ends in exit 2 whenever the client does not end well, a missing or killed
// client included; exit 2 is what every agent reads as "blocked". A client that ends with
// 2 has said why, so the guard adds nothing. For agents that take a silent exit 2 for
// permission it speaks all the same. An observing hook must never end in 2: that would
// erase the user's prompt, or keep the agent working when it wants to stop. Its answer on
// stdout still counts, so that a stop requested in the console ends the turn after a tool.
//
// Where the death of the line's own shell would be permission, something stands before the
// client: see headsOf.
const (
	open       = "{ "
	failed     = "aoctl: hook client failed, call refused"
	gateGuard  = " || { test $? -eq 2 || echo '" + failed + "' >&2; exit 2; }"
	loudGuard  = " || { echo '" + failed + "' >&2; exit 2; }"
	quietGuard = " || exit 2" // the words were said before
	watchTail  = " || : 'aoctl only observes here'"
	shut       = "; }"

	// outlive has the shell wait for the client, which refuses when it is asked to end.
	outlive = "trap : HUP INT TERM; "
)

// guard is what follows the client in the line of a hook of agent that decides. Those that take
// the death of a hook for permission do so with a silent exit 2, too. Which agent takes what for
// permission stands on its page in hookclient/profile.
func guard(agent string) string {
	switch profile.Of(agent).Death {
	case profile.Traps:
		return loudGuard
	case profile.Foretold:
		return quietGuard
	case profile.Blocks:
	}
	return gateGuard
}

// headsOf is what stands before the client in a gate's line for agent, the newest form
// first: with any other, or none, a signal that ends the hook lets the call run.
func headsOf(agent string) []string {
	switch profile.Of(agent).Death {
	case profile.Traps:
		return []string{outlive}
	case profile.Foretold:
		// The refusal must stay the only text on standard error, or it is no JSON.
		no := strings.TrimSpace(string(profile.Refusal(agent, failed)))
		return []string{"printf '%s\\n' " + Quote(no) + " >&2; exec 2>&-; "}
	case profile.Blocks:
	}
	return []string{""}
}

// IsOurs reports whether command runs aoctl's hook client for agent in one of the
// shapes that aoctl writes or its manual shows: bare or guarded, in braces or not,
// wherever the binary lies. A line that does anything else as well is not ours.
func IsOurs(command, agent string) bool {
	words, gate, watch := bared(command, agent)
	if len(words) < 2 {
		return false
	}
	base := filepath.Base(words[0])
	if rest := words[1:]; base == "aoctl-hook" || (gate || watch) && rest[0] != "hook" {
		return rest[0] == agent
	}
	return words[1] == "hook" && len(words) > 2 && words[2] == agent &&
		(gate || watch || strings.HasPrefix(base, "aoctl"))
}

// ProgramOf is what a line of ours runs, "" for any other. The path is as it stands in the line,
// which may be relative.
func ProgramOf(command, agent string) string {
	if !IsOurs(command, agent) {
		return ""
	}
	words, _, _ := bared(command, agent)
	return words[0]
}

// bared takes from a line what aoctl writes around the client, and reports which guard that
// was. There are no words when anything else is there.
func bared(command, agent string) (words []string, gate, watch bool) {
	s := strings.TrimSpace(command)
	if inner, ok := strings.CutPrefix(s, open); ok {
		if s, ok = strings.CutSuffix(inner, shut); !ok {
			return nil, false, false
		}
	}
	guards := []string{gateGuard, loudGuard}
	for _, head := range headsOf(agent) {
		if rest, ok := strings.CutPrefix(s, head); ok && head != "" {
			s, guards = rest, append(guards, quietGuard)
			break
		}
	}
	for _, g := range guards {
		if s, gate = strings.CutSuffix(s, g); gate {
			break
		}
	}
	s, watch = strings.CutSuffix(s, watchTail)
	words, _ = Split(s)
	return words, gate, watch
}

// Mentions reports whether a line that is not ours still seems to call aoctl. It is for warnings:
// something may be wrong, or it may be a word in a comment.
func Mentions(command string) bool { return strings.Contains(command, "aoctl") }
