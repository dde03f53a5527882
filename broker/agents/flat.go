package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// closed is h, or the first fault of reading it. Only the first fault is kept, since those that
// follow are often its consequences. A Hook is never returned with an error: no half-read call
// can be asked.
func (r *reader) closed(h Hook) (Hook, error) {
	if r.err != nil {
		return Hook{}, fmt.Errorf("%w: %w", ErrPayload, r.err)
	}
	return h, nil
}

// has reports whether the payload has one of these fields, whatever its value.
func (r *reader) has(keys ...string) bool {
	for _, f := range r.fields {
		for _, key := range keys {
			if f.Key == key {
				return true
			}
		}
	}
	return false
}

// either is the first of these names that the payload has a field of, or the first name. So a
// missing field is reported under its first, usual name.
func (r *reader) either(keys ...string) string {
	for _, key := range keys {
		if r.has(key) {
			return key
		}
	}
	return keys[0]
}

// fits refuses a gate's call that is larger than a call may be. A report may be larger. It is
// about something that has run, and refusing it would only hide that.
func (r *reader) fits(h *Hook, key string) {
	if size := len(h.ToolName) + len(h.ToolInput); h.Kind == Gate && size > wire.MaxBody {
		r.fail(key, fmt.Sprintf("the call has %d bytes, more than %d", size, wire.MaxBody))
	}
}

// settled is what a says about a gate's call: Allow, Leave or Deny and nothing else. takes
// says whether the agent applies the changed input as a whole. A stop ends as Deny here, whatever
// the verdict was.
func settled(a Answer, takes func(updated json.RawMessage) bool) Answer {
	switch {
	case a.StopTurn:
	case a.Verdict == Leave:
		return Answer{Verdict: Leave}
	case a.Verdict == Allow && (a.UpdatedInput == nil || isObject(a.UpdatedInput) && takes(a.UpdatedInput)):
		return Answer{Verdict: Allow, UpdatedInput: a.UpdatedInput}
	}
	return Answer{Verdict: Deny, Reason: refusal(a, true)}
}

// anyInput is for agents that take every object.
func anyInput(json.RawMessage) bool { return true }

// only reports whether input has no other keys than these, which are separated by blanks. An
// input that is no strict object has other keys than these for all that is known.
func only(input json.RawMessage, keys string) bool {
	fields, err := wire.Fields(input)
	if err != nil {
		return false
	}
	known := " " + keys + " "
	for _, f := range fields {
		if strings.ContainsRune(f.Key, ' ') || !strings.Contains(known, " "+f.Key+" ") {
			return false
		}
	}
	return true
}

// stringIn is the string under key in input. ok is false when there is none, or it is no string.
func stringIn(input json.RawMessage, key string) (string, bool) {
	fields, err := wire.Fields(input)
	if err != nil {
		return "", false
	}
	for _, f := range fields {
		if f.Key == key && f.Value[0] == '"' {
			s, err := unquote(f.Value)
			return s, err == nil
		}
	}
	return "", false
}

// part is an object of those of these fields that the payload has, with their very bytes.
func (r *reader) part(keys ...string) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, key := range keys {
		raw := r.raw(key)
		if raw == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", key, raw)
	}
	b.WriteByte('}')
	return b.Bytes()
}
