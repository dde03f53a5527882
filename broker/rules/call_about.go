package rules

import "encoding/json"

// textParams are the parameters that say best what a call is about, best first.
var textParams = []string{"command", "cmd", "file_path", "notebook_path", "path", "url", "pattern", "query", "skill", "subagent_type", "description"}

// About is what a call is about, raw: its command line, its path, or all of its
// input.
func (c *Call) About() string {
	if c.line != nil {
		return c.line.Raw
	}
	var in map[string]any
	if json.Unmarshal(c.q.Input, &in) == nil {
		for _, name := range textParams {
			if s, ok := in[name].(string); ok && s != "" {
				return s
			}
		}
	}
	return string(c.q.Input)
}
