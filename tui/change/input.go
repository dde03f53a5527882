package change

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// Input is a tool's input, taken apart for drawing.
type Input struct {
	Fields []wire.Field // in the order in which the agent sent them
	Broken string       // why the input cannot be taken apart; it is then drawn as it is
}

// ReadInput takes a tool's input apart.
func ReadInput(input json.RawMessage) Input {
	fields, err := wire.Fields(input)
	if err != nil {
		return Input{Broken: err.Error()}
	}
	return Input{Fields: fields}
}

// Text is the field called key when it is a string.
func (c Input) Text(key string) (string, bool) {
	for _, f := range c.Fields {
		if f.Key == key {
			return StringValue(f.Value)
		}
	}
	return "", false
}

// Raw is the field called key, whatever it is.
func (c Input) Raw(key string) (json.RawMessage, bool) {
	for _, f := range c.Fields {
		if f.Key == key {
			return f.Value, true
		}
	}
	return nil, false
}

// Without lists the fields whose names are not among keys.
func (c Input) Without(keys ...string) []wire.Field {
	var rest []wire.Field
	for _, f := range c.Fields {
		if !slices.Contains(keys, f.Key) {
			rest = append(rest, f)
		}
	}
	return rest
}

// StringValue is a field's value when it is a string.
func StringValue(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// ValueText is a field's value as people read it: strings without quotes, objects
// and lists on several lines, all else as it was sent.
func ValueText(raw json.RawMessage) string {
	if s, ok := StringValue(raw); ok {
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

// IsTrue reports whether a field holds what an agent may take for yes.
func IsTrue(raw json.RawMessage) bool {
	s := strings.Trim(strings.ToLower(string(bytes.TrimSpace(raw))), `"`)
	return s != "" && s != "false" && s != "null" && s != "0"
}
