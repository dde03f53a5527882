package fakemodel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// anthropicRequest is what is read of a request to /v1/messages.
type anthropicRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Role    string           `json:"role"`
		Content anthropicContent `json:"content"`
	} `json:"messages"`
}

// anthropicContent is a message's text or list of blocks; a text becomes a list of
// one.
type anthropicContent []struct {
	Type      string           `json:"type"`
	Text      string           `json:"text"`
	ToolUseID string           `json:"tool_use_id"`
	Content   anthropicContent `json:"content"`
}

// UnmarshalJSON takes both forms, which the API takes too.
func (c *anthropicContent) UnmarshalJSON(data []byte) error {
	type blocks anthropicContent // without this method
	if len(data) > 0 && data[0] == '"' {
		*c = make(anthropicContent, 1)
		return json.Unmarshal(data, &(*c)[0].Text)
	}
	return json.Unmarshal(data, (*blocks)(c))
}

// text is the text of all blocks, one after the other.
func (c anthropicContent) text() string {
	var b strings.Builder
	for _, block := range c {
		b.WriteString(block.Text)
	}
	return b.String()
}

// anthropic answers the Messages API. Every request has the whole conversation, so the
// number of the model's own messages in it is the turn. It is read twice: once as a
// whole, because a plan's file may be named anywhere in it.
func (m *Model) anthropic(w http.ResponseWriter, body io.Reader) error {
	// The whole body is needed twice, so it is read before it is decoded.
	text, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	var req anthropicRequest
	if err := read(bytes.NewReader(text), &req); err != nil {
		return err
	}
	turn, first, said := 0, "", ""
	for _, msg := range req.Messages {
		if msg.Role == "assistant" {
			turn++
		} else {
			// The first message of the user chooses the script, and all of them are
			// what was heard.
			first = cmp.Or(first, msg.Content.text())
			said += msg.Content.text() + "\n"
		}
		for _, block := range msg.Content {
			// The agent sends every result again with each request; tell keeps one of
			// each.
			if block.Type == "tool_result" {
				m.tell(block.ToolUseID, block.Content.text())
			}
		}
	}
	// Requests without tools are side questions, and would bring their own words among
	// the user's.
	if len(req.Tools) > 0 {
		m.hear(said)
	}
	step := m.step(len(req.Tools) > 0, first, turn)
	blocks, stop := []map[string]any{{"type": "text", "text": step.Text}}, "end_turn"
	// A reply has calls or words here, never both: agents show words beside a call at
	// different moments.
	if len(step.Calls) > 0 {
		blocks, stop = nil, "tool_use"
		for _, c := range step.Calls {
			c.Input = withPlanFile(c.Input, planFile.Find(text))
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": m.newID("toolu"), "name": c.Tool, "input": c.Input})
		}
	}
	// Figures that never change make the agent's own sums foreseeable.
	usage := map[string]int{"input_tokens": cmp.Or(m.InputTokens, 12), "output_tokens": 8}
	message := map[string]any{
		"id": m.newID("msg"), "type": "message", "role": "assistant", "model": req.Model,
		"content": blocks, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !req.Stream {
		writeJSON(w, message)
		return nil
	}
	w.Header().Set("Content-Type", "text/event-stream")
	// A stream begins with an empty message, and the blocks follow in events of their
	// own.
	message["content"], message["stop_reason"] = []any{}, nil
	sendEvent(w, "message_start", map[string]any{"message": message})
	for i, b := range blocks {
		if err := streamBlock(w, i, b); err != nil {
			return err
		}
	}
	sendEvent(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	sendEvent(w, "message_stop", map[string]any{})
	return nil
}

// PlanFile in a call's input stands for the file that Claude Code wants a plan written
// to: it makes up a name, and tells it in the request.
const PlanFile = "@plan-file@"

// The name is made of words and dashes, in a folder "plans".
var planFile = regexp.MustCompile(`/[^\s"\\]*/plans/[a-z-]+\.md`)

// withPlanFile is input with the plan's path in the place of PlanFile. input is the
// script's and stays as it is.
func withPlanFile(input map[string]any, path []byte) map[string]any {
	out := make(map[string]any, len(input))
	for k, v := range input {
		if v == PlanFile {
			v = string(path)
		}
		out[k] = v
	}
	return out
}

// streamBlock sends block i of a reply as the events in which the API streams it, in
// one piece.
func streamBlock(w http.ResponseWriter, i int, block map[string]any) error {
	start := map[string]any{"type": "text", "text": ""}
	delta := map[string]any{"type": "text_delta", "text": block["text"]}
	if block["type"] == "tool_use" {
		input, err := json.Marshal(block["input"])
		if err != nil {
			return err
		}
		start = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
	}
	sendEvent(w, "content_block_start", map[string]any{"index": i, "content_block": start})
	sendEvent(w, "content_block_delta", map[string]any{"index": i, "delta": delta})
	sendEvent(w, "content_block_stop", map[string]any{"index": i})
	return nil
}
