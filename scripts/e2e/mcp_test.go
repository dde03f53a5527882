package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A Claude Code without any hook asks through "aoctl mcp": what the operator allows runs, what they
// deny does not, and their answer to a question reaches the model. Without a console nothing runs.
func TestE2EMCP(t *testing.T) {
	p := findE2E(t)
	for _, tt := range []struct {
		name  string
		play  func(r *rig)
		model map[string]modelScript
	}{
		{"asked", e2eMCPAsked, map[string]modelScript{"": {
			useBash("echo hi > canary"),
			useBash("echo hi > second"),
			useTool("mcp__aoctl__ask_user", map[string]any{"question": "Which region?", "options": []any{"eu", "us"}}),
			{Text: "all done"},
		}}},
		{"no console", e2eMCPNoConsole, oneCall},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, p, tt.model)
			if err := os.WriteFile(r.hooks, []byte("{}"), 0o600); err != nil { // no hook asks
				t.Fatal(err)
			}
			tt.play(r)
			if r.alarmed() {
				t.Errorf("there was an alarm, and nothing ran otherwise than allowed%s", r.lastScreen())
			}
		})
	}
}

// mcpAgent starts Claude Code with aoctl behind its permission prompts.
func (r *rig) mcpAgent() *agentRun {
	r.t.Helper()
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"aoctl": map[string]any{"command": r.aoctl, "args": []string{"mcp"}},
	}})
	if err != nil {
		r.t.Fatal(err)
	}
	file := filepath.Join(r.dir, "mcp.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		r.t.Fatal(err)
	}
	return r.agent("--mcp-config", file, "--permission-prompt-tool", "mcp__aoctl__approve", "--allowedTools", "mcp__aoctl__ask_user")
}

func e2eMCPAsked(r *rig) {
	console := r.console("console")
	agent := r.mcpAgent()
	q := r.waiting("canary")
	if r.exists("canary") {
		r.t.Fatal("the call ran before it was allowed")
	}
	if q.Agent != "claude" || q.ToolUseID == "" || q.CWD != r.project {
		r.t.Errorf("the console shows %+v", q)
	}
	console.allowsThenDenies(q)
	q = r.opens(console, "Which region?")
	console.marks("2", "(•) us")
	console.press("Enter", q)
	agent.completed()
	if r.exists("second") {
		r.t.Error("the denied call ran")
	}
	r.told("A person denied this call in aoctl", `{"answers":{"Which region?":"us"}}`)
}

func e2eMCPNoConsole(r *rig) {
	r.mcpAgent().completed()
	r.refused("no console is listening", `start one with "aoctl"`)
}
