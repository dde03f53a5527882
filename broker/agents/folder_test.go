package agents_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

// A command line is read in the folder that the call itself names, whatever that parameter is
// called: the same words elsewhere are another call.
func TestRulesSeeTheFolderOfACall(t *testing.T) {
	for _, tt := range []struct{ agent, tool, input string }{
		{"opencode", "bash", `{"command":"rm a.txt","workdir":"/etc"}`},
		{"cursor", "Shell", `{"command":"rm a.txt","cwd":"/etc"}`},
		{"copilot", "Bash", `{"command":"cd /etc && rm a.txt"}`},
		{"opencode", "bash", `{"command":"rm a.txt","workdir":"/etc","dir_path":"/p"}`},
		{"qwen", "run_shell_command", `{"command":"rm a.txt","directory":"/etc","dir_path":"/p"}`},
		{"gemini", "run_shell_command", `{"command":"rm a.txt","dir_path":"/etc","cwd":"/p"}`},
		{"cursor", "Shell", `{"command":"rm a.txt","cwd":"/etc","directory":"/p"}`},
	} {
		tool, input, known := agents.Common(tt.agent, tt.tool, json.RawMessage(tt.input))
		c := rules.Prepare(rules.Question{Tool: tool, Input: input, Trusted: known, Place: risk.Place{CWD: "/p", Project: "/p"}})
		found := false
		for _, f := range c.Files() {
			found = found || f == "/etc/a.txt"
		}
		if tool != "Bash" || !found {
			t.Errorf("%s: %s works on %q, want /etc/a.txt among them", tt.agent, tool, c.Files())
		}
	}
}

// A parameter that a tool does not read, under a name that another agent's tool reads, must not
// take a call out of reach of a rule that refuses it, nor put it in reach of one that allows it.
func TestRulesSeeWhatAToolReads(t *testing.T) {
	const patched = `"*** Begin Patch\n*** Update File: keep.txt\n@@\n-a\n+b\n*** End Patch"`
	write := func(d rules.Verdict, file string) rules.Rule {
		return rules.Rule{ID: "r", Version: 1, Enabled: true, Tool: "Edit|Write|MultiEdit", Where: map[string]string{"file_path": file}, Decision: d}
	}
	bash := func(d rules.Verdict, line string) rules.Rule {
		return rules.Rule{ID: "b", Version: 1, Enabled: true, Tool: "Bash", Where: map[string]string{"command": line}, Decision: d}
	}
	read := rules.Rule{ID: "k", Version: 1, Enabled: true, Tool: "Read", Where: map[string]string{"file_path": "keep.txt"}, Decision: rules.Deny}
	for _, tt := range []struct {
		agent, tool, input string
		list               []rules.Rule
		want               rules.Verdict
	}{
		{"opencode", "write", `{"filePath":"keep.txt","content":"","file_path":"a.txt"}`, []rules.Rule{write(rules.Deny, "keep.txt")}, rules.Deny},
		{"opencode", "write", `{"filePath":"keep.txt","content":"","file_path":"a.txt"}`, []rules.Rule{write(rules.Allow, "a.txt")}, rules.Ask},
		{"opencode", "apply_patch", `{"patchText":` + patched + `}`, []rules.Rule{write(rules.Deny, "keep.txt")}, rules.Deny},
		{"opencode", "apply_patch", `{"patchText":` + patched + `}`, []rules.Rule{write(rules.Allow, "keep.txt")}, rules.Ask},
		{"opencode", "bash", `{"command":"cat keep.txt","dir_path":"/p/sub"}`, []rules.Rule{bash(rules.Allow, "cat *"), read}, rules.Deny},
		{"opencode", "bash", `{"command":"cat keep.txt","dir_path":"/p/sub"}`, []rules.Rule{bash(rules.Allow, "cat *")}, rules.Ask},
		{"qwen", "run_shell_command", `{"command":"cat keep.txt","directory":"/p","dir_path":"/p/sub"}`, []rules.Rule{bash(rules.Allow, "cat *"), read}, rules.Deny},
		{"copilot", "edit", `{"path":"keep.txt","old_str":"a","new_str":"b","more":1}`, []rules.Rule{write(rules.Deny, "keep.txt")}, rules.Deny},
		{"copilot", "edit", `{"path":"keep.txt","command":"create","file_text":"b"}`, []rules.Rule{write(rules.Allow, "keep.txt")}, rules.Ask},
		{"copilot", "apply_patch", `{"input":` + patched + `}`, []rules.Rule{write(rules.Deny, "keep.txt")}, rules.Deny},
		{"copilot", "bash", `{"command":"rm a","detach":true,"run_in_background":true}`, []rules.Rule{bash(rules.Deny, "rm *")}, rules.Deny},
		{"cursor", "Delete", `{"file_path":"keep.txt"}`, []rules.Rule{write(rules.Deny, "keep.txt")}, rules.Deny},
		{"cursor", "Delete", `{"file_path":"keep.txt"}`, []rules.Rule{write(rules.Allow, "keep.txt")}, rules.Ask},
		{"cursor", "MCP:Write", `{"file_path":"keep.txt"}`, []rules.Rule{write(rules.Deny, "keep.txt")}, rules.Ask},
	} {
		tool, input, known := agents.Common(tt.agent, tt.tool, json.RawMessage(tt.input))
		c := rules.Prepare(rules.Question{Tool: tool, Input: input, Trusted: known, Place: risk.Place{CWD: "/p", Project: "/p"}})
		set, err := rules.Compile(tt.list)
		if err != nil {
			t.Fatal(err)
		}
		if got, by := set.Verdict(c, time.Now()); got != tt.want {
			t.Errorf("%s %s %s: %s by %q, want %s", tt.agent, tt.tool, tt.input, got, by, tt.want)
		}
	}
}
