package broker

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

// State is where a request stands. Every state but Pending is terminal.
type State string

// The states of a request.
const (
	Pending   State = "pending"   // waiting for an answer
	Allowed   State = "allowed"   // may run, once
	Denied    State = "denied"    // must not run
	Expired   State = "expired"   // nobody answered before the deadline; the agent was told no
	Cancelled State = "cancelled" // the asker went away before the answer
	Answered  State = "answered"  // settled in the agent's own terminal
)

// Terminal reports whether s can no longer change. The zero State is not terminal: a request that
// was not filled in must not pass for one that ended.
func (s State) Terminal() bool { return s != Pending && s != "" }

// Valid reports whether s is one of the named states.
func (s State) Valid() bool {
	switch s {
	case Pending, Allowed, Denied, Expired, Cancelled, Answered:
		return true
	}
	return false
}

// Verdict is what a decider wants.
type Verdict string

// The verdicts. The zero Verdict is not a decision and is refused.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
	Ask   Verdict = "ask"   // leave the call to its agent's own prompt; only where that holds it, see MayAsk
	Defer Verdict = "defer" // what to do when nobody answers in time; see engine.PutOff
)

// ActorKind names who or what ended a request or asked for a stop.
type ActorKind string

// The kinds of actor.
const (
	ByOperator ActorKind = "operator" // a person at the console's keyboard, or a program with their token
	ByProcess  ActorKind = "process"  // a process of the same user, over the socket; it can only refuse
	ByRule     ActorKind = "rule"     // a rule; ID names it
	ByDeadline ActorKind = "deadline" // time ran out
	ByStop     ActorKind = "stop"     // the session is being stopped
	ByFreeze   ActorKind = "freeze"   // everything is held
	ByAgent    ActorKind = "agent"    // the agent's own terminal, or the asker leaving
	ByBroker   ActorKind = "broker"   // the broker itself, because something failed
	ByObserve  ActorKind = "observe"  // nothing is held: the agent was left to itself
)

// Actor is who did something, as far as the machine can tell.
type Actor struct {
	Kind ActorKind `json:"kind"`
	ID   string    `json:"id,omitempty"`  // the rule's id for ByRule, "token:" and its id for a token, see ConsoleID, ResumeKeyID, otherwise empty
	PID  int       `json:"pid,omitempty"` // the process that decided, 0 when there is none
	Exe  string    `json:"exe,omitempty"` // its executable's path
	TTY  string    `json:"tty,omitempty"` // its controlling terminal
}

// ConsoleID is the id of an operator at a console in another process: the key that it has, and what
// that is called.
func ConsoleID(key, label string) string { return consolePrefix + key + "/" + label }

// FleetID is the id of an operator of a fleet, who is at another machine: the member's id, and their
// name.
func FleetID(member, name string) string { return fleetPrefix + member + "/" + name }

const (
	consolePrefix = "console:"
	fleetPrefix   = "fleet:"
)

// You is who sits at a console, in the words of all screens: each of them is the same person's, but
// those of a fleet, who have names. It may hold foreign text.
func (a Actor) You() string {
	if key, ok := strings.CutPrefix(a.ID, consolePrefix); ok {
		_, label, _ := strings.Cut(key, "/")
		return "you, at " + label
	}
	if member, ok := strings.CutPrefix(a.ID, fleetPrefix); ok {
		_, name, _ := strings.Cut(member, "/")
		return name
	}
	return "you"
}

// Fleet is the member of a fleet that a is; "" for everybody else.
func (a Actor) Fleet() string { return a.of(fleetPrefix) }

// Console is the id of the key that the console of a has; "" where a is at none, or at the broker's own.
func (a Actor) Console() string { return a.of(consolePrefix) }

