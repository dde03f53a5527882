package standin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Headless stands in for "claude -p": it asks the model at ANTHROPIC_BASE_URL what to do, has
// the hook before a tool in $HOME/.claude/settings.json decide as Claude Code does without
// onFailure, runs the command or does not, and tells the model.
func Headless(stdout io.Writer) int {
	said := []any{map[string]any{"role": "user", "content": "do it"}}
	for {
		blocks, err := askModel(said)
		if err != nil {
			fmt.Fprintln(stdout, err)
			return 1
		}
		var results []any
		for _, b := range blocks {
			if b.Type == "tool_use" {
				results = append(results, map[string]any{"type": "tool_result", "tool_use_id": b.ID, "content": bash(b.ID, b.Input.Command)})
			}
		}
		if results == nil {
			return 0
		}
		said = append(said, map[string]any{"role": "assistant", "content": "a call"}, map[string]any{"role": "user", "content": results})
	}
}

type modelBlock struct {
	Type, ID string
	Input    struct{ Command string }
}

func askModel(said []any) ([]modelBlock, error) {
	body, err := json.Marshal(map[string]any{"model": "fake", "tools": []any{map[string]any{"name": "Bash"}}, "messages": said})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", bytes.NewReader(body)) //nolint:gosec // G704: the scripted model
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req) //nolint:gosec // G704: the scripted model
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct{ Content []modelBlock }
	return answer.Content, json.NewDecoder(resp.Body).Decode(&answer)
}

// bash is what the model is told of a call.
func bash(id, command string) string {
	if why, held := gate(id, command); held {
		return why
	}
	out, err := exec.CommandContext(context.Background(), "sh", "-c", command).CombinedOutput() //nolint:gosec // G204: a stand-in for an agent runs what it is told
	if err != nil {
		return err.Error()
	}
	return string(out) + "(done)"
}

// gate asks the hook. What is neither exit 2 nor a deny lets the call run.
func gate(id, command string) (why string, held bool) {
	text, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".claude", "settings.json")) //nolint:gosec // G703: the settings of a trial
	if err != nil {
		return "", false
	}
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err := json.Unmarshal(text, &settings); err != nil || len(settings.Hooks["PreToolUse"]) == 0 {
		return "", false
	}
	cwd, _ := os.Getwd() // "" is as good
	payload, err := json.Marshal(map[string]any{
		"session_id": "standin", "transcript_path": "/dev/null", "cwd": cwd, "permission_mode": "bypassPermissions",
		"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command}, "tool_use_id": id,
	})
	if err != nil {
		return err.Error(), true
	}
	cmd := exec.CommandContext(context.Background(), "sh", "-c", settings.Hooks["PreToolUse"][0].Hooks[0].Command) //nolint:gosec // G204: as the agent does
	var out, words bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(payload, '\n')), &out, &words
	cmd.Env = append(os.Environ(), "CLAUDECODE=1")
	err = cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 2 {
		return words.String(), true
	}
	var answer struct {
		HookSpecificOutput struct{ PermissionDecision, PermissionDecisionReason string }
	}
	if err != nil || json.Unmarshal(out.Bytes(), &answer) != nil {
		return "", false
	}
	h := answer.HookSpecificOutput
	return strings.TrimSpace(h.PermissionDecisionReason), h.PermissionDecision == "deny"
}
