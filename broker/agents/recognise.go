package agents

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// ErrOtherAgent marks a payload of an agent that the hook was not installed for, and
// that no dialect reads.
var ErrOtherAgent = errors.New("another agent called")

// anyReading reads any agent's payload for the names of its fields.
var anyReading = wire.Rules{Loose: slices.Concat(claudeReading.Loose, []string{
	"toolResult", "tool_output", "tool_error", "llm_request", "llm_response", "prompt_response", "details",
	"errorContext", "transformedPrompt", "initial_prompt", "initialPrompt", "response", "customInstructions", "permissionSuggestions",
	"tool_result", "arguments", "_meta", "output", "metadata", "result", "result_json", "error_message", "attachments", "edits", "text", "task",
	"summary", "model_params", "modified_files",
})}

// byPayload is the order in which agents are asked whether a payload is theirs. Some are known
// by less than others, and one that began as another agent comes before that one. A new dialect
// must be put in here, or its payloads are read by the hint alone.
var byPayload = []string{claudeName, cursorName, copilotName, qwenName, geminiName, codexName, opencodeName, genericName}

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
	// The size is Decode's to refuse; nothing of such a payload is parsed here.
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
	if hint == genericName && isGeneric(has, env) {
		return hint, nil // whatever other fields a program has
	}
	name, ok := callerByPayload(has, env)
	if !ok {
		name, ok = callerByEnv(hint, env)
	}
	if !ok {
		return hint, nil
	}
	if _, ok := dialects[name]; !ok {
		return "", fmt.Errorf("%w: this is %s, which this aoctl does not support yet; the hook that ran is for %s", ErrOtherAgent, TraitsOf(name).Title, hint)
	}
	return name, nil
}

// callerByPayload is the first agent that knows the payload as its own. Only the names of fields
// count, never their values, so an agent's texts cannot change who it is.
func callerByPayload(has map[string]bool, env map[string]string) (string, bool) {
	for _, name := range byPayload {
		if known[name].sent(has, env) {
			return name, true
		}
	}
	return "", false
}

// callerByEnv names an agent whose variables are set. An agent that sets none cannot be
// told from one that it runs inside, so the hint stands. One that runs inside another has
// both agents' variables, and Claude Code is the one that often does.
func callerByEnv(hint string, env map[string]string) (string, bool) {
	if len(profile.Of(hint).Alone) == 0 {
		return "", false
	}
	for _, name := range byPayload {
		for _, variable := range profile.Of(name).Alone {
			if env[variable] != "" {
				return name, name != claudeName // nothing of its own says otherwise than the hint
			}
		}
	}
	return "", false
}
