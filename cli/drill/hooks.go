package drill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ToolEvents are the names that agents have for the moment before a tool is used.
func ToolEvents() []string { return []string{"PreToolUse", "BeforeTool", "preToolUse"} }

// GateLine is the command line of the hook before a tool, in an agent's settings. A
// plugin has none. settings is JSON without comments.
func GateLine(settings []byte) (string, error) {
	var s struct{ Hooks map[string]any }
	if err := json.Unmarshal(settings, &s); err != nil {
		return "", fmt.Errorf("read the installed hooks: %w", err)
	}
	for _, event := range ToolEvents() {
		if line := commandIn(s.Hooks[event]); line != "" {
			return line, nil
		}
	}
	return "", errors.New("no hook before a tool was installed")
}

// commandIn finds the first command in a hook's definition: agents nest it in lists
// and matchers.
func commandIn(v any) string {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if line := commandIn(e); line != "" {
				return line
			}
		}
	case map[string]any:
		for _, name := range []string{"command", "bash"} {
			if line, ok := v[name].(string); ok {
				return line
			}
		}
		return commandIn(v["hooks"])
	}
	return ""
}

// Replace puts one text in the place of another in settings or a plugin, where they
// stand in quotes. A text that is not there is an error, since what follows would try
// nothing.
func Replace(file []byte, was, is string) ([]byte, error) {
	old := Quoted(was)
	if !bytes.Contains(file, old) {
		return nil, fmt.Errorf("%s is not in the installed hooks as it was read", old)
	}
	return bytes.ReplaceAll(file, old, Quoted(is)), nil
}

// Quoted is a text as it stands in a file of JSON or JavaScript.
func Quoted(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text can be written
	return bytes.TrimSpace(b.Bytes())
}
