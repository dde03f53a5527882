package agents

import (
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker/wire"
)

// ErrOtherAgent marks a payload of an agent that the hook was not installed for, and
// that no dialect reads.
var ErrOtherAgent = errors.New("another agent called")

// The agents that also run hooks found in other agents' settings, or whose payloads
// are easily taken for another's.
const (
	callsCodex    = "Codex CLI"
	callsCopilot  = "GitHub Copilot CLI"
	callsCursor   = "Cursor"
	callsGemini   = "Gemini CLI"
	callsQwen     = "Qwen Code"
	callsOpencode = "opencode"
)

// Recognise names the dialect for a payload that came in under the name hint.
//
// Some agents run hooks that were installed for another one: Copilot and Cursor read
// .claude/settings.json. Each takes only its own form of answer and lets the call run
// on any other, so such a payload is an error that says which agent called. The
// payload decides; env, the tell-tale variables of the hook's process, only where it
// is silent, because an agent that runs inside another has both agents' variables.
//
// Errors: ErrUnknownAgent for hint, ErrOtherAgent. A payload that cannot be read is
// left to Decode.
func Recognise(hint string, payload []byte, env map[string]string) (string, error) {
	if _, err := For(hint); err != nil {
		return "", err
	}
	if len(payload) > wire.MaxHookBody {
		return hint, nil
	}
	fields, err := claudeReading.Fields(payload)
	if err != nil {
		return hint, nil //nolint:nilerr // Decode says it better, with the field
	}
	has := make(map[string]bool, len(fields))
	for _, f := range fields {
		has[f.Key] = true
	}
	caller := callerByPayload(has, env)
	if caller == "" {
		caller = callerByEnv(env)
	}
	if caller != "" {
		return "", fmt.Errorf("%w: this is %s, which this aoctl does not support yet; the hook that ran is for %s", ErrOtherAgent, caller, hint)
	}
	return hint, nil
}

// callerByPayload names the agent that the payload's fields betray, "" when it may be
// Claude Code's. Claude Code sends no timestamp and no turn_id but on MessageDisplay.
func callerByPayload(has map[string]bool, env map[string]string) string {
	switch {
	case has["cursor_version"] || has["conversation_id"]:
		return callsCursor
	case has["sessionId"] || has["hookName"] || has["toolName"]:
		return callsCopilot
	case has["timestamp"] && !has["transcript_path"]:
		return callsCopilot
	case has["timestamp"] && (has["permission_mode"] || has["prompt_id"] || has["tool_call_id"] || env["QWEN_CODE_SESSION_ID"] != ""):
		return callsQwen
	case has["timestamp"]:
		return callsGemini
	case has["turn_id"] && !has["delta"]:
		return callsCodex
	}
	return ""
}

// callerByEnv names an agent whose variables are set where Claude Code's are not.
func callerByEnv(env map[string]string) string {
	switch {
	case env["CLAUDECODE"] != "" || env["CLAUDE_PID"] != "":
		return ""
	case env["CURSOR_VERSION"] != "":
		return callsCursor
	case env["COPILOT_CLI"] != "":
		return callsCopilot
	case env["QWEN_CODE_SESSION_ID"] != "":
		return callsQwen
	case env["GEMINI_SESSION_ID"] != "":
		return callsGemini
	case env["OPENCODE"] != "":
		return callsOpencode
	}
	return ""
}
