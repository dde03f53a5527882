package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// Codex, Gemini CLI and Qwen Code took the form of their hooks from Claude Code: one
// object with session_id, cwd, hook_event_name and what the event adds. What they share
// is read here.

// openPayload checks a payload of at most wire.MaxHookBody bytes. Members that are null
// count as missing. The first bound is on the whole payload, before anything of it is parsed.
func openPayload(payload []byte) (*reader, error) {
	if len(payload) > wire.MaxHookBody {
		return nil, fmt.Errorf("%w: it has %d bytes, more than %d", ErrPayload, len(payload), wire.MaxHookBody)
	}
	fields, err := anyReading.Fields(payload)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	r := newReader(nil)
	for _, f := range fields {
		if string(f.Value) != "null" {
			r.fields = append(r.fields, f)
		}
	}
	return r, nil
}

// decodeShared is Decode for agent with these events; more reads what the agent alone has. more
// runs last, so it sees what was read and may correct it.
func decodeShared(agent string, events map[string]Kind, payload []byte, more func(r *reader, h *Hook)) (Hook, error) {
	r, err := openPayload(payload)
	if err != nil {
		return Hook{}, err
	}
	h := Hook{Agent: agent, Event: r.name("hook_event_name"), SessionID: r.name("session_id")}
	h.Kind, h.Unknown = r.eventKind(events, h.Event)
	h.CWD, h.Mode, h.Transcript = r.path("cwd"), r.optionalName("permission_mode"), r.path("transcript_path")
	h.SubagentID = r.optionalName("agent_id")
	if h.SubagentID != "" {
		h.SubagentType, h.Transcript = r.optionalName("agent_type"), "" // the path is the sub-agent's own with some
	}
	r.shared(&h)
	more(r, &h)
	return r.closed(h)
}

// eventKind is what an event wants. An event that nobody knows is taken note of and
// passed, unless it carries a call without its result: whether that is a question, nobody
// can tell.
func (r *reader) eventKind(events map[string]Kind, event string) (kind Kind, unknown bool) {
	kind, known := events[event]
	if !known && r.raw("tool_name") != nil && r.raw("tool_input") != nil && r.raw("tool_response") == nil {
		r.fail("hook_event_name", fmt.Sprintf("%q is no event that this aoctl knows, and it carries a call", event))
	}
	return kind, !known
}

// shared reads what h.Event adds in the form that the agents share.
func (r *reader) shared(h *Hook) {
	switch h.Kind {
	case Gate, ToolDone:
		r.call(h)
	case Prompt:
		h.Text = r.text("prompt")
		h.FromApp = h.SubagentID != "" // what a sub-agent is told, its parent made up
	case SessionStart:
		h.Text = r.optional("source")
	case SessionEnd:
		h.Text = r.optional("reason")
	case TurnEnd:
		h.Text = r.optional("last_assistant_message")
		r.failure(h)
	case SubagentStart, SubagentStop:
		if h.SubagentID == "" {
			r.fail("agent_id", "is missing")
		}
		h.Text = r.optional("last_assistant_message")
	case Notify:
		h.Text, h.Note = r.optional("message"), r.optionalName("notification_type")
	case Settings, Observe:
	}
}

// stopFailure is the event at the end of a turn that an error of the model's API ended.
const stopFailure = "StopFailure"

// failure reads what h says of a turn that failed: the words that its user sees, or else the
// little that there is.
func (r *reader) failure(h *Hook) {
	if h.Event != stopFailure {
		return
	}
	h.Failed = true
	for _, key := range []string{"error_details", "error"} {
		if strings.TrimSpace(h.Text) == "" {
			h.Text = r.optional(key)
		}
	}
}

// call reads the tool call of a gate event, or of one that reports its end. fits comes after the
// fields, so that a missing field is named before a size.
func (r *reader) call(h *Hook) {
	h.ToolName, h.ToolInput, h.ToolUseID = r.name("tool_name"), r.object("tool_input"), r.optionalName("tool_use_id")
	r.fits(h, "tool_input")
	h.Description = claudeDescription(h.ToolInput)
	if h.Kind == ToolDone {
		h.Result, h.Duration = r.raw("tool_response"), r.milliseconds("duration_ms")
	}
}

// maxDuration is the longest that a call is believed to have run.
const maxDuration = 365 * 24 * time.Hour

// milliseconds reads a time that nobody decides on: 0 when it is none. A wrong time must not
// refuse a report, so it counts as not told.
func (r *reader) milliseconds(key string) time.Duration {
	var ms float64
	raw := r.raw(key)
	if raw == nil || json.Unmarshal(raw, &ms) != nil || ms <= 0 || ms > float64(maxDuration.Milliseconds()) {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// nothing answers every event that asks nothing, and every call that may run as it is.
const nothing = "{}\n"

// oneLine writes v as one JSON object on one line. Only inputs that were checked are in
// v, so that nothing can fail; if it did, the empty answer makes the hook client refuse
// the call.
func oneLine(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return b.Bytes()
}

// refusal is why a's call does not run. An agent whose turn cannot be ended is told in
// words to end it.
func refusal(a Answer, inWords bool) string {
	if a.Verdict == Allow && !a.StopTurn {
		return "aoctl: the changed input could not be passed on, so the call was refused."
	}
	if reason := reasonOf(a); !a.StopTurn || !inWords {
		return reason
	}
	const stop = " End your turn now: every further call is refused."
	a.Reason = cut(reasonOf(a), maxReason-len(stop)) + stop
	return reasonOf(a)
}

// isObject reports whether raw is one strict object.
func isObject(raw json.RawMessage) bool {
	_, err := wire.Fields(raw)
	return err == nil
}
