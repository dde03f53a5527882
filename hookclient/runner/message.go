package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
)

// message is one line of the agent's: the fields that are used, whatever its type.
//
// Source: the stream-json control protocol of Claude Code 2.1.329. Fields that are not there are
// zero; lines hold much more, which the viewer alone shows.
type message struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	Parent    string `json:"parent_tool_use_id"` // of a sub-agent's messages: the call that runs it
	UUID      string `json:"uuid"`
	RequestID string `json:"request_id"`

	Request  json.RawMessage `json:"request"`  // control_request
	Response json.RawMessage `json:"response"` // control_response
	Message  json.RawMessage `json:"message"`  // assistant, user

	Command string `json:"command_uuid"` // command_lifecycle: the user message
	State   string `json:"state"`

	Mode string `json:"permissionMode"` // system

	IsError  bool            `json:"is_error"` // result
	Reason   string          `json:"terminal_reason"`
	Stop     string          `json:"stop_reason"`
	Errors   []string        `json:"errors"`
	Text     json.RawMessage `json:"result"` // of a turn that failed: often what went wrong
	Cost     float64         `json:"total_cost_usd"`
	Usage    tokenUsage      `json:"usage"`
	Since    json.RawMessage `json:"model_usage_since_last_result"` // by model's name: modelUsage
	IsReplay bool            `json:"isReplay"`                      // user: an echo of our own
}

// putOff is the agent's word for a turn that ended because a call was put off.
const putOff = "tool_deferred"

// ending is the agent's word for how a turn ended, of which m is the result. A process that
// took a session up tells no terminal_reason when a call is put off.
func (m message) ending() string {
	if m.Reason == "" && m.Stop == putOff {
		return putOff
	}
	return cmp.Or(m.Reason, m.Subtype)
}

// whyFailed is what the agent says of a turn that failed, of which m is the result. The agent's
// own text says most, then its errors, then its word.
func (m message) whyFailed() string {
	var text string
	if len(m.Errors) == 0 && json.Unmarshal(m.Text, &text) == nil && strings.TrimSpace(text) != "" {
		return text
	}
	return cmp.Or(strings.Join(m.Errors, "; "), m.ending(), "the turn failed")
}

// fromModel reports whether m, of type assistant, is what a model said, and not the agent in
// its place, as when it is not logged in.
func (m message) fromModel() bool {
	var said struct {
		Model string `json:"model"`
	}
	return json.Unmarshal(m.Message, &said) == nil && said.Model != "<synthetic>"
}

// tokenUsage counts the tokens of one turn.
type tokenUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

// modelUsage is what one model was used. It counts what is new since the last result, sub-agents
// included.
type modelUsage struct {
	Input      int64   `json:"inputTokens"`
	Output     int64   `json:"outputTokens"`
	CacheRead  int64   `json:"cacheReadInputTokens"`
	CacheWrite int64   `json:"cacheCreationInputTokens"`
	Cost       float64 `json:"costUSD"`
}

// request is what the agent asks of us. Input is kept as the very bytes, since they are what the
// console is shown and what runs.
type request struct {
	Subtype  string          `json:"subtype"`
	Callback string          `json:"callback_id"` // hook_callback
	Input    json.RawMessage `json:"input"`       // the event, or the call's input

	ToolName    string          `json:"tool_name"` // can_use_tool
	ToolUseID   string          `json:"tool_use_id"`
	AgentID     string          `json:"agent_id"`
	Suggestions json.RawMessage `json:"permission_suggestions"`
}

// response answers a request of ours.
type response struct {
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	Response  json.RawMessage `json:"response"`
	Error     string          `json:"error"`
}

// event is what is read of a hook's payload; the console reads it all. A payload goes to the
// console as it came; this is what the runner itself needs.
type event struct {
	Name       string          `json:"hook_event_name"`
	CWD        string          `json:"cwd"`
	Transcript string          `json:"transcript_path"`
	Mode       string          `json:"permission_mode"`
	ToolName   string          `json:"tool_name"`
	ToolUseID  string          `json:"tool_use_id"`
	ToolInput  json.RawMessage `json:"tool_input"`
	AgentType  string          `json:"agent_type"`
	AgentID    string          `json:"agent_id"`
}

// block is a part of what the model or a tool said.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"` // tool_use
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"` // tool_result
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

// blocks reads the content of a message, which may be a plain text. A message without a list of
// blocks has none, which is no error.
func blocks(raw json.RawMessage) ([]block, error) {
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if len(raw) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(m.Content)
	if len(text) == 0 || text[0] != '[' {
		return nil, nil
	}
	var list []block
	return list, json.Unmarshal(text, &list)
}

// resultText is the text of a tool's answer, which is one or a list of blocks. It is for the
// viewer alone: the first text is enough there.
func resultText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []block
	if json.Unmarshal(raw, &list) == nil {
		for _, b := range list {
			if b.Type == "text" {
				return b.Text
			}
		}
	}
	return ""
}

// encode writes v as one line of JSON, as it is: no character is escaped that need not be.
// v holds only raw JSON that was read before, so that it cannot fail.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil
	}
	return b.Bytes()
}

// cut is the first bytes of s, at most most of them and whole runes, with a mark. Bytes that are
// no UTF-8 are replaced, as JSON could not hold them.
func cut(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// maxReason is the longest text of what went wrong, in bytes.
const maxReason = 2 << 10

// maxSeen bounds each thing that is kept by an id which the other side chooses.
const maxSeen = 4096
