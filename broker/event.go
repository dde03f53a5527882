package broker

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// The types of event in the log. The first six are also what POST /events takes.
const (
	EventSessionStart = "session_start"
	EventSessionStop  = "session_stop" // data: exit_code, reason
	EventMessage      = "message"
	EventUser         = "user" // data: UserData
	EventPreTool      = "pre_tool"
	EventPostTool     = "post_tool" // data: RanData, of a hook

	EventRequestCreated  = "request_created"  // data: tool_name, digest, agent, subagent
	EventRequestDecided  = "request_decided"  // data: DecidedData
	EventDecisionRefused = "decision_refused" // data: RefusedData; somebody tried to decide what they may not
	EventAccessRefused   = "access_refused"   // data: RefusedData; somebody was turned away altogether
	EventAnswerWithheld  = "answer_withheld"  // data: recorded, told; the record turned out to be made after the agent was refused
	EventAnsweredAgain   = "answered_again"   // data: AnsweredAgainData; an allowed call was asked again and got its answer
	EventUnheard         = "answer_unheard"   // data: UnheardData; a call was allowed, and nobody was waiting for the answer any more
	EventStopRequested   = "stop_requested"
	EventKillRequested   = "kill_requested" // data: KilledData, before anything is touched
	EventSessionKilled   = "session_killed" // data: KilledData
	EventStopLifted      = "stop_lifted"
	EventSessionEnd      = "session_end" // the process of an already stopped session ended
	EventSubagentStart   = "subagent_start"
	EventSubagentStop    = "subagent_stop"
	EventNotification    = "notification"
	EventTurnEnd         = "turn_end"
	EventUnknown         = "unknown_event" // data: event, the agent's name for it; a hook told something that aoctl does not know
	EventGrantCreated    = "grant_created"
	EventGrantUsed       = "grant_used"
	EventCallsRefused    = "calls_refused"  // data: CallsRefusedData; many calls that have no row of their own
	EventTakenUp         = "calls_taken_up" // data: TakenUpData; a console began with calls that an earlier one left waiting
	EventRanOtherwise    = "ran_otherwise"  // data: Alarm; in the log of its session
	EventAlarm           = "alarm"          // data: Alarm; the same in the console's
	EventAlarmSeen       = "alarm_seen"     // data: session_id, tool_use_id, kind, by
	EventSettings        = "settings_found" // data: SettingsFound; a settings file that switches hooks off, or may
	EventConsoleClosed   = "console_closed" // data: pending; a console ended in order and left calls waiting
	EventBrokerLeft      = "broker_left"    // data: to (a process of its own, or a console), by; the broker went on in another process
	EventRunStarted      = "run_started"    // data: wire.RunStart; a runner holds the session from now on
	EventRunNoted        = "run_noted"      // data: wire.RunReport; what a runner saw or did
	EventRunEnded        = "run_ended"      // data: wire.RunReport; the agent's process is over
	EventMessageQueued   = "message_queued" // data: Message
	EventMessageSent     = "message_sent"   // data: id; the agent has it
	EventMessageDropped  = "message_dropped"
	EventInterruptAsked  = "interrupt_requested"
	EventDeferred        = "request_deferred"     // data: CheckpointData
	EventExtended        = "request_extended"     // data: ExtendedData; the operator gave a call more time
	EventOnceMinted      = "once_token_minted"    // data: OnceMintedData; a token for this call alone is about to be handed out
	EventResumed         = "session_resumed"      // data: by; a resume was begun
	EventTakenUpAgain    = "request_taken_up"     // data: CheckpointData; the agent asked again for a call that was put off
	EventNotDeferred     = "request_not_deferred" // a call is not, or no longer, put off, and its agent was never told
	EventAllowedOnce     = "request_allowed_once" // data: AllowedData; one operator allowed a call that needs two: it waits for another one
	EventFleetOrder      = "fleet_order"          // data: orders.Taken; an order from another machine is about to be carried out
	EventFleetAnswered   = "fleet_order_answered" // data: link.AnsweredData; what came of it

	// Facts: they hold until a later one of the same subject. FactTypes lists them.
	EventRuleSaved      = "rule_saved"         // data: RuleSavedData
	EventRuleRemoved    = "rule_removed"       // data: RuleRemovedData
	EventFileTrusted    = "rules_file_trusted" // data: FileTrustedData; the digest "" takes the trust back
	EventTokenMinted    = "token_minted"       // data: TokenData
	EventTokenRevoked   = "token_revoked"      // data: TokenData, without hash
	EventFrozen         = "frozen"             // data: FrozenData; a session, or all of them, is held
	EventLogArchived    = "log_archived"       // data: LogArchivedData; older events are in an archive
	EventSessionChanged = "session_changed"    // data: SessionChangedData; a person named it, put it away or removed it
	EventObserve        = "observe"            // data: on, by; a session, or all of them, is only watched
)

