package agents

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// Speaker is who or what a part of a transcript comes from.
type Speaker string

// The speakers.
const (
	SaidUser    Speaker = "user"
	SaidAgent   Speaker = "agent"
	SaidThought Speaker = "thought" // what the agent thought, where it writes that down
	SaidCall    Speaker = "call"    // the agent calls a tool
	SaidResult  Speaker = "result"  // what a tool gave back
	SaidFailed  Speaker = "failed"  // the same, of one that failed or was refused
	SaidOther   Speaker = "other"   // any other line, as it is
)

// Said is one part of a transcript. Its text is untrusted. The zero Usage means that the line
// told none, not that the reply was free.
type Said struct {
	By   Speaker
	Tool string // SaidCall; SaidOther: the type of a line of the agent's books
	// ID is that of a call, also in its result. In other parts it is empty, or a later part
	// with the same ID and speaker takes this one's place.
	ID   string
	Text string
	At   time.Time // zero when the line does not tell
	Side bool      // said by or to a sub-agent
	Line int64     // where its line begins, bytes

	Model string        // that spoke; empty when the line does not tell
	Reply string        // names the model's reply that Usage is of; several parts may have it
	Usage wire.RunUsage // of that reply
	Total *Spent        // of the session so far, where a line of the agent's books tells
}

// Spent is what a session cost, as its agent says.
type Spent struct {
	Cost  float64 // dollars; 0 when the agent does not tell
	Usage wire.RunUsage
}

// ReadTranscript reads whole lines of a transcript, one JSON object each, as Claude Code,
// Codex, Gemini CLI and Qwen Code write them. What it does not know comes back as it is;
// of lines that only keep the agent's books, Tool is their type. A line that is cut off at its
// end, as when the agent is writing it, comes back as it is.
func ReadTranscript(lines []byte) []Said {
	var list []Said
	at := int64(0)
	for line := range bytes.Lines(lines) {
		begin := at
		at += int64(len(line))
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		parts, ok := transcriptLine(line)
		if !ok {
			parts = []Said{{By: SaidOther, Text: string(line)}}
		}
		for i := range parts {
			parts[i].Line = begin
		}
		list = append(list, parts...)
	}
	return list
}

// TellsTokens reports whether a line may say what was spent. Most lines, and the longest ones, do
// not, and need not be decoded by those who ask for nothing else. It may say yes for nothing, as
// when a text has the word; it never says no for a line that tells.
func TellsTokens(line []byte) bool {
	for _, name := range [...]string{"usage", "modelUsage", `"tokens"`} { // as parts of the agents' names: usageMetadata, thread_token_usage
		if bytes.Contains(line, []byte(name)) {
			return true
		}
	}
	return false
}

// books are types of lines by which Claude Code, Codex and Qwen Code keep their books.
var books = map[string]bool{
	"agent-name": true, "ai-title": true, "api-request": true, "api-request-blob": true, "api-request-shape": true, "atis-latch": true, "attachment": true, "cost-state": true, "custom-title": true,
	"file-history-delta": true, "file-history-snapshot": true, "last-prompt": true, "mode": true, "permission-mode": true, "pr-link": true,
	"progress": true, "queue-operation": true, "summary": true, "system": true, "tools-used": true, "worktree-state": true,
	"event_msg": true, "session_meta": true, "token_usage_record": true, "turn_context": true, "world_state": true,
}

// transcriptEntry is one line, of whichever agent. One struct for all agents, so that a line is
// decoded once and its agent need not be known.
type transcriptEntry struct {
	Type        string             `json:"type"`
	Timestamp   time.Time          `json:"timestamp"`
	IsSidechain bool               `json:"isSidechain"`
	IsMeta      bool               `json:"isMeta"`
	IsCompact   bool               `json:"isCompactSummary"`
	UUID        string             `json:"uuid"`
	Model       string             `json:"model"`
	Content     json.RawMessage    `json:"content"`
	Message     *transcriptMessage `json:"message"`
	Payload     json.RawMessage    `json:"payload"`

	claudeCost
	geminiEntry
	qwenEntry
}

// transcriptMessage is the message in a line: of Claude Code and Codex with blocks as its
// content, of Qwen Code with parts as the Gemini API has them.
type transcriptMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Usage   *claudeUsage    `json:"usage"`
	Parts   []geminiPart    `json:"parts"`
}

// transcriptLine reads one line; false when it has no shape that is known. A file may hold lines
// of several versions of an agent, so each is judged by its own fields.
func transcriptLine(line []byte) ([]Said, bool) {
	var l transcriptEntry
	if json.Unmarshal(line, &l) != nil {
		return nil, false
	}
	var content string
	_ = json.Unmarshal(l.Content, &content) // a list is no text
	switch {
	case l.Set != nil || l.Type == "" && l.ProjectHash != "":
		return []Said{{By: SaidOther, Tool: "$set", Text: string(line), At: l.Timestamp}}, true
	case l.Type == "":
		return nil, false
	case l.Type == "system" && content != "": // such as that the conversation was compacted
		return []Said{{By: SaidOther, Text: content, At: l.Timestamp, Side: l.IsSidechain}}, true
	case books[l.Type]:
		s := Said{By: SaidOther, Tool: l.Type, Text: string(line), At: l.Timestamp}
		s.Model, s.Total = codexBooks(l.Type, l.Payload)
		if l.Type == "cost-state" {
			s.Total = l.spent()
		}
		return []Said{s}, true
	}
	parts, ok := l.parts(content)
	for i := range parts {
		parts[i].At, parts[i].Side = l.Timestamp, l.IsSidechain
		if (l.IsMeta || l.IsCompact) && parts[i].By == SaidUser {
			parts[i].By = SaidOther // not typed by anybody
		}
	}
	return parts, ok
}

// parts are those of a line that is no book. The order is from the most particular shape to the
// widest.
func (l *transcriptEntry) parts(content string) ([]Said, bool) {
	switch {
	case l.Type == "response_item":
		return codexParts(l.Payload)
	case l.Message != nil && len(l.Message.Parts) > 0:
		return l.qwenParts()
	case l.Message != nil && (l.Type == "user" || l.Type == "assistant"):
		return claudeParts(*l.Message)
	case l.Message == nil && l.Content != nil && (l.Type == "gemini" || l.Type == "user"):
		return l.geminiParts(content)
	case l.Message == nil && content != "" && (l.Type == "info" || l.Type == "warning" || l.Type == "error"):
		return []Said{{By: SaidOther, ID: l.MessageID, Text: content}}, true
	}
	return nil, false
}
