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
		"a filled-in nothing":   {"!$ARGUMENTS`a` !$x y$z`b`", []string{"a", "b"}, ""},
		"one in a block":        {"``$ARGUMENTS`!\ndate\n```", []string{"date"}, ""},
		"one around a block":    {"`$a``$ARGUMENTS[0]!date```", []string{"date"}, ""},
		"placeholders":          {"Cost: $5, `$HOME`, $ARGUMENTS and `$x`.\n```\n$ echo\n```\n", nil, ""},
		"hooks":                 {"---\nname: x\nhooks:\n  Stop: []\n---\n", nil, "name: x\nhooks:\n  Stop: []"},
		"hooks, in JSON":        {"\ufeff---\r\n{\"Hooks\": {}}\r\n---\r\n", nil, `{"Hooks": {}}`},
		"hooks, written so":     {"---\n\"h\\x6foks\": {}\n---\n", nil, `"h\x6foks": {}`},
		"hooks, as bytes":       {"---\n!!binary aG9va3M=: {}\n---\n", nil, "!!binary aG9va3M=: {}"},
		"an agent":              {"---\ncontext: fork\nagent : other\n---\n", nil, "context: fork\nagent : other"},
		"by itself":             {"---\ncontext: fork\n---\n", nil, "context: fork"},
		"in another order":      {"---\n? agent # c\n: x\n---\n", nil, "? agent # c\n: x"},
		"an alias":              {"---\nx: &a agent\n*a : x\n---\n", nil, "x: &a agent\n*a : x"},
		"a whole tag":           {"---\n!<tag:yaml.org,2002:binary> aG9va3M=: {}\n---\n", nil, "!<tag:yaml.org,2002:binary> aG9va3M=: {}"},
		"a head of prose":       {"---\ndescription: |\n  **Use** : for\n  * what? x\n  - that\n---\n", nil, ""},
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

func TestTextForPaths(t *testing.T) {
	for text, want := range map[string]bool{
		"Words about paths: none.":                    false,
		"---\ndescription: of paths\n---\npaths: x\n": false,
		"---\npaths: [\"*.go\"]\n---\n":               true,
		"---\n{\"Paths\" : \"*.go\"}\n---\n":          true,
		"---\n\"p\\x61ths\": x\n---\n":                true,
	} {
		if TextForPaths(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestAddedFolders(t *testing.T) {
	argv := []string{"claude", "-p", "x", "--add-dir", "../a", "/b", "--model", "m", "--add-dir=c", "rest", "--add-dir"}
	if diff := cmp.Diff([]string{"../a", "/b", "c"}, AddedFolders(argv)); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

// Two texts that are asked for in one prompt are two calls.
func TestSlashesOfAPrompt(t *testing.T) {
	ids := map[string]bool{}
	for _, name := range []string{"a", "b"} {
		h, err := (claude{}).Decode([]byte(`{"session_id":"s","hook_event_name":"UserPromptExpansion","expansion_type":"slash_command","command_name":"` + name + `","prompt":"/x","prompt_id":"p"}`))
		if err != nil || h.ToolUseID == "" {
			t.Fatal(err, h.ToolUseID)
		}
		ids[h.ToolUseID] = true
	}
	if len(ids) != 2 {
		t.Errorf("ids %v", ids)
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
	for _, text := range []string{"!`a`", "```!\na\n```", "---\nhooks:\n---\n", "x\u2028!`a` ```! b", "!$ARGUMENTS$name`a` `$name`$a`b`!", "---\nagent: x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		runs, head := TextRuns(text)
		filled := strings.NewReplacer("$ARGUMENTS", "", "$name", "", "$a`b", "").Replace(text)
		if len(runs) == 0 && (strings.Contains(filled, "!`") || strings.Contains(filled, "```!")) {
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
