// Package agents translates between each coding agent's hook JSON and the
// broker's words. It is pure: bytes in, values out, no I/O.
package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
)

// Kind says what a hook event wants from the broker.
type Kind int

// The kinds of event.
const (
	Observe      Kind = iota // told for information; answered at once
	Gate                     // a call that must not run before it is allowed
	SessionStart             //
	SessionEnd               //
	Prompt                   // the user spoke: a new turn begins
	TurnEnd                  // the agent finished its turn
	ToolDone                 // a call ran to its end, well or badly
	SubagentStart
	SubagentStop
	Notify
	Settings // the agent is about to read a settings file anew; refused unless it leaves the gate as it is
)

// Hook is one decoded hook payload. Strings are the agent's and untrusted.
type Hook struct {
	Agent     string // "claude"
	Event     string // the agent's own name for it: "PreToolUse"
	Kind      Kind
	SessionID string
	CWD       string
	Mode      string // permission mode, the agent's own word; may be empty

	SubagentID   string // set inside a sub-agent, and on SubagentStart/Stop
	SubagentType string

	ToolName    string          // Gate, ToolDone
	ToolInput   json.RawMessage // Gate, ToolDone: the very bytes, one JSON object
	ToolUseID   string          // may be empty: not every event has one
	Description string          // the agent's own words about the call; may be empty
	Suggestions []Suggestion    // Gate: rules that the agent suggests for calls like it; bounded, may be empty
	Slash       *Slash          // Gate: the call is a custom command that the user typed; nil for any other
	Second      bool            // Gate: asked after the event that Traits.Gate names, for the same call, without its id

	Failed   bool            // ToolDone: the call failed or was interrupted; TurnEnd: the turn failed
	Result   json.RawMessage // ToolDone: what the tool gave back, any JSON value; the agent's own shape. May be nil
	Duration time.Duration   // ToolDone: how long it ran, 0 when the agent does not tell

	Transcript string // where the agent writes the session's transcript down; may be empty
	Text       string // Prompt: what the user said; Notify: the message; SessionEnd, SessionStart, Settings: the reason or source; TurnEnd, SubagentStop: last message; of a turn that failed, what the agent says of that
	Title      string // the session's title when the agent told one
	File       string // Settings: the file that changed, as the agent names it; may be empty
	Note       string // Notify: the notification's type
	Unknown    bool   // Observe: the dialect does not know the event
	Headless   bool   // no user sits before the agent; only of agents with Traits.Defer
	FromApp    bool   // Prompt: not typed by the user but made by the agent itself (such as a background task's report)
}

// Answer is what the broker wants said.
type Answer struct {
	Verdict      Verdict
	Reason       string          // never empty for Deny; the model reads it
	UpdatedInput json.RawMessage // Allow only: replaces the whole input
	StopTurn     bool            // end the agent's turn as well
	Tool         string          // the agent's own name for the tool of the call that is answered; empty for other events
}

// Verdict of an Answer.
type Verdict int

// The verdicts. The zero value says nothing and leaves the agent to itself, so it
// is only right for events that are not gates.
const (
	NoOpinion Verdict = iota
	Allow
	Deny
	Defer // put the call off: the agent's process ends cleanly and asks again when it is resumed; only with Traits.Defer, in a session without a user
	Leave // say on purpose that the agent is to decide by itself; only for calls that the operator merely observes
)

// Traits say what an agent's gate tells and what it can be told. The broker says
// nothing to an agent that it cannot take.
type Traits struct {
	Title     string // as its makers write it: "Claude Code"
	Gate      string // the event by which a call is asked for before anything else has decided it
	Ask       bool   // it can be told to ask its own user
	Edit      bool   // an allowed call's input can be replaced
	StopTurn  bool   // a refusal can end the turn; otherwise a stop refuses this and every later call
	Answers   bool   // a question to the user can be answered by its input
	Context   bool   // an answer can hold text for the model
	AllowWins bool   // an allow beats what its user refuses in its own settings
	CallID    bool   // a call has an id, which its report has too
	Subagents bool   // it tells which sub-agent asks
	Defer     bool   // a call can be put off in a session without a user

	// OneIDSpace says that no two calls of a session have the same id, whoever makes them,
	// and that a call's report may name another sub-agent than the one that asked.
	OneIDSpace bool

	// CallFolder says that the folder that comes with a call is where it runs, as the model
	// chose, and not the session's.
	CallFolder bool

	// OneServer says that sessions in several terminals share one process, which was started
	// in one of them.
	OneServer bool

	// TriesAgain says that a turn which failed may go on: an end that is told after that is a
	// good one.
	TriesAgain bool
}

// TraitsOf are those of an agent's dialect. Callers of the plain API have no dialect:
// they are told everything, in the API's own words.
func TraitsOf(agent string) Traits {
	if d, ok := dialects[agent]; ok {
		return d.Traits()
	}
	return Traits{Title: agent, Edit: true, Answers: true, CallID: true}
}

// Dialect reads and writes one agent's hook JSON.
type Dialect interface {
	Name() string
	Traits() Traits
	// Common puts a call into the words that all agents share; see the function Common.
	Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool)
	// Decode reads one payload. An error wraps ErrPayload and names the field.
	Decode(payload []byte) (Hook, error)
	// Encode writes the answer to event (Hook.Event) with the call's input as it
	// was asked: one JSON object on one line, ending in "}\n".
	Encode(event string, input json.RawMessage, a Answer) []byte
}

// ErrPayload marks a payload that cannot be read; its text names the field.
var ErrPayload = errors.New("unreadable hook payload")

// ErrUnknownAgent marks an agent name that no dialect has.
var ErrUnknownAgent = errors.New("unknown agent")

var dialects = map[string]Dialect{}

// For returns the dialect called name, or an error that lists the known ones.
func For(name string) (Dialect, error) {
	if d, ok := dialects[name]; ok {
		return d, nil
	}
	return nil, fmt.Errorf("%w %q (known: %s)", ErrUnknownAgent, name, strings.Join(Names(), ", "))
}

// Names lists the known agents in alphabetical order.
func Names() []string {
	names := make([]string, 0, len(dialects))
	for n := range dialects {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
