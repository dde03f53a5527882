package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// modelStep is one reply of the scripted model: tool calls, or words that end the turn.
type modelStep struct {
	Calls []modelCall
	Text  string
}

type modelCall struct {
	Tool  string
	Input map[string]any
}

// useTool is a step with one call.
func useTool(tool string, input map[string]any) modelStep {
	return modelStep{Calls: []modelCall{{tool, input}}}
}

// useBash is a step that runs one command.
func useBash(command string) modelStep {
	return useTool("Bash", map[string]any{"command": command, "description": "run a command"})
}

// modelScript is what the model does in one conversation: step n is the answer to a
// conversation in which the model has spoken n times. After the last step it says
// that it is done.
type modelScript []modelStep

func (s modelScript) at(turn int) modelStep {
	if turn < len(s) {
		return s[turn]
	}
	return modelStep{Text: "done"}
}

// fakeModel speaks the Anthropic Messages API, streaming, from scripts: a real agent
// runs its real tool loop against it. Conversations, such as a sub-agent's, are told
// apart by a word in their first message; "" is the script of all others.
type fakeModel struct {
	*httptest.Server

	scripts map[string]modelScript

	mu   sync.Mutex
	told map[string]string // by tool use id: what the agent said became of the call
	ids  int
}

func newFakeModel(t *testing.T, scripts map[string]modelScript) *fakeModel {
	t.Helper()
	m := &fakeModel{scripts: scripts, told: map[string]string{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.CloseClientConnections)
	t.Cleanup(m.Close)
	return m
}

// results are the texts of all tool results that the agents sent, joined.
func (m *fakeModel) results() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, text := range m.told {
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

func (m *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method != http.MethodPost || !strings.Contains(r.URL.Path, "/messages"):
		fmt.Fprint(w, `{}`)
	case strings.Contains(r.URL.Path, "count_tokens"):
		fmt.Fprint(w, `{"input_tokens":10}`)
	default:
		var req modelRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		m.reply(w, req)
	}
}

// modelRequest is what is read of a request to /v1/messages.
type modelRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Role    string       `json:"role"`
		Content modelContent `json:"content"`
	} `json:"messages"`
}

// modelContent is a message's text or list of blocks.
type modelContent []struct {
	Type      string       `json:"type"`
	Text      string       `json:"text"`
	ToolUseID string       `json:"tool_use_id"`
	Content   modelContent `json:"content"`
}

func (c *modelContent) UnmarshalJSON(data []byte) error {
	type blocks modelContent // without this method
	if len(data) > 0 && data[0] == '"' {
		*c = make(modelContent, 1)
		return json.Unmarshal(data, &(*c)[0].Text)
	}
	return json.Unmarshal(data, (*blocks)(c))
}

func (c modelContent) text() string {
	var b strings.Builder
	for _, block := range c {
		b.WriteString(block.Text)
	}
	return b.String()
}

// step notes what the request tells and picks the answer.
func (m *fakeModel) step(req modelRequest) modelStep {
	turn, first := 0, ""
	for _, msg := range req.Messages {
		if msg.Role == "assistant" {
			turn++
		} else if first == "" {
			first = msg.Content.text()
		}
		for _, block := range msg.Content {
			if block.Type == "tool_result" {
				m.mu.Lock()
				m.told[block.ToolUseID] = block.Content.text()
				m.mu.Unlock()
			}
		}
	}
	if len(req.Tools) == 0 {
		return modelStep{Text: "ok"} // a side question, such as for a title
	}
	for word, s := range m.scripts {
		if word != "" && strings.Contains(first, word) {
			return s.at(turn)
		}
	}
	return m.scripts[""].at(turn)
}

func (m *fakeModel) reply(w http.ResponseWriter, req modelRequest) {
	step := m.step(req)
	blocks, stop := []map[string]any{{"type": "text", "text": step.Text}}, "end_turn"
	if len(step.Calls) > 0 {
		blocks, stop = nil, "tool_use"
		for _, c := range step.Calls {
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": m.newID("toolu"), "name": c.Tool, "input": c.Input})
		}
	}
	usage := map[string]int{"input_tokens": 12, "output_tokens": 8}
	message := map[string]any{
		"id": m.newID("msg"), "type": "message", "role": "assistant", "model": req.Model,
		"content": blocks, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !req.Stream {
		writeJSON(w, message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	message["content"], message["stop_reason"] = []any{}, nil
	sendEvent(w, "message_start", map[string]any{"message": message})
	for i, b := range blocks {
		streamBlock(w, i, b)
	}
	sendEvent(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	sendEvent(w, "message_stop", map[string]any{})
}

func streamBlock(w http.ResponseWriter, i int, block map[string]any) {
	start := map[string]any{"type": "text", "text": ""}
	delta := map[string]any{"type": "text_delta", "text": block["text"]}
	if block["type"] == "tool_use" {
		input, err := json.Marshal(block["input"])
		if err != nil {
			panic(err) // the test's own script cannot be written as JSON
		}
		start = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
	}
	sendEvent(w, "content_block_start", map[string]any{"index": i, "content_block": start})
	sendEvent(w, "content_block_delta", map[string]any{"index": i, "delta": delta})
	sendEvent(w, "content_block_stop", map[string]any{"index": i})
}

func sendEvent(w http.ResponseWriter, name string, data map[string]any) {
	data["type"] = name
	fmt.Fprintf(w, "event: %s\ndata: ", name)
	writeJSON(w, data)
	fmt.Fprint(w, "\n")
}

// writeJSON writes v and a newline. A client that is gone has no use for an error.
func writeJSON(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func (m *fakeModel) newID(kind string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids++
	return fmt.Sprintf("%s_%s%06d", kind, "0e2e", m.ids)
}
