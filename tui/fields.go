package tui

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// call is a tool's input, taken apart for drawing.
type call struct {
	fields []wire.Field // in the order in which the agent sent them
	broken string       // why the input cannot be taken apart; it is then drawn as it is
}

func readCall(input json.RawMessage) call {
	fields, err := wire.Fields(input)
	if err != nil {
		return call{broken: err.Error()}
	}
	return call{fields: fields}
}

// text is the field called key when it is a string.
func (c call) text(key string) (string, bool) {
	for _, f := range c.fields {
		if f.Key == key {
			return stringValue(f.Value)
		}
	}
	return "", false
}

// raw is the field called key, whatever it is.
func (c call) raw(key string) (json.RawMessage, bool) {
	for _, f := range c.fields {
		if f.Key == key {
			return f.Value, true
		}
	}
	return nil, false
}

// without lists the fields whose names are not among keys.
func (c call) without(keys ...string) []wire.Field {
	var rest []wire.Field
	for _, f := range c.fields {
		if !contains(keys, f.Key) {
			rest = append(rest, f)
		}
	}
	return rest
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func stringValue(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// valueText is a field's value as people read it: strings without quotes, objects
// and lists on several lines, all else as it was sent.
func valueText(raw json.RawMessage) string {
	if s, ok := stringValue(raw); ok {
		return s
	}
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') && len(raw) > 60 {
		var b bytes.Buffer
		if json.Indent(&b, raw, "", "  ") == nil {
			return b.String()
		}
	}
	return string(raw)
}

// isTrue reports whether a field holds what an agent may take for yes.
func isTrue(raw json.RawMessage) bool {
	s := strings.Trim(strings.ToLower(string(bytes.TrimSpace(raw))), `"`)
	return s != "" && s != "false" && s != "null" && s != "0"
}
