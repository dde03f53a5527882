package rules

import (
	"bytes"
	"cmp"
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

// input is what a tool is given. It is filled by read and, for patches, by readPatch, and never
// changed after that. When members is nil, nothing could be read and rules about parameters fit
// nothing.
type input struct {
	tool    string
	members map[string]any    // as JSON has them; nil when it cannot be read
	params  map[string]*value // what rules speak about: the members and, joined by dots, those of objects in them
	escapes []string          // keys that change what the tool does; an allow rule must name them
	patched []string          // the files of its patch
	unsure  string            // not empty: no rule may allow the call, because of this
}

// doubt keeps the first reason why no rule may allow the call.
func (in *input) doubt(why string) { in.unsure = cmp.Or(in.unsure, why) }

// value is one parameter of a call. An allow rule must fit all of texts, places and urls, a
// refusing one any: a name that can be read in two ways is both.
type value struct {
	texts  []string  // what it says; several when a name can be read in several ways
	places []located // of a path
	urls   []patterns.Address
}

// read reads the parameters. What cannot be read strictly is not read at all: an agent's own
// reader might take the other of two equal keys.
func (in *input) read(raw json.RawMessage, p *paths) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	// A number must stay the text that it is; as a float two different ones could be equal.
	dec.UseNumber()
	// The strict reading comes first: a key given twice is read in two ways.
	if wire.Check(raw, wire.MaxDepth) != nil || dec.Decode(&in.members) != nil || in.members == nil {
		in.members = nil
		in.doubt("its input cannot be read")
		return
	}
	// A person has to judge what would need an escape on the screen.
	if !plain(in.members) {
		in.doubt("its input has characters that cannot be shown as they are")
	}
	in.params = make(map[string]*value, len(in.members))
	in.addParams("", in.members, 1, p)
	for _, key := range slices.Sorted(maps.Keys(in.members)) {
		in.noteEscape(key, in.members[key])
	}
}

// addParams adds the members of an object, and those of objects in it with dots between the
// names, to a depth of maxDots. In sorted order, so that the same doubt comes first each time.
func (in *input) addParams(prefix string, object map[string]any, depth int, p *paths) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		name, member := prefix+key, object[key]
		in.doubt(in.param(name).add(key, member, p))
		// Deeper members are part of the outer one's text.
		if inner, ok := member.(map[string]any); ok && depth < maxDots {
			in.addParams(name+".", inner, depth+1, p)
		}
	}
}

// param is the parameter of that name, which it makes when there is none.
func (in *input) param(name string) *value {
	v := in.params[name]
	if v == nil {
		v = &value{}
		in.params[name] = v
	}
	return v
}

// add takes in a member whose last name is key, as a text and, by its name, as paths or
// addresses. why: no rule may allow the call, because of this.
func (v *value) add(key string, member any, p *paths) (why string) {
	v.texts = append(v.texts, textOf(member))
	isPath := isPathParam(key)
	if !isPath && key != urlParam {
		return ""
	}
	// Of a list with other things in it the strings still count, for rules that refuse.
	list, ok := stringsOf(member)
	if !ok {
		why = "its " + key + " is no text"
	}
	for _, s := range list {
		if !isPath {
			v.urls = append(v.urls, patterns.ReadURL(s))
			continue
		}
		if !p.more() {
			return cmp.Or(why, "it names too many paths")
		}
		at := p.toolPlace(s)
		if at.odd != "" {
			why = cmp.Or(why, "the path "+quote(s)+" "+at.odd)
		}
		v.places = append(v.places, at)
	}
	return why
}

// lineParams are the parameters of command tools that change nothing about what a
// command line means.
var lineParams = map[string]bool{
	"description": true, "timeout": true, "timeout_ms": true, "run_in_background": true, "is_background": true,
	"persistent": true, "yield_time_ms": true, "max_output_tokens": true, "max_output_chars": true, "justification": true,
	"wait_for_previous": true, "delay_ms": true, "max_events": true, "idle_timeout_ms": true,
	"tty": true, "login": true, "workdir": true, "cwd": true, "dir": true, "directory": true, "dir_path": true,
}

// noteEscape notes a parameter by which a call leaves what its tool does otherwise, such as a
// sandbox, the shell that reads the line, or what a typed command's text runs. An allow rule
// must name it. A parameter that is off, empty or null changes nothing.
func (in *input) noteEscape(key string, v any) {
	if v == false || v == nil || v == "" {
		return
	}
	low := strings.ToLower(key)
	param, isLine := CommandParam(in.tool)
	if isLine && key != param && !lineParams[key] || strings.HasPrefix(low, "dangerously") ||
		low == "with_escalated_permissions" || low == "sandbox_permissions" ||
		in.tool == "SlashCommand" && (key == "runs" || key == "head" || key == "unknown" || key == "typed" && in.fillsIn()) {
		in.escapes = append(in.escapes, key)
	}
}

// fillsIn reports whether words that were typed become part of the commands in the text of
// a typed command: in place of $ARGUMENTS, $1 and the like.
func (in *input) fillsIn() bool { return strings.Contains(textOf(in.members["runs"]), "$") }

// textOf is what a text pattern sees of a value: compact JSON unless it is a string. Keys are
// sorted then, so that one pattern fits each time.
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

// stringsOf returns a string, or a list of nothing but strings. ok is false for all else; of a
// mixed list it gives the strings before the first other thing, for rules that refuse.
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

// urlParam is the parameter that holds an address, and pathParams those that hold paths beside
// all whose names end in _path or Path.
const urlParam = "url"

var pathParams = map[string]bool{
	"path": true, "file": true, "dir": true, "directory": true, "cwd": true, "workdir": true, "paths": true,
}

// isPathParam reports whether parameters of this name, the last part of a dotted one, hold
// paths. It goes by the name because tools of MCP servers are known by nothing else.
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
