package agents

import (
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// geminiEntry is what lines of Gemini CLI have beside the common fields. A message is
// written again with the calls in it, under its old id.
type geminiEntry struct {
	MessageID   string          `json:"id"`
	ProjectHash string          `json:"projectHash"`
	Set         json.RawMessage `json:"$set"`
	Thoughts    json.RawMessage `json:"thoughts"`
	Tokens      *struct {
		Input    int64 `json:"input"`
		Output   int64 `json:"output"`
		Cached   int64 `json:"cached"`
		Thoughts int64 `json:"thoughts"`
	} `json:"tokens"`
	ToolCalls []struct {
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args"`
		Result json.RawMessage `json:"result"`
		Status string          `json:"status"`
	} `json:"toolCalls"`
}

// qwenEntry is what lines of Qwen Code have beside the common fields.
type qwenEntry struct {
	Provenance string `json:"provenance"`
	Usage      *struct {
		Prompt   int64 `json:"promptTokenCount"`
		Output   int64 `json:"candidatesTokenCount"`
		Thoughts int64 `json:"thoughtsTokenCount"`
		Cached   int64 `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
}

// geminiPart is a part of a message as the Gemini API has it.
type geminiPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// said is one part of a message; false for one with nothing in it.
func (p geminiPart) said(by Speaker) (Said, bool) {
	switch {
	case p.Call != nil:
		return Said{By: SaidCall, Tool: p.Call.Name, ID: p.Call.ID, Text: string(p.Call.Args)}, true
	case p.Response != nil:
		text, failed := geminiResponse(p.Response.Response)
		if failed {
			return Said{By: SaidFailed, ID: p.Response.ID, Text: text}, true
		}
		return Said{By: SaidResult, ID: p.Response.ID, Text: text}, true
	case p.Thought:
		by = SaidThought
	}
	return Said{By: by, Text: p.Text}, strings.TrimSpace(p.Text) != ""
}

// geminiResponse is the text of a function's response, and whether it is an error. A response of
// another shape is shown like any tool's result.
func geminiResponse(raw json.RawMessage) (text string, failed bool) {
	var r struct {
		Output *string `json:"output"`
		Error  *string `json:"error"`
	}
	switch err := json.Unmarshal(raw, &r); {
	case err == nil && r.Error != nil:
		return *r.Error, true
	case err == nil && r.Output != nil:
		return *r.Output, false
	}
	return ResultText(raw), false
}

// geminiParts reads a message of Gemini CLI. Its text is content, or a list of parts.
func (l *transcriptEntry) geminiParts(content string) ([]Said, bool) {
	by := SaidUser
	if l.Type == "gemini" {
		by = SaidAgent
	}
	list := []geminiPart{{Text: content}}
	if l.Content[0] == '[' && json.Unmarshal(l.Content, &list) != nil {
		return nil, false
	}
	parts := l.geminiThoughts()
	for _, p := range list {
		if s, ok := p.said(by); ok {
			if s.ID == "" && len(list) == 1 {
				s.ID = l.MessageID
			}
			if by == SaidUser && strings.HasPrefix(s.Text, "<session_context>") {
				s.By = SaidOther
			}
			parts = append(parts, s)
		}
	}
	for _, c := range l.ToolCalls {
		parts = append(parts, Said{By: SaidCall, Tool: c.Name, ID: c.ID, Text: string(c.Args)})
		var results []geminiPart
		if json.Unmarshal(c.Result, &results) != nil || len(results) == 0 {
			continue
		}
		if s, ok := results[0].said(SaidResult); ok {
			if s.ID = c.ID; c.Status == "error" || c.Status == "cancelled" {
				s.By = SaidFailed
			}
			parts = append(parts, s)
		}
	}
	l.tokens(parts)
	if len(parts) == 0 { // an empty message; its calls come with the next line
		parts = []Said{{By: SaidOther, Tool: l.Type, ID: l.MessageID}}
		l.tokens(parts)
	}
	return parts, true
}

// tokens tells each part of a message what the whole used. Thoughts are paid like output, so they
// are counted as that.
func (l *transcriptEntry) tokens(parts []Said) {
	for i := range parts {
		parts[i].Model = l.Model
		if t := l.Tokens; t != nil {
			parts[i].Reply = l.MessageID
			parts[i].Usage = wire.RunUsage{Input: t.Input - t.Cached, Output: t.Output + t.Thoughts, CacheRead: t.Cached}
		}
	}
}

// geminiThoughts are the thoughts of a message, as one part. A list of other things is no
// thought; nil then.
func (l *transcriptEntry) geminiThoughts() []Said {
	var thoughts []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	}
	if json.Unmarshal(l.Thoughts, &thoughts) != nil {
		return nil
	}
	var texts []string
	for _, t := range thoughts {
		texts = append(texts, strings.TrimSpace(t.Subject+"\n"+t.Description))
	}
	if len(texts) == 0 {
		return nil
	}
	return []Said{{By: SaidThought, ID: l.MessageID, Text: strings.Join(texts, "\n")}}
}

// qwenParts reads a message of Qwen Code. The text of a reply may be empty while its calls are
// not; those parts are kept.
func (l *transcriptEntry) qwenParts() ([]Said, bool) {
	by := SaidUser
	switch {
	case l.Message.Role == "model":
		by = SaidAgent
	case l.Provenance == "system":
		by = SaidOther // not typed by anybody
	}
	var parts []Said
	for _, p := range l.Message.Parts {
		s, ok := p.said(by)
		if !ok {
			continue
		}
		if s.Model = l.Model; l.Usage != nil {
			u := l.Usage
			s.Reply = l.UUID
			s.Usage = wire.RunUsage{Input: u.Prompt - u.Cached, Output: u.Output + u.Thoughts, CacheRead: u.Cached}
		}
		parts = append(parts, s)
	}
	return parts, true
}
