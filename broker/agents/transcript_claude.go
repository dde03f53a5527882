package agents

import (
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// claudeUsage is the usage of one reply, as the Messages API tells it.
type claudeUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

// claudeCost is a line of type cost-state: what the session cost so far.
type claudeCost struct {
	TotalCost  float64 `json:"totalCostUSD"`
	ModelUsage map[string]struct {
		Input      int64 `json:"inputTokens"`
		Output     int64 `json:"outputTokens"`
		CacheRead  int64 `json:"cacheReadInputTokens"`
		CacheWrite int64 `json:"cacheCreationInputTokens"`
	} `json:"modelUsage"`
}

// spent is what the line says of all models together. The line tells each model apart; the sum is
// what a person asks for.
func (c claudeCost) spent() *Spent {
	s := &Spent{Cost: c.TotalCost}
	for _, u := range c.ModelUsage {
		s.Usage = s.Usage.Add(wire.RunUsage(u))
	}
	return s
}

// messageBlock is a part of a message's content.
type messageBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// claudeParts reads a message; false when it has no shape that is known. Claude Code
// writes a reply in several lines, each with the usage of the whole.
func claudeParts(m transcriptMessage) ([]Said, bool) {
	parts, ok := messageParts(m)
	for i := range parts {
		parts[i].Model = m.Model
		if m.Usage != nil {
			parts[i].Reply, parts[i].Usage = m.ID, wire.RunUsage(*m.Usage)
		}
	}
	return parts, ok
}

// messageParts are the parts of a message in the form that Claude Code and Codex share: one text,
// or a list of blocks. Empty texts are left out; a call or its result never is.
func messageParts(m transcriptMessage) ([]Said, bool) {
	by := SaidUser
	if m.Role == "assistant" {
		by = SaidAgent
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []Said{{By: by, Text: text}}, true
	}
	var blocks []messageBlock
	if json.Unmarshal(m.Content, &blocks) != nil {
		return nil, false
	}
	var parts []Said
	for _, b := range blocks {
		p := b.said(by)
		if strings.TrimSpace(p.Text) != "" || p.By == SaidCall || p.By == SaidResult || p.By == SaidFailed {
			parts = append(parts, p)
		}
	}
	return parts, true
}

// said is one block of a message. A block of an unknown type leaves its type in brackets, so that
// the reader sees that something was there.
func (b messageBlock) said(by Speaker) Said {
	p := Said{By: by, Text: b.Text}
	switch b.Type {
	case "text", "input_text", "output_text":
	case "tool_use":
		p.By, p.Tool, p.ID, p.Text = SaidCall, b.Name, b.ID, string(b.Input)
	case "tool_result":
		p.By, p.ID, p.Text = SaidResult, b.ToolUseID, ResultText(b.Content)
		if b.IsError {
			p.By = SaidFailed
		}
	case "thinking", "redacted_thinking":
		p.By, p.Text = SaidThought, b.Thinking
	default:
		p.Text = "[" + b.Type + "]"
	}
	return p
}
