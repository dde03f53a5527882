package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func suggesting(list string) []byte {
	return []byte(`{"session_id":"s","cwd":"/x","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test"},"permission_suggestions":` + list + `}`)
}

func TestClaudeSuggestions(t *testing.T) {
	adds := func(rules string) string {
		return `[{"type":"addRules","rules":[` + rules + `],"behavior":"allow","destination":"localSettings"}]`
	}
	for _, tt := range []struct {
		name, list string
		want       []Suggestion
	}{
		{"rules", adds(`{"toolName":"Bash","ruleContent":"npm test:*"},{"toolName":"mcp__github__list"}`), []Suggestion{{Rule: "Bash(npm test:*)"}, {Rule: "mcp__github__list"}}},
		{"for the user", strings.ReplaceAll(adds(`{"toolName":"Read","ruleContent":"/x/**"}`), "localSettings", "userSettings"), []Suggestion{{Rule: "Read(/x/**)", User: true}}},
		{"brackets", adds(`{"toolName":"Bash","ruleContent":"echo (a) \\b"}`), []Suggestion{{Rule: `Bash(echo \(a\) \\b)`}}},
		{"another mode", `[{"type":"setMode","mode":"bypassPermissions","destination":"session"}]`, nil},
		{"a folder", `[{"type":"addDirectories","directories":["/"],"destination":"session"}]`, nil},
		{"in place of all", strings.ReplaceAll(adds(`{"toolName":"Bash","ruleContent":"x"}`), "addRules", "replaceRules"), nil},
		{"taking away", strings.ReplaceAll(adds(`{"toolName":"Bash","ruleContent":"x"}`), "addRules", "removeRules"), nil},
		{"refusing", strings.ReplaceAll(adds(`{"toolName":"Bash","ruleContent":"x"}`), `"allow"`, `"deny"`), nil},
		{"a mode among rules", `[{"type":"setMode","mode":"acceptEdits","destination":"session"},` + adds(`{"toolName":"Bash","ruleContent":"x"}`)[1:], []Suggestion{{Rule: "Bash(x)"}}},
		{"empty", adds(`{"toolName":"Bash","ruleContent":""}`), nil},
		{"control", adds(`{"toolName":"Bash","ruleContent":"a\u001b[2J"},{"toolName":"Bash","ruleContent":"a\nb"},{"toolName":"Bash","ruleContent":"a\u202eb"}`), nil},
		{"a bracket in the name", adds(`{"toolName":"Bash(x","ruleContent":"y"}`), nil},
		{"too long", adds(`{"toolName":"Bash","ruleContent":"` + strings.Repeat("x", maxSuggestion) + `"}`), nil},
		{"no list", `{"type":"addRules"}`, nil},
		{"numbers", `[7,null,"x",[],{"type":7},{"type":"addRules","behavior":"allow","rules":7}]`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := claudeDialect(t).Decode(suggesting(tt.list))
			if err != nil {
				t.Fatalf("the call is refused: %v", err)
			}
			if diff := cmp.Diff(tt.want, h.Suggestions); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClaudeSuggestionsAreBounded(t *testing.T) {
	rules := make([]string, 500)
	for i := range rules {
		rules[i] = fmt.Sprintf(`{"toolName":"Bash","ruleContent":"x%d %s"}`, i, strings.Repeat("y", 300))
	}
	many := `{"type":"addRules","behavior":"allow","rules":[` + strings.Join(rules, ",") + `]}`
	list := claudeSuggestions(json.RawMessage("[" + strings.TrimSuffix(strings.Repeat(many+",", 100), ",") + "]"))
	size := 0
	for _, s := range list {
		size += len(s.Rule)
	}
	if len(list) == 0 || len(list) > maxSuggestions || size > maxSuggestedBytes {
		t.Errorf("%d suggestions of %d bytes are kept", len(list), size)
	}
}

// FuzzClaudeSuggestions: whatever an agent suggests, what is kept is bounded and printable.
func FuzzClaudeSuggestions(f *testing.F) {
	f.Add([]byte(`[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test:*"}],"behavior":"allow","destination":"session"}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list := claudeSuggestions(raw)
		if len(list) > maxSuggestions {
			t.Errorf("%d are kept", len(list))
		}
		for _, s := range list {
			if s.Rule == "" || len(s.Rule) > maxSuggestion || strings.ContainsAny(s.Rule, "\n\x1b\x00") {
				t.Errorf("kept %q", s.Rule)
			}
		}
	})
}
