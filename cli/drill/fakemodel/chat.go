package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// chatRequest is what is read of a request to /chat/completions. Members that are not
// named here are ignored.
type chatRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Role       string          `json:"role"`
		ToolCallID string          `json:"tool_call_id"`
		Content    json.RawMessage `json:"content"`
	} `json:"messages"`
}

// chat answers the chat completions API, streaming or not. Every conversation gets the
// script of "", whatever its first message says.
func (m *Model) chat(w http.ResponseWriter, body io.Reader) error {
	var req chatRequest
	if err := read(body, &req); err != nil {
		return err
	}
	turn := 0
	for _, msg := range req.Messages {
		switch msg.Role {
		case "assistant":
			turn++
		case "tool":
			m.tell(msg.ToolCallID, string(msg.Content))
		}
	}
	message, finish, err := m.chatMessage(m.step(len(req.Tools) > 0, "", turn))
	if err != nil {
		return err
	}
	base := map[string]any{"id": m.newID("chatcmpl"), "created": 0, "model": req.Model}
	usage := map[string]int{"prompt_tokens": 12, "completion_tokens": 8, "total_tokens": 20}
	if !req.Stream {
		base["object"], base["usage"] = "chat.completion", usage
		base["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}
		writeJSON(w, base)
		return nil
	}
	w.Header().Set("Content-Type", "text/event-stream")
	base["object"] = "chat.completion.chunk"
	chunk := func(delta map[string]any, finish any) {
		base["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
		fmt.Fprint(w, "data: ")
		// writeJSON ends its line, and an empty line ends the event.
		writeJSON(w, base)
		fmt.Fprint(w, "\n")
	}
	chunk(message, nil)
	base["usage"] = usage
	chunk(map[string]any{}, finish)
	fmt.Fprint(w, "data: [DONE]\n\n")
	return nil
}

// chatMessage is a step as a message of this API, with the word for why it ended.
func (m *Model) chatMessage(step Step) (message map[string]any, finish string, err error) {
	if len(step.Calls) == 0 {
		return map[string]any{"role": "assistant", "content": step.Text}, "stop", nil
	}
	var calls []any
	for i, c := range step.Calls {
		args, err := json.Marshal(c.Input)
		if err != nil {
			return nil, "", err
		}
		// Arguments are JSON in a string, as this API has them.
		calls = append(calls, map[string]any{
			"index": i, "id": m.newID("call"), "type": "function", "function": map[string]any{"name": c.Tool, "arguments": string(args)},
		})
	}
	return map[string]any{"role": "assistant", "content": nil, "tool_calls": calls}, "tool_calls", nil
}
