package agents

import (
	"encoding/json"
	"fmt"
)

func init() { register(generic{}, about{sent: isGeneric}) }

const genericName = "generic"

// generic is the dialect of any program that can run a command; docs/generic.md describes
// it.
//
// Shape: {"event":"ask","session":…,"tool":…,"input":{…},"cwd"?,"id"?,"description"?}, answered
// with {"decision":"allow","input"?} or {"decision":"deny","reason"}; every other event is
// answered with {}.
type generic struct{}

// Name is the name that programs give to the hook client.
func (generic) Name() string { return genericName }

// genericTraits are those of a program that speaks this dialect: what the answer can hold.
var genericTraits = Traits{Title: "a program of yours", Gate: "ask", Edit: true, Answers: true, CallID: true}

// Common leaves a call as it is: a program's names mean what it says, and nobody vouches.
func (generic) Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	return name, input, false
}

// genericEvents are the words of docs/generic.md. A program may leave out all but "ask".
var genericEvents = map[string]Kind{
	"ask": Gate, "start": SessionStart, "prompt": Prompt, "done": ToolDone, "turn_end": TurnEnd, "end": SessionEnd, "note": Notify,
}

// Decode reads one payload. Fields that it does not know it ignores. An unknown event that
// carries a call fails, so a program that misspells "ask" is not let through.
func (generic) Decode(payload []byte) (Hook, error) {
	r, err := openPayload(payload)
	if err != nil {
		return Hook{}, err
	}
	h := Hook{Agent: genericName, Event: r.name("event"), SessionID: r.name("session"), CWD: r.path("cwd"), Transcript: r.path("transcript")}
	kind, known := genericEvents[h.Event]
	if h.Kind, h.Unknown = kind, !known; !known && r.has("tool", "input") && !r.has("result", "error") {
		r.fail("event", fmt.Sprintf("%q carries a call; a call is asked for with \"ask\"", h.Event))
	}
	switch h.Kind {
	case Gate, ToolDone:
		h.ToolName, h.ToolInput, h.ToolUseID = r.name("tool"), r.object("input"), r.optionalName("id")
		h.Description = r.optional("description")
		r.fits(&h, "input")
		if h.Kind == ToolDone {
			h.Result, h.Failed, h.Duration = r.raw(r.either("error", "result")), r.has("error"), r.milliseconds("duration_ms")
		}
	case Prompt, Notify:
		h.Text = r.text("text")
	case SessionStart:
		h.Title = r.optional("title")
	case SessionEnd:
		h.Text = r.optional("reason")
	case TurnEnd:
		h.Text = r.optional("text")
	case Observe, SubagentStart, SubagentStop, Settings:
	}
	return r.closed(h)
}

// genericAnswer is what such a program reads. It must take any other decision than "allow" as a
// refusal.
type genericAnswer struct {
	Decision string          `json:"decision"`
	Reason   string          `json:"reason,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"` // replaces the whole input
}

// Encode writes the answer to event. To leave a call to such a program is to allow it: it
// has nobody else to ask.
func (generic) Encode(event string, _ json.RawMessage, a Answer) []byte {
	if genericEvents[event] != Gate {
		return []byte(nothing)
	}
	if a = settled(a, anyInput); a.Verdict == Deny {
		return oneLine(genericAnswer{Decision: "deny", Reason: a.Reason})
	}
	return oneLine(genericAnswer{Decision: "allow", Input: a.UpdatedInput})
}

// isGeneric knows what docs/generic.md asks for. hook_event_name is what agents send that copied
// Claude Code.
func isGeneric(has map[string]bool, _ map[string]string) bool {
	return has["event"] && has["session"] && !has["hook_event_name"]
}
