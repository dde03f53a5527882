package agents

import (
	"bytes"
	"encoding/json"
	"strings"
)

// ResultText is what a tool gave back, as people read it: a command's output, a file's
// content, the lines of a patch. What has no known shape stays JSON. Nothing is made safe
// to draw. nil, null and blanks are the empty text.
func ResultText(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	case '[':
		if text, ok := blocksText(raw); ok {
			return text
		}
	case '{':
		if text, ok := objectText(raw); ok {
			return text
		}
	}
	return string(raw)
}

// blocksText reads a list of content blocks, as MCP tools return them. One block that is not
// understood makes the whole list stay JSON, so that no part is left out in silence.
func blocksText(raw json.RawMessage) (string, bool) {
	var blocks []json.RawMessage
	if json.Unmarshal(raw, &blocks) != nil {
		return "", false
	}
	parts := make([]string, 0, len(blocks))
	for _, b := range blocks {
		part, ok := blockText(b)
		if !ok {
			return "", false
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n"), true
}

// blockText reads a string or a block that says its type. A block without text is named.
func blockText(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	var b struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	switch err := json.Unmarshal(raw, &b); {
	case err != nil:
		return "", false
	case b.Text != nil:
		return *b.Text, true
	case b.Type == "":
		return "", false
	}
	return "[" + b.Type + "]", true
}

// objectText reads the shapes of results that are known. Its keys differ by agent and
// tool, and mean the same wherever they are.
func objectText(raw json.RawMessage) (string, bool) {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return "", false
	}
	if text, ok := streamsText(o); ok {
		return text, true
	}
	if text, ok := patchText(o["structuredPatch"]); ok {
		return text, true
	}
	if file, ok := o["file"]; ok { // Claude Code's Read
		if text, ok := objectText(file); ok {
			return text, true
		}
	}
	for _, key := range []string{"error", "llmContent", "content", "output", "text", "result", "message", "returnDisplay"} {
		if text, ok := memberText(o[key]); ok {
			return text, true
		}
	}
	return "", false
}

// memberText reads one member that holds a result's text; empty ones hold none.
func memberText(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || string(raw) == `""` {
		return "", false
	}
	switch raw[0] {
	case '"':
		return ResultText(raw), true
	case '[':
		return blocksText(raw)
	case '{':
		return objectText(raw)
	}
	return "", false
}

// streamsText reads what a command wrote. stderr comes last and is named, as the order in which a
// command wrote both is not known.
func streamsText(o map[string]json.RawMessage) (string, bool) {
	_, has := o["stdout"]
	if _, other := o["stderr"]; !has && !other {
		return "", false
	}
	out, _ := memberText(o["stdout"])
	if errs, ok := memberText(o["stderr"]); ok {
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		out += "stderr:\n" + errs
	}
	return out, true
}

// patchText reads Claude Code's structuredPatch. Hunks are divided by a sign that no patch has.
func patchText(raw json.RawMessage) (string, bool) {
	var hunks []struct {
		Lines []string `json:"lines"`
	}
	if json.Unmarshal(raw, &hunks) != nil || len(hunks) == 0 {
		return "", false
	}
	var parts []string
	for _, h := range hunks {
		parts = append(parts, strings.Join(h.Lines, "\n"))
	}
	return strings.Join(parts, "\n⋯\n"), true
}
