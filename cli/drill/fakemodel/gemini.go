package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// geminiRequest is what is read of a request to …:generateContent.
type geminiRequest struct {
	Tools    []json.RawMessage `json:"tools"`
	Contents []struct {
		Role  string `json:"role"`
		Parts []struct {
			Text             string `json:"text"`
			FunctionResponse *struct {
				ID       string          `json:"id"`
				Response json.RawMessage `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	} `json:"contents"`
	GenerationConfig struct {
		Schema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		} `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

// gemini answers generateContent. What Gemini CLI asks of its model beside the
// conversation, in a form of its own, is filled in (fill).
func (m *Model) gemini(w http.ResponseWriter, body io.Reader, stream bool) error {
	var req geminiRequest
	if err := read(body, &req); err != nil {
		return err
	}
	turn := 0
	for _, c := range req.Contents {
		if c.Role == "model" {
			turn++
		}
		for _, p := range c.Parts {
			if p.FunctionResponse != nil {
				m.tell(p.FunctionResponse.ID, string(p.FunctionResponse.Response))
			}
		}
	}
	step := m.step(len(req.Tools) > 0, "", turn)
	if filled := fill(req); filled != "" {
		step = Step{Text: filled}
	}
	resp := map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": m.geminiParts(step)}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]int{"promptTokenCount": 12, "candidatesTokenCount": 8, "totalTokenCount": 20}, "modelVersion": "fake",
	}
	if stream {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: ")
	}
	writeJSON(w, resp)
	if stream {
		fmt.Fprint(w, "\n")
	}
	return nil
}

// geminiParts is a step as parts of this API.
func (m *Model) geminiParts(step Step) []any {
	if len(step.Calls) == 0 {
		return []any{map[string]any{"text": step.Text}}
	}
	var parts []any
	for _, c := range step.Calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"id": m.newID("fc"), "name": c.Tool, "args": c.Input}})
	}
	return parts
}

// fill answers a side question that wants JSON, such as how hard the task is; "" when
// the request is none. Any value of the right type will do.
func fill(req geminiRequest) string {
	if len(req.GenerationConfig.Schema.Properties) == 0 {
		return ""
	}
	values := map[string]any{}
	for name, p := range req.GenerationConfig.Schema.Properties {
		switch strings.ToUpper(p.Type) {
		case "INTEGER", "NUMBER":
			values[name] = 1
		case "BOOLEAN":
			values[name] = false
		case "ARRAY":
			values[name] = []any{}
		case "OBJECT":
			values[name] = map[string]any{}
		default:
			values[name] = "ok"
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		return ""
	}
	return string(text)
}
