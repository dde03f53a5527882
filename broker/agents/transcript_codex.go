package agents

import (
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// codexItem is the payload of a response_item in a rollout of Codex. Arguments and Input are
// texts: JSON for a function, anything for a custom tool.
type codexItem struct {
	transcriptMessage

	Type      string          `json:"type"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
	Summary   []struct {
		Text string `json:"text"`
	} `json:"summary"`
	Passed struct {
		Items []struct {
			Provenance struct {
				Type string `json:"type"`
			} `json:"provenance"`
		} `json:"content_item_metadata"`
	} `json:"internal_chat_message_metadata_passthrough"`
}

// codexParts reads a response_item; false when it has no shape that is known.
func codexParts(payload json.RawMessage) ([]Said, bool) {
	var p codexItem
	if json.Unmarshal(payload, &p) != nil {
		return nil, false
	}
	switch p.Type {
	case "message":
		parts, ok := messageParts(p.transcriptMessage)
		for i := range parts {
			if p.Role != "user" && p.Role != "assistant" || p.ofHarness() {
				parts[i].By = SaidOther // instructions
			}
		}
		return parts, ok
	case "function_call":
		return []Said{{By: SaidCall, Tool: p.Name, ID: p.CallID, Text: p.Arguments}}, true
	case "custom_tool_call":
		return []Said{{By: SaidCall, Tool: p.Name, ID: p.CallID, Text: p.Input}}, true
	case "function_call_output", "custom_tool_call_output":
		text := ResultText(p.Output)
		by := SaidResult
		if codexFailed(text) {
			by = SaidFailed
		}
		return []Said{{By: by, ID: p.CallID, Text: text}}, true
	case "reasoning":
		var parts []Said
		for _, s := range p.Summary {
			parts = append(parts, Said{By: SaidThought, Text: s.Text})
		}
		return parts, true
	}
	return nil, false
}

// ofHarness reports whether Codex itself wrote a message.
func (p codexItem) ofHarness() bool {
	for _, item := range p.Passed.Items {
		if item.Provenance.Type == "harness" {
			return true
		}
	}
	return false
}

// codexFailed reports whether a tool's output says that the call failed, or was refused. Only the
// head is looked at: a program's own output may hold the same words.
func codexFailed(text string) bool {
	if strings.HasPrefix(text, "Command blocked by ") {
		return true
	}
	head, _, _ := strings.Cut(text, "\nOutput:")
	for line := range strings.Lines(head[:min(len(head), 400)]) {
		for _, lead := range [...]string{"Exit code: ", "Process exited with code "} {
			if code, ok := strings.CutPrefix(strings.TrimSpace(line), lead); ok {
				return code != "0"
			}
		}
	}
	return false
}

// codexBooks is what a line of Codex's books tells of the model and of what the thread
// cost so far. Codex counts cached tokens among the input; here they are told apart, as with the
// other agents.
func codexBooks(typ string, payload json.RawMessage) (model string, total *Spent) {
	if typ != "turn_context" && typ != "token_usage_record" {
		return "", nil
	}
	var p struct {
		Model  string `json:"model"`
		Thread *struct {
			Input      int64 `json:"input_tokens"`
			Cached     int64 `json:"cached_input_tokens"`
			CacheWrite int64 `json:"cache_write_input_tokens"`
			Output     int64 `json:"output_tokens"`
		} `json:"thread_token_usage"`
	}
	if json.Unmarshal(payload, &p) != nil {
		return "", nil
	}
	if t := p.Thread; t != nil {
		total = &Spent{Usage: wire.RunUsage{Input: t.Input - t.Cached, Output: t.Output, CacheRead: t.Cached, CacheWrite: t.CacheWrite}}
	}
	return p.Model, total
}

// InHookWords is a call that stands in an agent's transcript, in the words of its hooks: Codex's
// rollout has others. Any other call is returned as it is.
func InHookWords(agent, name string, input json.RawMessage) (string, json.RawMessage) {
	if agent != codexName {
		return name, input
	}
	var in struct {
		Command string `json:"cmd"`
	}
	switch {
	case name == "apply_patch" && !json.Valid(input):
		if raw, err := json.Marshal(map[string]string{"command": string(input)}); err == nil {
			return name, raw
		}
	case name == "exec_command" && json.Unmarshal(input, &in) == nil && in.Command != "":
		if raw, err := json.Marshal(map[string]string{"command": in.Command}); err == nil {
			return "Bash", raw
		}
	}
	return name, input
}
