package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/wire"
)

// maxName is the longest name or id that an agent may send, in bytes; maxText the
// longest title or word of another kind, maxPath the longest path that a system opens.
const (
	maxName = 256
	maxPath = 4096
	maxText = 8 << 10
)

// reader takes fields out of a payload by their exact names. It keeps the first
// fault and returns zero values from then on. The zero values let a caller read on without asking
// for an error after each field; closed asks once.
type reader struct {
	fields []wire.Field
	err    error
}

// newReader reads fields that were checked to be those of one strict object.
func newReader(fields []wire.Field) *reader { return &reader{fields: fields} }

// fail notes a fault of field key; the first one stays.
func (r *reader) fail(key, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s", key, what)
	}
}

// raw is the value of field key, nil when there is none. A name that stands twice in an object
// never comes here: wire.Fields refuses such an object.
func (r *reader) raw(key string) json.RawMessage {
	if r.err != nil {
		return nil
	}
	for _, f := range r.fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// str reads a string field. A number or an object in a string's place is a fault: whatever text
// one made of it, the agent did not say that.
func (r *reader) str(key string, required bool) string {
	raw := r.raw(key)
	switch {
	case raw == nil:
		if required {
			r.fail(key, "is missing")
		}
		return ""
	case raw[0] != '"':
		r.fail(key, "must be a string, not "+kindOf(raw))
		return ""
	}
	s, err := unquote(raw)
	if err != nil {
		r.fail(key, "is not a readable string")
	}
	return s
}

// unquote reads a JSON string that was checked to be one. Most strings have no escapes and are
// taken as they are, which is faster and keeps their bytes.
func unquote(raw json.RawMessage) (string, error) {
	if !bytes.Contains(raw, []byte{'\\'}) {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// text reads a string of any size that must be there; optional one that need not,
// and of which maxText bytes are kept.
func (r *reader) text(key string) string     { return r.str(key, true) }
func (r *reader) optional(key string) string { return cut(r.str(key, false), maxText) }

// path reads a folder's name, which need not be there. It is not checked to be a path: what a
// folder's name leads to, package workspace finds out.
func (r *reader) path(key string) string {
	s := r.str(key, false)
	if len(s) > maxPath {
		r.fail(key, fmt.Sprintf("has %d bytes, more than %d", len(s), maxPath))
	}
	return s
}

// name reads an id or a name, which must be there.
func (r *reader) name(key string) string { return r.checkName(key, r.str(key, true)) }

// optionalName reads an id or a name, which need not be there but may not be empty. An empty one
// is refused, as it could be mistaken for one that is missing.
func (r *reader) optionalName(key string) string {
	if r.raw(key) == nil {
		return ""
	}
	return r.checkName(key, r.str(key, true))
}

// checkName refuses what no id or name is. Ids become parts of keys that are joined by a control
// character, so none may hold one.
func (r *reader) checkName(key, s string) string {
	switch {
	case s == "":
		r.fail(key, "is empty")
	case len(s) > maxName:
		r.fail(key, fmt.Sprintf("has %d bytes, more than %d", len(s), maxName))
	case hasControl(s):
		r.fail(key, "holds a control character")
	}
	return s
}

// object reads an object, which must be there, as its very bytes.
func (r *reader) object(key string) json.RawMessage {
	raw := r.raw(key)
	switch {
	case raw == nil:
		r.fail(key, "is missing")
	case raw[0] != '{':
		r.fail(key, "must be an object, not "+kindOf(raw))
	}
	return raw
}

// kindOf names the kind of a value that was checked to be JSON.
func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// hasControl reports whether s has a character that no name has.
func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// cut shortens s to at most limit bytes, between characters, and marks that it did. The mark
// counts towards the limit.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
