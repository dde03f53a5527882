package rules

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/wire"
)

// maxDots is how deep a parameter of a rule may point into the input: a.b.c.d
const maxDots = 4

// maxPlaces is how many paths of one call are followed.
const maxPlaces = 200

// value is one parameter of a call.
type value struct {
	texts  []string  // what it says; several when a name can be read in several ways
	places []located // of a path
	urls   []patterns.Address
}

// readInput reads the parameters, which are the members of the input and, joined by
// dots, the members of objects in it.
func (c *Call) readInput() {
	dec := json.NewDecoder(bytes.NewReader(c.q.Input))
	dec.UseNumber()
	// The strict reading comes first: a key given twice is read in two ways.
	if wire.Check(c.q.Input, wire.MaxDepth) != nil || dec.Decode(&c.input) != nil || c.input == nil {
		c.input = nil
		c.doubt("its input cannot be read")
		return
	}
	if !plain(c.input) {
		c.doubt("its input has characters that cannot be shown as they are")
	}
	c.params = make(map[string]*value, len(c.input))
	c.addParams("", c.input, 1)
	for _, key := range slices.Sorted(maps.Keys(c.input)) {
		c.noteEscape(key, c.input[key])
	}
}

func (c *Call) addParams(prefix string, object map[string]any, depth int) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		name, member := prefix+key, object[key]
		v := c.params[name]
		if v == nil {
			v = &value{}
			c.params[name] = v
		}
		c.addValue(v, key, member)
		if inner, ok := member.(map[string]any); ok && depth < maxDots {
			c.addParams(name+".", inner, depth+1)
		}
	}
}

func (c *Call) addValue(v *value, key string, member any) {
	v.texts = append(v.texts, textOf(member))
	switch {
	case isPathParam(key):
		list, ok := stringsOf(member)
		if !ok {
			c.doubt("its " + key + " is no text")
		}
		for _, s := range list {
			if c.places++; c.places > maxPlaces {
				c.doubt("it names too many paths")
				return
			}
			p := c.toolPlace(s)
			if p.odd != "" {
				c.doubt("the path " + quote(s) + " " + p.odd)
			}
			v.places = append(v.places, p)
		}
	case key == urlParam:
		list, ok := stringsOf(member)
		if !ok {
			c.doubt("its " + key + " is no text")
		}
		for _, s := range list {
			v.urls = append(v.urls, patterns.ReadURL(s))
		}
	}
}

// lineParams are the parameters of command tools that change nothing about what a
// command line means.
var lineParams = map[string]bool{
	"description": true, "timeout": true, "timeout_ms": true, "run_in_background": true, "is_background": true,
	"persistent": true, "yield_time_ms": true, "max_output_tokens": true, "max_output_chars": true, "justification": true,
	"wait_for_previous": true, "delay_ms": true, "max_events": true, "idle_timeout_ms": true,
	"tty": true, "login": true, "workdir": true, "cwd": true, "dir": true, "directory": true, "dir_path": true,
}

// noteEscape notes a parameter by which a call leaves what its tool does otherwise,
// such as a sandbox, the shell that reads the line, or what a typed command's text runs.
// An allow rule must name it.
func (c *Call) noteEscape(key string, v any) {
	if v == false || v == nil || v == "" {
		return
	}
	low := strings.ToLower(key)
	param, isLine := CommandParam(c.q.Tool)
	if isLine && key != param && !lineParams[key] || strings.HasPrefix(low, "dangerously") ||
		low == "with_escalated_permissions" || low == "sandbox_permissions" ||
		c.q.Tool == "SlashCommand" && (key == "runs" || key == "head" || key == "unknown" || key == "typed" && c.fillsIn()) {
		c.escapes = append(c.escapes, key)
	}
}

// fillsIn reports whether words that were typed become part of the commands in the text of
// a typed command: in place of $ARGUMENTS, $1 and the like.
func (c *Call) fillsIn() bool { return strings.Contains(textOf(c.input["runs"]), "$") }

// textOf is what a text pattern sees of a value: compact JSON unless it is a string.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// stringsOf returns a string, or a list of nothing but strings.
func stringsOf(v any) ([]string, bool) {
	switch v := v.(type) {
	case string:
		return []string{v}, true
	case []any:
		list := make([]string, 0, len(v))
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return list, false
			}
			list = append(list, s)
		}
		return list, true
	}
	return nil, false
}

const urlParam = "url"

var pathParams = map[string]bool{
	"path": true, "file": true, "dir": true, "directory": true, "cwd": true, "workdir": true, "paths": true,
}

// isPathParam reports whether parameters of this name, the last part of a dotted one,
// hold paths.
func isPathParam(key string) bool {
	key = key[strings.LastIndexByte(key, '.')+1:]
	return pathParams[key] || strings.HasSuffix(key, "_path") || strings.HasSuffix(key, "Path")
}

// plain reports whether every text in v, keys too, can be drawn as it is: what
// would need an escape on the screen is a person's to judge.
func plain(v any) bool {
	switch v := v.(type) {
	case string:
		for _, r := range v {
			if r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != '\n' && r != '\t' {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !plain(e) {
				return false
			}
		}
	case map[string]any:
		for k, e := range v {
			if !plain(k) || !plain(e) {
				return false
			}
		}
	}
	return true
}
