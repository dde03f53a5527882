package agents

import (
	"encoding/json"
	"fmt"
	"slices"
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
		{"without a tool", adds(`{"toolName":"","ruleContent":"x"}`), nil},
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

// As many are kept as there may be, and as long ones; what is written twice is not read.
func TestClaudeSuggestionsUpToTheBounds(t *testing.T) {
	one := func(n int) string {
		return `{"toolName":"Bash","ruleContent":"` + strings.Repeat("x", n-len("Bash()")) + `"}`
	}
	update := func(rules ...string) string {
		return `{"type":"addRules","behavior":"allow","rules":[` + strings.Join(rules, ",") + `]}`
	}
	most := one(maxSuggestion)
	for name, tt := range map[string]struct {
		list []string
		want int
	}{
		"twenty of one update":  {[]string{update(slices.Repeat([]string{one(9)}, maxSuggestions+1)...)}, maxSuggestions},
		"twenty updates":        {slices.Repeat([]string{update(one(9))}, maxSuggestions+1), maxSuggestions},
		"twenty of two updates": {slices.Repeat([]string{update(slices.Repeat([]string{one(9)}, 15)...)}, 2), maxSuggestions},
		"the longest":           {[]string{update(most)}, 1},
		"longer":                {[]string{update(one(maxSuggestion + 1))}, 0},
		"all together":          {[]string{update(most, most, most, most)}, 4},
		"more than all":         {[]string{update(most, most, most, most, one(7))}, 4},
		"a kind twice":          {[]string{`{"type":"setMode",` + update(one(9))[1:]}, 0},
	} {
		if got := claudeSuggestions(json.RawMessage("[" + strings.Join(tt.list, ",") + "]")); len(got) != tt.want {
			t.Errorf("%s: %d are kept, want %d", name, len(got), tt.want)
		}
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
