package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient/runner"
)

func TestSplitPrompt(t *testing.T) {
	for _, tt := range []struct {
		args   string
		rest   string
		prompt string
		bad    string // part of the refusal
	}{
		{"do|", "", "", ""},
		{"do it", "", "do it", ""},
		{"-", "", "-", ""},
		{"--model|opus|do it", "--model|opus", "do it", ""},
		{"--model|opus", "--model|opus", "", ""},
		{"--permission-mode|plan|--|--model", "--permission-mode|plan", "--model", ""},
		{"--dangerously-skip-permissions", "--dangerously-skip-permissions", "", ""},
		{"--append-system-prompt|-p|do it", "--append-system-prompt|-p", "do it", ""},
		{"--allowedTools|Bash(git *)|Edit|do it", "--allowedTools|Bash(git *)|Edit", "do it", ""},
		{"-p|do it", "", "", "--print itself"},
		{"--print|do it", "", "", "--print itself"},
		{"--output-format=json|do it", "", "", "--output-format itself"},
		{"--permission-prompt-tool|x|do it", "", "", "--permission-prompt-tool itself"},
		{"--session-id|x|do it", "", "", "--session-id itself"},
		{"-r|x|do it", "", "", "--resume itself"},
		{"-cp|do it", "", "", "--continue does not go"},
		{"--bg|do it", "", "", "--bg does not go"},
		{"mcp|list", "", "", `"mcp" is neither`},
		{"  ", "", "", "empty"},
	} {
		args := strings.Split(strings.TrimSuffix(tt.args, "|"), "|")
		if tt.args == "do|" {
			args = nil
		}
		rest, prompt, err := splitPrompt(args)
		if tt.bad != "" {
			if u, ok := errors.AsType[usage.Error](err); !ok || !strings.Contains(u.Text, tt.bad) {
				t.Errorf("%q: %v", args, err)
			}
			continue
		}
		if err != nil || strings.Join(rest, "|") != tt.rest || prompt != tt.prompt {
			t.Errorf("%q: %q and %q, %v", args, rest, prompt, err)
		}
	}
}

func TestRunPrinterKeepsAgentsFromDrawing(t *testing.T) {
	evil := "a\x1b[2Jb\u202ec\u0007"
	for _, asJSON := range []bool{false, true} {
		var out, notes strings.Builder
		p := &printer{out: &out, notes: &notes, json: asJSON}
		for _, s := range []runner.Seen{
			{Kind: runner.SeenText, Text: evil},
			{Kind: runner.SeenNote, Text: evil},
			{Kind: runner.SeenEnd, Tool: evil, Text: evil, Error: true},
			{Kind: runner.SeenCall, Tool: evil, Input: []byte(`{"command":"x\u001b[2J"}`)},
			{Kind: runner.SeenLine, Raw: []byte(`{"text":"` + "\u202e\u009b" + `"}`)},
		} {
			if err := p.show(s); err != nil {
				t.Fatal(err)
			}
		}
		p.end(runner.Result{Turns: 1, Word: evil})
		for _, r := range out.String() + notes.String() {
			if r != '\n' && (r < ' ' || r == '\u202e' || r == '\u009b') {
				t.Errorf("json %v: %q was printed", asJSON, r)
			}
		}
		if asJSON != slices.Contains(strings.Split(out.String(), "\n"), `{"text":"\u202e\u009b"}`) {
			t.Errorf("json %v: %s", asJSON, out.String())
		}
	}
}

// What a run cost is said in the words of the console, and not made up where its agent names no price.
func TestRunSaysWhatItCost(t *testing.T) {
	for want, r := range map[string]runner.Result{
		"aoctl: completed after 1 turn · $0.0010 · 1.2k tokens in, 30 out\n": {Turns: 1, Word: "completed", Cost: 0.001, Usage: wire.RunUsage{Input: 200, CacheRead: 1000, Output: 30}},
		"aoctl: completed after 3 turns · $0.42\n":                           {Turns: 3, Word: "completed", Cost: 0.4213},
		"aoctl: failed after 1 turn\n":                                       {Turns: 1, Word: "failed"},
		"":                                                                   {},
	} {
		var notes strings.Builder
		if (&printer{notes: &notes}).end(r); notes.String() != want {
			t.Errorf("%q, want %q", notes.String(), want)
		}
	}
}

// An agent that is not installed is said so in words of ours.
func TestAgentThatIsNotThere(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := managedProgram("claude")
	if want := "claude is in none of the folders of PATH"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
