package agents

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What Claude Code 2.1.329 runs of a text was seen by running it.
func TestTextRuns(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		runs []string
		head string
	}{
		"words":                 {"Only words, and `date`.\n", nil, ""},
		"a head of words":       {"---\ndescription: says\nallowed-tools: Bash(git:*)\n---\nWords about hooks and an agent: none.\n", nil, ""},
		"at the beginning":      {"!`date`", []string{"date"}, ""},
		"in a list, in a line":  {"- Status: !`git status`\n\t!`git diff`", []string{"git status", "git diff"}, ""},
		"over lines":            {"x !`a\nb` y", []string{"a\nb"}, ""},
		"after a letter":        {"no!`date`", []string{"date"}, ""},
		"after a foreign blank": {"x\u00a0!`date`\u2003!`who`", []string{"date", "who"}, ""},
		"without an end":        {"!`date", []string{"date"}, ""},
		"a block":               {"x\n```!\ndate\nwho\n```\nend", []string{"date\nwho"}, ""},
		"a block without end":   {"```!date", []string{"date"}, ""},
		"hooks":                 {"---\nname: x\nhooks:\n  Stop: []\n---\n", nil, "name: x\nhooks:\n  Stop: []"},
		"hooks, in JSON":        {"\ufeff---\r\n{\"Hooks\": {}}\r\n---\r\n", nil, `{"Hooks": {}}`},
		"hooks, written so":     {"---\n\"h\\x6foks\": {}\n---\n", nil, `"h\x6foks": {}`},
		"hooks, as bytes":       {"---\n!!binary aG9va3M=: {}\n---\n", nil, "!!binary aG9va3M=: {}"},
		"an agent":              {"---\ncontext: fork\nagent : other\n---\n", nil, "context: fork\nagent : other"},
		"a head without end":    {"---\nhooks: {}\n", nil, "hooks: {}"},
	} {
		t.Run(name, func(t *testing.T) {
			runs, head := TextRuns(tt.text)
			if diff := cmp.Diff(tt.runs, runs); diff != "" || head != tt.head {
				t.Errorf("head %q, want %q; runs (-want +got):\n%s", head, tt.head, diff)
			}
		})
	}
}

func TestSlashIsBounded(t *testing.T) {
	payload := `{"session_id":"s","hook_event_name":"UserPromptExpansion","expansion_type":"slash_command","command_name":"x","prompt":"` + strings.Repeat("x", 600<<10) + `"}`
	if _, err := (claude{}).Decode([]byte(payload)); err == nil || !strings.Contains(err.Error(), "prompt: has 614400 bytes") {
		t.Errorf("a long one: %v", err)
	}
}

// FuzzTextRuns checks that a text which is found to run nothing has none of the signs by
// which Claude Code finds what to run.
func FuzzTextRuns(f *testing.F) {
	for _, text := range []string{"!`a`", "```!\na\n```", "---\nhooks:\n---\n", "x\u2028!`a` ```! b", "---\nagent: x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		runs, head := TextRuns(text)
		if len(runs) == 0 && (strings.Contains(text, "!`") || strings.Contains(text, "```!")) {
			t.Errorf("nothing is found in %q", text)
		}
		if first, _, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---"); head == "" && strings.HasPrefix(text, "---\n") && strings.Contains(first, "hooks:") {
			t.Errorf("no hooks are found in %q", text)
		}
		in := SlashInput{Typed: "/x", Files: []string{"f"}, Runs: runs, Head: head}
		var back SlashInput
		if err := json.Unmarshal(in.JSON(), &back); err != nil || len(back.Runs) != len(runs) {
			t.Errorf("%v: %s", err, in.JSON())
		}
	})
}
