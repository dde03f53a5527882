package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/agents"
)

func TestSameShape(t *testing.T) {
	const asked = `{"command":"make","timeout":1000}`
	for _, tt := range []struct {
		name, tool, asked, input string
		want                     string // part of the error; "" for none
	}{
		{"another command", "Bash", asked, `{"command":"make -n","timeout":1000}`, ""},
		{"a known parameter more", "Bash", asked, `{"command":"make","run_in_background":true}`, ""},
		{"a parameter less", "Bash", asked, `{"command":"make"}`, ""},
		{"no command", "Bash", asked, `{"timeout":1000}`, `"command" is missing`},
		{"an empty command", "Bash", asked, `{"command":""}`, `"command" is empty`},
		{"a blank command", "Bash", asked, `{"command":" \n\t"}`, `"command" is empty`},
		{"a list for a command", "Bash", asked, `{"command":["make"]}`, `must be a string, not an array`},
		{"a string for a number", "Bash", asked, `{"command":"make","timeout":"1000"}`, `must be a number, not a string`},
		{"null", "Bash", asked, `{"command":"make","timeout":null}`, `must be a number, not null`},
		{"an unknown parameter", "Bash", asked, `{"command":"make","cmd":"rm"}`, `"cmd" is no parameter`},
		{"an unknown one that it had", "Bash", `{"command":"make","x":1}`, `{"command":"make -n","x":2}`, ""},
		{"the same key twice", "Bash", asked, `{"command":"make","command":"rm"}`, "plain JSON object"},
		{"two values", "Bash", asked, `{"command":"make"} {}`, "plain JSON object"},
		{"a list", "Bash", asked, `["make"]`, "plain JSON object"},
		{"nothing", "Bash", asked, ``, "plain JSON object"},
		{"an emptied file", "Write", `{"file_path":"/a","content":"x"}`, `{"file_path":"/a","content":""}`, ""},
		{"a write without content", "Write", `{"file_path":"/a","content":"x"}`, `{"file_path":"/a"}`, ""},
		{"another kind in an unknown tool", "mcp__x__y", `{"n":1,"s":"a"}`, `{"n":"1","s":"a"}`, `"n" must be a number, not a string`},
		{"another key in an unknown tool", "mcp__x__y", `{"n":1}`, `{"n":1,"deep":{"a":[]}}`, ""},
		{"null as it was", "Bash", `{"command":null}`, `{"command":null}`, ""},
		{"a filled form", "AskUserQuestion", `{"questions":[]}`, `{"questions":{}}`, ""},
		{"an approved plan", "ExitPlanMode", `{"plan":"a"}`, `{"plan":null}`, ""},
		{"asked with a list", "Bash", `["make"]`, `{"command":"make"}`, "the call was not asked with a plain JSON object"},
		{"an answered form", "AskUserQuestion", `{"questions":[]}`, `{"questions":[],"answers":{"a":"b"}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := agents.SameShape("claude", tt.tool, json.RawMessage(tt.asked), json.RawMessage(tt.input))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// The parameters of other agents are those that they have in common words.
func TestSameShapeOfOthers(t *testing.T) {
	for _, tt := range [][5]string{
		{"copilot", "bash", `{"command":"a"}`, `{"command":" "}`, `"command" is empty`},
		{"copilot", "Edit", `{"path":"/a","old_str":"x","new_str":"y"}`, `{"input":"*** Begin Patch"}`, `it is no call of "Edit" any more`},
		{"gemini", "read_file", `{"file_path":"/a"}`, `{"file_path":""}`, `"file_path" is empty`},
		{"opencode", "read", `{"filePath":"/a"}`, `{"filePath":""}`, `"filePath" is empty`},
		{"opencode", "read", `{"filePath":"/a"}`, `{"filePath":"/b"}`, ""},
	} {
		err := agents.SameShape(tt[0], tt[1], json.RawMessage(tt[2]), json.RawMessage(tt[3]))
		if tt[4] == "" && err != nil || tt[4] != "" && (err == nil || !strings.Contains(err.Error(), tt[4])) {
			t.Errorf("%s %s %s: %v, want %q", tt[0], tt[1], tt[3], err, tt[4])
		}
	}
}

// TestEdits: what an agent cannot be told is not offered.
func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		agent, event, tool string
		want               bool
	}{
		{"claude", "PreToolUse", "Bash", true},
		{"claude", "PermissionRequest", "Bash", true},
		{"claude", "PostToolUse", "Bash", false},
		{"claude", "", "Bash", true},
		{"codex", "PreToolUse", "Bash", true},
		{"codex", "PreToolUse", "apply_patch", true},
		{"codex", "PreToolUse", "mcp__x__y", true},
		{"codex", "PreToolUse", "update_plan", false},
		{"codex", "PermissionRequest", "Bash", false},
		{"gemini", "BeforeTool", "run_shell_command", true},
		{"qwen", "PreToolUse", "run_shell_command", false},
		{"some program", "", "deploy", true},
		{"some program", "before", "deploy", true},
	} {
		if got := agents.Edits(tt.agent, tt.event, tt.tool); got != tt.want {
			t.Errorf("%s %q %s: %v, want %v", tt.agent, tt.event, tt.tool, got, tt.want)
		}
	}
	for _, name := range agents.Names() {
		d, err := agents.For(name)
		if err != nil {
			t.Fatal(err)
		}
		if tr := agents.TraitsOf(d.Name()); agents.Edits(name, tr.Gate, "Bash") != tr.Edit {
			t.Errorf("%s says that it takes another input: %v, and its answer has it: %v", name, tr.Edit, !tr.Edit)
		}
	}
}

// TestTakes: an input that would void the answer is not sent as one.
func TestTakes(t *testing.T) {
	for _, tt := range []struct {
		agent, event, tool, asked, input string
		want                             bool
	}{
		{"codex", "PreToolUse", "Bash", `{"command":"a"}`, `{"command":"b"}`, true},
		{"codex", "PreToolUse", "Bash", `{"command":"a","x":1}`, `{"command":"b","x":1}`, false},
		{"codex", "PreToolUse", "mcp__x__y", `{"n":1}`, `{"n":2,"m":[]}`, true},
		{"claude", "PreToolUse", "Bash", `{"command":"a"}`, `{"command":"b","timeout":1}`, true},
		{"claude", "PreToolUse", "Bash", `{"command":"a"}`, `{"command":"b","command":"c"}`, false},
		{"gemini", "BeforeTool", "write_file", `{"file_path":"a"}`, `{"file_path":"b"}`, true},
	} {
		if got := agents.Takes(tt.agent, tt.event, tt.tool, json.RawMessage(tt.asked), json.RawMessage(tt.input)); got != tt.want {
			t.Errorf("%s %s %s: %v, want %v", tt.agent, tt.tool, tt.input, got, tt.want)
		}
	}
}