// of is what stands in a's id between a prefix and the name behind it.
func (a Actor) of(prefix string) string {
	rest, ok := strings.CutPrefix(a.ID, prefix)
	if a.Kind != ByOperator || !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// Token is the id of the operator token that a did it with; "" for a person at the keys.
func (a Actor) Token() string {
	id, _ := strings.CutPrefix(a.ID, TokenActorPrefix)
	if a.Kind != ByOperator || id == a.ID {
		return ""
	}
	return id
}

// Program is what people call the process that did something. A command of aoctl has ended by the
// time that anybody reads of it, so its number tells nothing. The text is foreign.
func (a Actor) Program() string {
	switch name := filepath.Base(a.Exe); {
	case a.Exe == "":
		return fmt.Sprintf("process %d", a.PID)
	case name == "aoctl":
		return "an aoctl command"
	default:
		return fmt.Sprintf("%s (process %d)", Clip(name), a.PID)
	}
}

// TokenActorPrefix is how the id of an actor with a token begins.
const TokenActorPrefix = "token:"

// OnceTokenID is the id of every token that is good for one call alone; see package once.
const OnceTokenID = "once"

// Once reports whether a did it with a token that was good for one call alone.
func (a Actor) Once() bool { return a.Token() == OnceTokenID }

// ResumeKeyID is the id of an operator who resumes a session at a terminal, after they opened it for
// that with a key in the console.
const ResumeKeyID = "key:R"

// Process names one run of a program: a pid can be used again, a pid with its
// start time cannot.
type Process struct {
	PID   int    `json:"pid,omitempty"`
	Start uint64 `json:"start,omitempty"` // opaque start mark of the platform; 0 when unknown
}

// Request is one tool call that waits, or waited, for an answer.
//
// The stored request is the authority for tool, input and session: nothing that
// a client echoes later is used.
type Request struct {
	ID           string          `json:"id"`              // UUIDv7, or the caller's own request_id
	Key          string          `json:"-" cbor:"key"`    // correlation: same key and digest is the same request
	SessionID    string          `json:"session_id"`      //
	Agent        string          `json:"agent"`           // "claude", or what an API caller said
	Event        string          `json:"event,omitempty"` // the agent's own event name; empty for the API
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	SubagentID   string          `json:"subagent_id,omitempty"` // empty for the session's main agent
	SubagentType string          `json:"subagent_type,omitempty"`
	ToolName     string          `json:"tool_name"`
	ToolInput    json.RawMessage `json:"tool_input"` // the very bytes the agent sent
	CWD          string          `json:"cwd,omitempty"`
	Mode         string          `json:"permission_mode,omitempty"`
	Description  string          `json:"description,omitempty"` // the agent's own words; never trusted
	Digest       string          `json:"digest"`                // hex SHA-256, see Digest
	Asker        Process         `json:"asker,omitzero"`        // the waiting hook client
	CreatedAt    time.Time       `json:"created_at"`
	ExpiresAt    time.Time       `json:"expires_at"` // as it was asked, unless ExtendedAt is set
	State        State           `json:"status"`
	Outcome      *Outcome        `json:"outcome,omitempty"` // nil exactly while pending

	Annotations
}

// Annotations are what is known of a request beside its own record: some of it is worked out anew
// each time, the rest stands in the log or in a row of its own. No seal of the request covers it.
type Annotations struct {
	// Assessment is what the rules said of the call, and its risk. It is worked out
	// when the call is asked and not stored; nil for requests read from the store.
	Assessment *rules.Assessment `json:"assessment,omitempty"`

	// Checkpoint is set while the call is put off, and until its answer was given.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
	// Held says why nothing decides the call now, not even a rule: a freeze. Not stored.
	Held string `json:"held,omitempty"`
	// Deferrable says that the agent can be told that the call is put off. Not stored.
	Deferrable bool `json:"deferrable,omitempty"`

	// ExtendedAt is when the operator last gave the call more time, up to ExpiresAt. The log has it.
	ExtendedAt time.Time `json:"extended_at,omitzero"`
	// MayWaitUntil is up to when the asker would wait for an answer. ExpiresAt never moves past
	// it. Zero while that is not known. Not stored.
	MayWaitUntil time.Time `json:"may_wait_until,omitzero"`

	// OnceToken says that a token for this call alone was handed out, and that it is still good. Not stored.
	OnceToken bool `json:"once_token,omitempty"`

	// Suggestions are rules that the agent suggests for calls like this one, in its own words;
	// policy.Policy.Offer has those that are fit to be one. Not stored.
	Suggestions []agents.Suggestion `json:"suggestions,omitempty"`

	// Alarm is set when what ran was not what was allowed. Not part of the record.
	Alarm *Alarm `json:"alarm,omitempty"`

	// Unheard says that the call was allowed and nobody was waiting for the answer any more.
	// Not part of the record: the log has it.
	Unheard bool `json:"unheard,omitempty"`

	// Danger is why the call was dangerous when it was decided, "" when it was not or nobody knows.
	// Not part of the record: the log has it.
	Danger string `json:"danger,omitempty"`

	// Unrecorded says that the call's end holds but could not be recorded yet, as when the disk is
	// full: after a crash the call may wait again. Not stored.
	Unrecorded bool `json:"unrecorded,omitempty"`

	// Legible says that the command line of the call was read elsewhere without harm, so
	// that the screen may parse it for its colours. Not stored.
	Legible bool `json:"-" cbor:"legible"`
}

// Call is r's tool and input in the words that all agents share, which rules, risk and
// the screen know.
func (r Request) Call() (tool string, input json.RawMessage) {
	tool, input, _ = agents.Common(r.Agent, r.ToolName, r.ToolInput)
	return tool, input
}

// DangerKnown is why the call is dangerous, or was when it was decided; "" when it was not or nobody
// knows. It may hold the agent's words.
func (r Request) DangerKnown() string {
	if a := r.Assessment; a != nil && a.Class >= risk.Dangerous {
		return cmp.Or(a.Why, a.Class.String())
	}
	return r.Danger
}

// Vouched reports whether r's dialect vouches for what its tool does, in a question that
// the agent asks before its user's own rules have spoken: where it asks only what those
// leave open, they come before ours. The built-in rule for reading may speak only then. A program
// of the plain API can call its tool "Read" and do anything.
func (r Request) Vouched() bool {
	if r.Event == "" || r.Event != agents.TraitsOf(r.Agent).Gate {
		return false
	}
	_, _, known := agents.Common(r.Agent, r.ToolName, r.ToolInput)
	return known
}

// Outcome is how a request ended.
type Outcome struct {
	State        State           `json:"status"`
	By           Actor           `json:"by"`
	Reason       string          `json:"reason,omitempty"`        // what the agent is told
	UpdatedInput json.RawMessage `json:"updated_input,omitempty"` // replaces the whole input of an allowed call
	At           time.Time       `json:"decided_at"`
}

// Decision is what a decider hands to calls.Calls.Decide.
type Decision struct {
	Verdict      Verdict
	By           Actor
	Reason       string
	UpdatedInput json.RawMessage // Allow only: runs in place of what was asked; see calls.Calls.AssessEdited
	Digest       string          // of the call that was shown; Decide refuses another one. Empty skips the check
	Seal         string          // of UpdatedInput as AssessEdited showed it; Decide refuses when its files changed. Empty skips the check
	End          bool            // Deny only: the session of a call that was put off is not resumed to hear of it
	Dangerous    bool            // it is known that the call is dangerous with UpdatedInput
}

// OwnKey is the Key of a call that goes by its id alone: one of the plain API.
func OwnKey(id string) string { return "id:" + id }

// Digest is the SHA-256 of tool name, raw input and working directory, each with
// its length before it so that no two calls share the bytes. Hex, 64 characters. Without the
// lengths "ab" and "c" would hash like "a" and "bc", and a rule or grant for one call could cover
// another.
func Digest(tool string, input []byte, cwd string) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(tool), input, []byte(cwd)} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Grant lets one later call with exactly this digest pass without a question: it
// is what allowing a late card leaves behind. It is used at most once.
type Grant struct {
	ID         string    `json:"id"`
	SessionID  string    `json:"session_id"`
	SubagentID string    `json:"subagent_id,omitempty"`
	Digest     string    `json:"digest"`
	RequestID  string    `json:"request_id"` // the late request that was allowed
	By         Actor     `json:"by"`
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
	UsedBy     string    `json:"used_by,omitempty"` // id of the request that used it
}

