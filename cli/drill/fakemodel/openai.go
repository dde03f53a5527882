package fakemodel

import (
	"encoding/json"
	"io"
	"net/http"
)

// openAIRequest is what is read of a request to /v1/responses.
type openAIRequest struct {
	Model  string            `json:"model"`
	Stream bool              `json:"stream"`
	Tools  []json.RawMessage `json:"tools"`
	Input  []struct {
		Type   string          `json:"type"`
		Role   string          `json:"role"`
		CallID string          `json:"call_id"`
		Output json.RawMessage `json:"output"`
	} `json:"input"`
}

// openAI answers the Responses API. One reply of the model comes back as several
// items, so a turn is counted where a run of them begins.
func (m *Model) openAI(w http.ResponseWriter, body io.Reader) error {
	var req openAIRequest
	if err := read(body, &req); err != nil {
		return err
	}
	turn, inside := 0, false // a turn is a run of the model's own items
	for _, item := range req.Input {
		own := item.Role == "assistant" || item.Type == "function_call" || item.Type == "custom_tool_call" || item.Type == "reasoning"
		if own && !inside {
			turn++
		}
		inside = own
		if item.Type == "function_call_output" || item.Type == "custom_tool_call_output" {
			m.tell(item.CallID, string(item.Output))
		}
	}
	items, err := m.openAIItems(m.step(len(req.Tools) > 0, "", turn))
	if err != nil {
		return err
	}
	usage := map[string]any{
		"input_tokens": 12, "output_tokens": 8, "total_tokens": 20,
		"input_tokens_details": map[string]int{"cached_tokens": 0}, "output_tokens_details": map[string]int{"reasoning_tokens": 0},
	}
	resp := map[string]any{"id": m.newID("resp"), "object": "response", "status": "completed", "model": req.Model, "output": items, "usage": usage}
	if !req.Stream {
		writeJSON(w, resp)
		return nil
	}
	w.Header().Set("Content-Type", "text/event-stream")
	sendEvent(w, "response.created", map[string]any{"response": map[string]any{"id": resp["id"], "object": "response", "status": "in_progress", "model": req.Model, "output": []any{}}})
	for i, item := range items {
		// An item is sent whole: what comes in between only fills a screen.
		sendEvent(w, "response.output_item.added", map[string]any{"output_index": i, "item": item})
		sendEvent(w, "response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	sendEvent(w, "response.completed", map[string]any{"response": resp})
	return nil
}

// openAIItems is a step as items of this API: one message, or a call each.
func (m *Model) openAIItems(step Step) ([]map[string]any, error) {
	if len(step.Calls) == 0 {
		return []map[string]any{{
			"type": "message", "id": m.newID("msg"), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": step.Text, "annotations": []any{}}},
		}}, nil
	}
	var items []map[string]any
	for _, c := range step.Calls {
		if c.Text != "" {
			items = append(items, map[string]any{
				"type": "custom_tool_call", "id": m.newID("ctc"), "call_id": m.newID("call"), "name": c.Tool, "status": "completed", "input": c.Text,
			})
			continue
		}
		args, err := json.Marshal(c.Input)
		if err != nil {
			return nil, err
		}
		items = append(items, map[string]any{
			"type": "function_call", "id": m.newID("fc"), "call_id": m.newID("call"), "name": c.Tool, "status": "completed", "arguments": string(args),
		})
	}
	return items, nil
}
