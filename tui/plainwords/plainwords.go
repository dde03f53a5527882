// Package plainwords says in plain words what programs write for programs.
//
// Agents, their runners and aoctl itself record why something ended as a code, such as
// "stopped_by_user" or "aborted_tools", and an agent tells its model of a task in the
// background with a tag. Logs keep these words as they came, so that nothing is lost
// and programs can rely on them; people read them through this package, in every
// command and on every screen alike.
//
// Reason is for the code of an end, Failure for what an agent says went wrong, Said
// for a message in a conversation, and Event for the data of a whole event that is
// about no call. A word that is not known is given back as it is: it may be new, and
// it may be an agent's own.
//
// All texts may hold foreign words. The caller makes them safe before they are drawn.
// A new code of an agent gets its words in reasons.
package plainwords

import (
	"cmp"
	"regexp"
	"strings"
)

// reasons are the codes that are known. "" stands for a code that tells a person
// nothing.
var reasons = map[string]string{ //nolint:gosec // G101: codes, no credentials
	"stopped_by_user":             "stopped by you",
	"gone":                        "its process ended without a word",
	"ended":                       "",
	"other":                       "",
	"completed":                   "its turn was over",
	"success":                     "its turn was over",
	"tool_deferred":               "a call was deferred",
	"aborted_tools":               "interrupted while tools ran",
	"aborted_streaming":           "interrupted while it wrote",
	"not_started":                 "it could not be started",
	"error_during_execution":      "something went wrong in its turn",
	"error_max_turns":             "it came to the limit of its turns",
	"error_max_budget_usd":        "it came to the limit of its cost",
	"prompt_input_exit":           "its user left",
	"bypass_permissions_disabled": "it may not run without permissions",
	"logout":                      "its user logged out",
	"clear":                       "its user began anew",
	"resume":                      "its user took up another session",
	"rejected":                    "its call was denied for good",
}

// Reason says why something ended; "" when the code says nothing.
func Reason(code string) string {
	if words, ok := reasons[code]; ok {
		return words
	}
	return code
}

// killed is how runners told of a signal once; logs have it.
const killed = "was ended by killed"

// Failure says what went wrong. Marks that an agent makes for its own developers are
// left out.
func Failure(text string) string {
	// The mark is Claude Code's.
	if strings.Contains(text, "[ede_diagnostic]") { // the agent's own note on a turn that was cut off
		return "its turn was cut off"
	}
	return strings.ReplaceAll(Reason(text), killed, "was killed")
}

// Ours reports whether Failure says a text in words that are all ours.
func Ours(text string) bool {
	_, known := reasons[text]
	return known || strings.Contains(text, "[ede_diagnostic]")
}

var (
	machineTag = regexp.MustCompile(`^\s*<(task-notification|teammate-message|cross-session-message|channel)\b`)
	summary    = regexp.MustCompile(`(?s)<summary>(.*?)</summary>`)
	tags       = regexp.MustCompile(`</?[a-z-]+[^<>]*>`)
)

// Said is what a message says. A machine's message comes without its tags, led by what
// it is, so that it cannot pass for the user's own words.
func Said(text string) string {
	tag := machineTag.FindStringSubmatch(text)
	if tag == nil {
		return text
	}
	lead := map[string]string{"task-notification": "a task in the background: "}[tag[1]]
	words := ""
	// The summary is what the agent's program wrote for a reader; without one all text
	// between tags counts.
	if m := summary.FindStringSubmatch(text); m != nil {
		words = m[1]
	}
	words = strings.TrimSpace(cmp.Or(words, tags.ReplaceAllString(text, " ")))
	return cmp.Or(lead, "another agent: ") + cmp.Or(words, "it reported")
}