// FactTypes are the types of event that hold until a later one changes them; Load
// hands them to a starting broker.
var FactTypes = []string{EventRuleSaved, EventRuleRemoved, EventFileTrusted, EventTokenMinted, EventTokenRevoked, EventFrozen, EventLogArchived}

// RuleSavedData is the data of an EventRuleSaved: the whole rule, without its uses.
type RuleSavedData struct {
	Rule rules.Rule `json:"rule"`
	By   Actor      `json:"by"`
}

// RuleRemovedData is the data of an EventRuleRemoved.
type RuleRemovedData struct {
	ID string `json:"id"`
	By Actor  `json:"by"`
}

// FileTrustedData is the data of an EventFileTrusted.
type FileTrustedData struct {
	Path   string `json:"path"`   // real path of a project's rules file
	Digest string `json:"digest"` // hex SHA-256 of the content that was trusted
	By     Actor  `json:"by"`
}

// TokenKind is what a token lets its holder do.
type TokenKind string

// The kinds of token.
const (
	OperatorToken TokenKind = "operator" // all that a person at the keyboard may, through the routes there are
	AskingToken   TokenKind = "ask"      // ask, and nothing else
	ConsoleKey    TokenKind = "console"  // be a console: the key of one in another process, and no token that can be sent
	FleetToken    TokenKind = "fleet"    // the fleet that this machine is in: its people give orders here, and nothing can be sent
)

// TokenData is the data of an EventTokenMinted and EventTokenRevoked.
type TokenData struct {
	ID    string    `json:"id"`
	Kind  TokenKind `json:"kind,omitempty"` // empty in older logs: an operator's
	Hash  string    `json:"hash,omitempty"` // hex SHA-256 of the token, or of a console's public key
	Label string    `json:"label,omitempty"`
	By    Actor     `json:"by"`
	Fleet []byte    `json:"fleet,omitempty"` // of a FleetToken: who is in it and where its servers are; see link.Membership
}

// KindOrOperator is what the token lets its holder do: in older logs, which do not say, all of it.
func (d TokenData) KindOrOperator() TokenKind { return cmp.Or(d.Kind, OperatorToken) }

// HashToken is what is kept of a token. A token has more than enough random bits, so a plain hash
// keeps it: there is nothing to guess.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// AnsweredAgainData is the data of an EventAnsweredAgain.
type AnsweredAgainData struct {
	ToolUseID string `json:"tool_use_id,omitempty"`
	PID       int    `json:"pid,omitempty"` // of the process that asked again, 0 when it is not known
}