// WithdrawnID is the ID of the actor ByAgent that took its question back. Such a call is
// never late: nobody wants to make it any more, so nothing is left to allow.
const WithdrawnID = "withdrawn"

// InterruptedID is the ID of the actor ByAgent that took its question back because somebody had its
// turn ended; the reason says who. It is withdrawn as well.
const InterruptedID = "interrupted"

// ReasonWithdrawn is the reason of a call that was taken back without one.
const ReasonWithdrawn = "the program that asked took its question back"

// Withdrawn reports whether the call's asker took it back.
func (o Outcome) Withdrawn() bool {
	return o.State == Cancelled && o.By.Kind == ByAgent && o.By.ID == WithdrawnID || o.Interrupted()
}

// Interrupted reports whether the call's asker took it back because somebody had its turn ended.
func (o Outcome) Interrupted() bool {
	return o.State == Cancelled && o.By.Kind == ByAgent && o.By.ID == InterruptedID
}

// Unanswered reports whether the call ended because nobody answered in time, or its asker was gone.
func (o Outcome) Unanswered() bool {
	return o.State == Expired || o.State == Cancelled && o.By.Kind == ByAgent && !o.Withdrawn()
}

// LetsRun reports whether r's end lets the call run. A call that was left to its agent's own
// terminal is not among them: nobody here has let it run.
func LetsRun(r Request) bool {
	return r.State == Allowed || r.Outcome != nil && r.Outcome.LetsRun()
}

// LetsRun reports whether the call may run after this end, unless its agent's own prompt says no.
func (o Outcome) LetsRun() bool {
	return o.State == Allowed || o.State == Answered && o.By.Kind == ByObserve || o.HandedOver()
}

// HandedOver reports whether the call was left to its agent's own prompt: by the operator, or because
// nobody answered in time.
func (o Outcome) HandedOver() bool {
	return o.State == Answered && (o.By.Kind == ByOperator || o.By.Kind == ByDeadline)
}

// MayAsk reports whether the call of r can be left to its agent's own prompt: one that comes in every
// mode, and that refuses where there is nobody to ask.
func MayAsk(r Request) bool {
	return !r.NeedsTwo() && agents.TraitsOf(r.Agent).Ask && r.Event != "" && r.Event == GateOf(r.Agent)
}

// KeptBack is r as its asker is told of it while its answer is withheld. The row on record is
// untouched. Once the freeze is lifted the asker hears the real answer.
func KeptBack(r Request) Request {
	r.State, r.Outcome, r.Held, r.Checkpoint = Pending, nil, HeldByAll, nil
	return r
}
