package agents

import "encoding/json"

// codexParts reads the payload of a response_item in a rollout of Codex; false when it
// has no shape that is known.
func codexParts(payload json.RawMessage) ([]Said, bool) {
	var p struct {
		transcriptMessage

		Type      string          `json:"type"`
		Name      string          `json:"name"`
		Arguments string          `json:"arguments"`
		Input     string          `json:"input"`
		Output    json.RawMessage `json:"output"`
	}
	if json.Unmarshal(payload, &p) != nil {
		return nil, false
	}
	switch p.Type {
	case "message":
		parts, ok := messageParts(p.transcriptMessage)
		for i := range parts {
			if p.Role != "user" && p.Role != "assistant" {
				parts[i].By = SaidOther // instructions
			}
		}
		return parts, ok
	case "function_call":
		return []Said{{By: SaidCall, Tool: p.Name, Text: p.Arguments}}, true
	case "custom_tool_call":
		return []Said{{By: SaidCall, Tool: p.Name, Text: p.Input}}, true
	case "function_call_output", "custom_tool_call_output":
		return []Said{{By: SaidResult, Text: ResultText(p.Output)}}, true
	case "reasoning":
		return nil, true // as thinking
	}
	return nil, false
}