// CallsRefusedData is the data of an EventCallsRefused. One such row stands for many calls, so
// that a program that asks without end cannot fill the disk with its refusals.
type CallsRefusedData struct {
	Why   string    `json:"why"`
	Count int       `json:"count"` // calls since the last such event of the same flood
	Total int       `json:"total"` // calls since it began
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// FrozenData is the data of an EventFrozen.
type FrozenData struct {
	Session string `json:"session,omitempty"` // "" for all
	On      bool   `json:"on"`
	By      Actor  `json:"by"`
}

// SessionChangedData is the data of an EventSessionChanged.
type SessionChangedData struct {
	SessionChange
	By Actor `json:"by"`
}

// LogArchivedData is the data of an EventLogArchived: the calls and events of one stretch of
// the log were moved to a file. Only the store writes it.
type LogArchivedData struct {
	From     int64            `json:"from"`           // the first event in the file
	To       int64            `json:"to"`             // the last one
	Hash     string           `json:"hash"`           // of event To, hex
	Facts    int64            `json:"facts"`          // how many facts there are up to event To
	Kept     string           `json:"kept"`           // hex SHA-256 over those events up to To that stay
	File     string           `json:"file"`           // absolute path
	Digest   string           `json:"digest"`         // hex SHA-256 of the file
	Calls    int64            `json:"calls"`          // in the file
	BeforeMS int64            `json:"before_ms"`      // what is older was moved: milliseconds since 1970 UTC
	Uses     map[string]int64 `json:"uses,omitempty"` // by rule id: calls in this and all earlier files that it decided
}

// TakenUpData is the data of an EventTakenUp.
type TakenUpData struct {
	Ends map[string]int `json:"unclean_ends"` // by request id: how many consoles ended without a word while it waited
}

// Event is one row of the append-only, hash-chained log.
type Event struct {
	Seq       int64           `json:"id"` // from 1, without gaps; filled in by Store.Record
	At        time.Time       `json:"at"`
	Type      string          `json:"event_type"`
	SessionID string          `json:"session_id,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"` // one JSON object or nothing
	Hash      string          `json:"hash"`           // hex; filled in by Store.Record
}

// CreatedData is the data of an EventRequestCreated.
type CreatedData struct {
	Agent      string `json:"agent"`
	Event      string `json:"event,omitempty"`
	ToolName   string `json:"tool_name"`
	Digest     string `json:"digest"`
	SubagentID string `json:"subagent_id,omitempty"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
}

// CreatedDataOf is what is told of r when it begins to wait. The input itself is in the request's
// row, and the digest here vouches for it.
func CreatedDataOf(r *Request) CreatedData {
	return CreatedData{r.Agent, r.Event, r.ToolName, r.Digest, r.SubagentID, r.ToolUseID}
}

// DecidedData is the data of an EventRequestDecided. The row in requests must say
// the same; Store refuses to hand out a decided request for which it does not.
type DecidedData struct {
	Status       State           `json:"status"`
	By           Actor           `json:"by"`
	Reason       string          `json:"reason,omitempty"`
	UpdatedInput json.RawMessage `json:"updated_input,omitempty"` // what ran in place of AskedInput
	ToolName     string          `json:"tool_name"`
	Digest       string          `json:"digest"`
	WaitedMS     int64           `json:"waited_ms"`
	Rules        []string        `json:"rules,omitempty"`  // ids of all the rules that spoke, where rules decided
	Danger       string          `json:"danger,omitempty"` // why the call was dangerous, as its card said; empty in older logs

	// Only of a call that was allowed with another input.
	AskedInput    json.RawMessage `json:"asked_input,omitempty"`
	UpdatedDigest string          `json:"updated_digest,omitempty"` // see Digest
	Difference    string          `json:"difference,omitempty"`     // unified, from what was asked to what ran; cut when it is very long
}

// DecidedDataOf is what is told of r when it ends with o, for which these rules spoke. Difference
// is the unified difference of two inputs; it may be nil. The difference is worked out here, at
// the moment of the decision, because it is for people who read the log later and have neither
// input in front of them.
func DecidedDataOf(r *Request, o Outcome, difference func(a, b json.RawMessage) string, rules []string) DecidedData {
	d := DecidedData{
		Status: o.State, By: o.By, Reason: o.Reason, UpdatedInput: o.UpdatedInput,
		ToolName: r.ToolName, Digest: r.Digest, WaitedMS: o.At.Sub(r.CreatedAt).Milliseconds(), Rules: rules,
		Danger: r.DangerKnown(),
	}
	if len(o.UpdatedInput) > 0 {
		d.UpdatedDigest, d.AskedInput = Digest(r.ToolName, o.UpdatedInput, r.CWD), r.ToolInput
		if difference != nil {
			d.Difference = Cut(difference(r.ToolInput, o.UpdatedInput), MaxDifference)
		}
	}
	return d
}

// OnceMintedData is the data of an EventOnceMinted. The token, and its hash, are nowhere on record.
type OnceMintedData struct {
	ToolName string `json:"tool_name"`
	Digest   string `json:"digest"`
}

// UnheardData is the data of an EventUnheard.
type UnheardData struct {
	ToolName string `json:"tool_name"`
	Digest   string `json:"digest"`
}
