package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// call is one tool call, in the words of Claude Code.
type call struct {
	tool  string
	input map[string]any
}

// line is a call as a report shows it.
func (c call) line() string {
	if cmd, ok := c.input["command"].(string); ok {
		return cmd
	}
	for _, name := range []string{"file_path", "pattern"} {
		if v, ok := c.input[name].(string); ok {
			return c.tool + " " + v
		}
	}
	return c.tool
}

// text is a member of the input that is a text; "" when it is not there.
func (c call) text(member string) string {
	s, _ := c.input[member].(string)
	return s
}

// corpus reads the calls of NAME.txt, with dir for {dir}.
func (o options) corpus(name, dir string) ([]call, error) {
	text, err := os.ReadFile(filepath.Join(o.data, name+".txt"))
	if err != nil {
		return nil, fmt.Errorf("read the calls: %w", err)
	}
	text = bytes.ReplaceAll(text, []byte("{dir}"), []byte(dir))
	var calls []call
	for i, entry := range entries(string(text)) {
		c, err := parseCall(entry)
		if err != nil {
			return nil, fmt.Errorf("%s.txt, call %d: %w", name, i+1, err)
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// entries cuts a corpus where a line begins a call. What stands before the first is a comment.
func entries(text string) (list []string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "$ "), strings.HasPrefix(line, "@"):
			list = append(list, line)
		case len(list) > 0:
			list[len(list)-1] += line
		}
	}
	return list
}

// parseCall reads "$ COMMAND" or "@TOOL JSON".
func parseCall(entry string) (call, error) {
	entry = strings.TrimRight(entry, "\n")
	if cmd, ok := strings.CutPrefix(entry, "$ "); ok {
		return call{"Bash", map[string]any{"command": cmd}}, nil
	}
	tool, input, _ := strings.Cut(entry[1:], " ")
	c := call{tool: tool}
	if err := json.Unmarshal([]byte(input), &c.input); err != nil {
		return c, fmt.Errorf("read %q: %w", entry, err)
	}
	return c, nil
}
