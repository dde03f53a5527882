// Package agents translates between the hook JSON of each coding agent and the broker's own
// words. It is pure: bytes in, values out, no I/O and no state.
//
// Three types carry everything; read them in this order. A Hook is what a payload says: which
// session, what kind of event, for a gate which tool with which input. An Answer is what the
// broker wants said to it. A Dialect turns one agent's payload into a Hook and an Answer into
// that agent's JSON.
//
// On its way in, a payload passes through Recognise, which finds out which agent sent it (some
// run the hooks of others), For, which returns that agent's dialect, and Decode. Rules and risk
// then ask Common for the call in words that all agents share, so that they need to know one
// name for a shell, a file or a folder. On its way out the answer passes through Encode. Beside
// that, ReadTranscript reads the files in which agents write their sessions down, and
// ResultText what their tools gave back.
//
// Each dialect is a file named after its agent and registers itself there. What several agents
// share lies in payload.go and flat.go. All fields are read by one strict reader (reader.go),
// and what it cannot read is an ErrPayload, which refuses the call: nothing is guessed.
//
// An answer that allows must hold the very bytes that were asked or the whole input that
// replaces them. A dialect whose agent would not take a changed input says so (Takes, Edits),
// and the broker then does not offer to change it. Facts about an agent that are no matter of
// JSON (its programs, variables and traits) stand on its page in hookclient/profile.
//
// The packages hooks and api use it to talk to agents, the domain to compare calls, story and
// the screen to show what was said.
package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/profile"
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

// Hook is one decoded hook payload. Strings are the agent's and untrusted. Which fields are set
// depends on Kind; the comments name the kinds. A field that the agent did not send is its zero
// value, which is never an error of its own: a field that must be there and is not makes Decode
// fail.
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

// Answer is what the broker wants said. The zero Answer says nothing and is right for every event
// that is no gate. Encode of a gate makes a refusal of it.
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
	Ask   // have the agent's own prompt ask its user; only with Traits.Ask
	Leave // say on purpose that the agent is to decide by itself; only for calls that the operator merely observes
)

// Traits say what an agent's gate tells and what it can be told; they stand on its page.
type Traits = profile.Traits

// TraitsOf are those of an agent. Callers of the plain API have no dialect: they are told
// everything, in the API's own words. A name that nobody knows is a program of the plain API.
func TraitsOf(agent string) Traits {
	if agent == genericName {
		return genericTraits
	}
	if p := profile.Of(agent); p.Name != "" {
		return p.Traits
	}
	return Traits{Title: agent, Edit: true, Answers: true, CallID: true}
}

// Dialect reads and writes one agent's hook JSON.
type Dialect interface {
	// Name is the word in the hook's command line and in Session.Agent. It never changes: it
	// stands in recorded sessions.
	Name() string
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

// dialects has the dialects by their names. It is filled by the init functions of the dialects'
// files and only read afterwards, so no lock guards it.
var dialects = map[string]Dialect{}

// about is what is known of a dialect beside how it reads and writes.
type about struct {
	// sent reports whether a payload is one of this agent's, by the names of its fields and by
	// the tell-tale variables of the hook's process.
	sent func(has map[string]bool, env map[string]string) bool
	// dialogs are the tools by which the agent puts something to its user, under its own
	// names, with inputs of their own shapes. They are known here, whatever the dialect
	// translates, so that no rule takes one for something that it may allow.
	dialogs map[string]string
	// startsIn is the parameter in which its command tool takes the folder that the line
	// starts in; "" for none.
	startsIn string
}

// known has the same names as dialects, filled at the same time.
var known = map[string]about{}

// register makes a dialect known; each has a file of its own, which calls it.
func register(d Dialect, a about) { dialects[d.Name()], known[d.Name()] = d, a }

// For returns the dialect called name, or an error that lists the known ones. Names are compared
// exactly. The error wraps ErrUnknownAgent.
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
