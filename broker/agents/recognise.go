package agents

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aoctl/aoctl/broker/wire"
)

// ErrOtherAgent marks a payload of an agent that the hook was not installed for, and
// that no dialect reads.
var ErrOtherAgent = errors.New("another agent called")

// caller is an agent that can be told from others by what its hooks are given.
type caller struct {
	name    string // of its dialect; where that does not exist, the agent is named and refused
	title   string
	payload func(has map[string]bool, env map[string]string) bool // by the fields of a payload; nil when it has none of its own
	env     []string                                              // variables that it alone sets for its hooks
}

// anyReading reads any agent's payload for the names of its fields.
var anyReading = wire.Rules{Loose: slices.Concat(claudeReading.Loose, []string{
	"toolResult", "tool_output", "tool_error", "llm_request", "llm_response", "prompt_response", "details",
	"errorContext", "transformedPrompt", "initial_prompt", "initialPrompt", "response", "customInstructions", "permissionSuggestions",
	"tool_result", "arguments", "_meta", "output", "metadata", "result", "result_json", "error_message", "attachments", "edits", "text", "task",
	"summary", "model_params", "modified_files",
})}

// callers are asked in this order. One agent that runs inside another has both agents'
// variables, and Claude Code is the one that often does.
var callers = []caller{
	{claudeName, "Claude Code", looksClaude, []string{"CLAUDECODE", "CLAUDE_PID"}},
	{cursorName, "Cursor", looksCursor, []string{"CURSOR_VERSION"}},
	{copilotName, "GitHub Copilot CLI", looksCopilot, []string{"COPILOT_CLI"}},
	{"qwen", "Qwen Code", looksQwen, []string{"QWEN_CODE_SESSION_ID"}},
	{"gemini", "Gemini CLI", looksGemini, []string{"GEMINI_SESSION_ID"}},
	{"codex", "Codex CLI", looksCodex, nil},
	{opencodeName, "opencode", looksOpencode, []string{"OPENCODE"}},
	{genericName, "a program of yours", looksGeneric, nil},
}

// Recognise names the dialect for a payload that came in under the name hint.
//
// Some agents run hooks that were installed for another one: Copilot and Cursor read
// .claude/settings.json. Each takes only its own form of answer and lets the call run
// on any other, so the payload decides, whatever the hint. env, the tell-tale variables
// of the hook's process, decides only where the payload is silent.
//
// Errors: ErrUnknownAgent for hint; ErrOtherAgent, which says which agent called, for one
// that has no dialect. A payload that cannot be read is left to Decode.
func Recognise(hint string, payload []byte, env map[string]string) (string, error) {
	if _, err := For(hint); err != nil {
		return "", err
	}
	if len(payload) > wire.MaxHookBody {
		return hint, nil
	}
	fields, err := anyReading.Fields(payload)
	if err != nil {
		return hint, nil //nolint:nilerr // Decode says it better, with the field
	}
	has := make(map[string]bool, len(fields))
	for _, f := range fields {
		has[f.Key] = true
	}
	if hint == genericName && looksGeneric(has, env) {
		return hint, nil // whatever other fields a program has
	}
	c, ok := callerByPayload(has, env)
	if !ok {
		c, ok = callerByEnv(hint, env)
	}
	if !ok {
		return hint, nil
	}
	if _, ok := dialects[c.name]; !ok {
		return "", fmt.Errorf("%w: this is %s, which this aoctl does not support yet; the hook that ran is for %s", ErrOtherAgent, c.title, hint)
	}
	return c.name, nil
}

func callerByPayload(has map[string]bool, env map[string]string) (caller, bool) {
	for _, c := range callers {
		if c.payload(has, env) {
			return c, true
		}
	}
	return caller{}, false
}

// callerByEnv names an agent whose variables are set. An agent that sets none cannot be
// told from one that it runs inside, so the hint stands.
func callerByEnv(hint string, env map[string]string) (caller, bool) {
	for _, c := range callers {
		if c.name == hint && len(c.env) == 0 {
			return caller{}, false
		}
	}
	for _, c := range callers {
		for _, name := range c.env {
			if env[name] != "" {
				return c, c.name != claudeName // nothing of its own says otherwise than the hint
			}
		}
	}
	return caller{}, false
}

func looksCursor(has map[string]bool, _ map[string]string) bool {
	return has["cursor_version"] || has["conversation_id"]
}

// looksCopilot knows all of its calls. Of its other events some name a transcript, as Gemini
// CLI's do, but then they say why a turn stopped, or its variables are there.
func looksCopilot(has map[string]bool, env map[string]string) bool {
	if has["sessionId"] || has["hookName"] || has["toolName"] {
		return true
	}
	inside := env["COPILOT_CLI"] != "" && env["GEMINI_SESSION_ID"] == "" && env["QWEN_CODE_SESSION_ID"] == ""
	return has["timestamp"] && (!has["transcript_path"] || has["stop_reason"] || inside)
}

// looksOpencode knows what aoctl's plugin sends, looksGeneric what any program may.
func looksOpencode(has map[string]bool, _ map[string]string) bool {
	return has["event"] && has["sessionID"] && !has["hook_event_name"]
}

func looksGeneric(has map[string]bool, _ map[string]string) bool {
	return has["event"] && has["session"] && !has["hook_event_name"]
}

// looksQwen tells it from Gemini CLI, which it began as. On a call it says its mode.
func looksQwen(has map[string]bool, env map[string]string) bool {
	return has["timestamp"] && has["transcript_path"] &&
		(has["permission_mode"] || has["prompt_id"] || has["tool_call_id"] || env["QWEN_CODE_SESSION_ID"] != "" && env["GEMINI_SESSION_ID"] == "")
}

func looksGemini(has map[string]bool, _ map[string]string) bool {
	return has["timestamp"] && has["transcript_path"]
}

func looksCodex(has map[string]bool, _ map[string]string) bool {
	return has["turn_id"] && !has["delta"]
}

// looksClaude knows a call of Claude Code's, which has no timestamp and no turn_id.
func looksClaude(has map[string]bool, _ map[string]string) bool {
	for _, other := range []string{"timestamp", "turn_id", "cursor_version", "conversation_id", "sessionId", "hookName", "toolName"} {
		if has[other] {
			return false
		}
	}
	return has["hook_event_name"] && has["tool_name"] && has["tool_input"] && has["permission_mode"]
}
