package agents

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/wire"
)

// Suggestion is a rule that an agent suggests to allow calls like this one from now on. It
// is the agent's word and decides nothing.
type Suggestion struct {
	Rule string `json:"rule"`           // in Claude Code's syntax: Bash(npm test *)
	User bool   `json:"user,omitempty"` // for the user's own settings, else for the project's
}

// What is kept of an agent's suggestions; a real one makes one to three short ones. A payload
// with a thousand of them must not fill memory or the card.
const (
	maxSuggestions    = 20
	maxSuggestion     = 1 << 10 // bytes of one
	maxSuggestedBytes = 4 << 10 // of all together
)

// claudeSuggestions reads permission_suggestions: of its updates only those that add rules
// which allow. What cannot be read is left out: nothing hangs on it, and it must not refuse a call.
//
// Shape: [{"type":"addRules","rules":[{"toolName":…,"ruleContent":…}],"behavior":"allow","destination":…},
// {"type":"setMode",…},{"type":"addDirectories",…}]. Source: PermissionUpdate in the
// declarations of @anthropic-ai/claude-agent-sdk 0.3.329.
func claudeSuggestions(raw json.RawMessage) []Suggestion {
	var updates []json.RawMessage
	if json.Unmarshal(raw, &updates) != nil {
		return nil
	}
	var list []Suggestion
	size := 0
	for _, u := range updates[:min(len(updates), maxSuggestions)] {
		for _, s := range claudeAdds(u) {
			if size += len(s.Rule); len(list) == maxSuggestions || size > maxSuggestedBytes {
				return list
			}
			list = append(list, s)
		}
	}
	return list
}

// claudeAdds are the rules of one update, none unless it adds rules that allow. A suggestion to
// refuse or to change the mode is left out: the operator is offered only what would save a
// question.
func claudeAdds(raw json.RawMessage) []Suggestion {
	if _, err := wire.Fields(raw); err != nil {
		return nil
	}
	var u struct {
		Type, Behavior, Destination string
		Rules                       []struct {
			ToolName    string
			RuleContent *string
		}
	}
	if json.Unmarshal(raw, &u) != nil || u.Type != "addRules" || u.Behavior != "allow" {
		return nil
	}
	var list []Suggestion
	for _, r := range u.Rules[:min(len(u.Rules), maxSuggestions)] {
		if text, ok := claudeRule(r.ToolName, r.RuleContent); ok {
			list = append(list, Suggestion{Rule: text, User: u.Destination == "userSettings"})
		}
	}
	return list
}

// claudeRule writes a rule as it stands in settings. Signs that mean something in the syntax are
// escaped as Claude Code does. A rule with characters that do not print is left out: the operator
// could not see what they accept.
func claudeRule(tool string, content *string) (string, bool) {
	text := tool
	if content != nil {
		if *content == "" {
			return "", false
		}
		text += "(" + strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(*content) + ")"
	}
	bad := func(r rune) bool { return !unicode.IsPrint(r) }
	ok := tool != "" && !strings.ContainsAny(tool, `(\`) && len(text) <= maxSuggestion && utf8.ValidString(text) && !strings.ContainsFunc(text, bad)
	return text, ok
}
