package agents

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// Speaker is who or what a part of a transcript comes from.
type Speaker string

// The speakers.
const (
	SaidUser   Speaker = "user"
	SaidAgent  Speaker = "agent"
	SaidCall   Speaker = "call"   // the agent calls a tool
	SaidResult Speaker = "result" // what a tool gave back
	SaidFailed Speaker = "failed" // the same, of one that failed or was refused
	SaidOther  Speaker = "other"  // a line that is none of these, as it is
)

// Said is one part of a transcript. Its text is untrusted.
type Said struct {
	By   Speaker
	Tool string // SaidCall; SaidOther: the type of a line of the agent's books
	Text string
	At   time.Time // zero when the line does not tell
	Side bool      // said by or to a sub-agent
}

// ReadTranscript reads whole lines of a transcript, one JSON object each, as Claude Code
// and Codex write them. What it does not know comes back as it is; of lines that only
// keep the agent's books, Tool is their type.
func ReadTranscript(lines []byte) []Said {
	var list []Said
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		parts, ok := transcriptLine(line)
		if !ok {
			parts = []Said{{By: SaidOther, Text: string(line)}}
		}
		list = append(list, parts...)
	}
	return list
}

// books are types of lines by which Claude Code and Codex keep their books.
var books = map[string]bool{
	"agent-name": true, "ai-title": true, "api-request": true, "attachment": true, "cost-state": true, "custom-title": true,
	"file-history-snapshot": true, "last-prompt": true, "mode": true, "permission-mode": true, "pr-link": true, "progress": true,
	"queue-operation": true, "summary": true, "system": true, "worktree-state": true,
	"event_msg": true, "session_meta": true, "token_usage_record": true, "turn_context": true, "world_state": true,
}

type transcriptMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// transcriptLine reads one line; false when it has no shape that is known.
func transcriptLine(line []byte) ([]Said, bool) {
	var l struct {
		Type        string             `json:"type"`
		Timestamp   time.Time          `json:"timestamp"`
		IsSidechain bool               `json:"isSidechain"`
		IsMeta      bool               `json:"isMeta"`
		Content     string             `json:"content"`
		Message     *transcriptMessage `json:"message"`
		Payload     json.RawMessage    `json:"payload"`
	}
	if json.Unmarshal(line, &l) != nil {
		return nil, false
	}
	switch {
	case l.Type == "":
		return nil, false
	case l.Type == "system" && l.Content != "": // such as that the conversation was compacted
		return []Said{{By: SaidOther, Text: l.Content, At: l.Timestamp, Side: l.IsSidechain}}, true
	case books[l.Type]:
		return []Said{{By: SaidOther, Tool: l.Type, Text: string(line), At: l.Timestamp}}, true
	}
	var parts []Said
	ok := false
	switch {
	case l.Type == "response_item":
		parts, ok = codexParts(l.Payload)
	case l.Message != nil && (l.Type == "user" || l.Type == "assistant"):
		parts, ok = messageParts(*l.Message)
	}
	for i := range parts {
		parts[i].At, parts[i].Side = l.Timestamp, l.IsSidechain
		if l.IsMeta && parts[i].By == SaidUser {
			parts[i].By = SaidOther // not typed by anybody
		}
	}
	return parts, ok
}

func messageParts(m transcriptMessage) ([]Said, bool) {
	by := SaidUser
	if m.Role == "assistant" {
		by = SaidAgent
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []Said{{By: by, Text: text}}, true
	}
	var blocks []struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Name    string          `json:"name"`
		Input   json.RawMessage `json:"input"`
		Content json.RawMessage `json:"content"`
		IsError bool            `json:"is_error"`
	}
	if json.Unmarshal(m.Content, &blocks) != nil {
		return nil, false
	}
	var parts []Said
	for _, b := range blocks {
		p := Said{By: by, Text: b.Text}
		switch b.Type {
		case "text", "input_text", "output_text":
		case "tool_use":
			p.By, p.Tool, p.Text = SaidCall, b.Name, string(b.Input)
		case "tool_result":
			p.By, p.Text = SaidResult, ResultText(b.Content)
			if b.IsError {
				p.By = SaidFailed
			}
		case "thinking", "redacted_thinking":
			continue // shown by no agent's own screen either
		default:
			p.Text = "[" + b.Type + "]"
		}
		if strings.TrimSpace(p.Text) != "" || p.By == SaidCall {
			parts = append(parts, p)
		}
	}
	return parts, true
}
