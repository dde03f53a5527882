package broker

import (
	"encoding/json"
	"time"
)

// The types of event in the log. The first six are also what POST /events takes.
const (
	EventSessionStart = "session_start"
	EventSessionStop  = "session_stop" // data: exit_code, reason
	EventMessage      = "message"
	EventUser         = "user"
	EventPreTool      = "pre_tool"
	EventPostTool     = "post_tool"

	EventRequestCreated  = "request_created"  // data: tool_name, digest, agent, subagent
	EventRequestDecided  = "request_decided"  // data: DecidedData
	EventDecisionRefused = "decision_refused" // somebody tried what they may not
	EventAnswerWithheld  = "answer_withheld"  // data: recorded, told; the record turned out to be made after the agent was refused
	EventStopRequested   = "stop_requested"
	EventStopLifted      = "stop_lifted"
	EventSessionEnd      = "session_end" // the process of an already stopped session ended
	EventSubagentStart   = "subagent_start"
	EventSubagentStop    = "subagent_stop"
	EventNotification    = "notification"
	EventTurnEnd         = "turn_end"
	EventGrantCreated    = "grant_created"
	EventGrantUsed       = "grant_used"
)

// Event is one row of the append-only, hash-chained log.
type Event struct {
	Seq       int64           `json:"id"` // from 1, without gaps; filled in by Store.Commit
	At        time.Time       `json:"at"`
	Type      string          `json:"event_type"`
	SessionID string          `json:"session_id,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"` // one JSON object or nothing
	Hash      string          `json:"hash"`           // hex; filled in by Store.Commit
}

// DecidedData is the data of an EventRequestDecided. The row in requests must say
// the same; Store refuses to hand out a decided request for which it does not.
type DecidedData struct {
	Status       State           `json:"status"`
	By           Actor           `json:"by"`
	Reason       string          `json:"reason,omitempty"`
	UpdatedInput json.RawMessage `json:"updated_input,omitempty"`
	ToolName     string          `json:"tool_name"`
	Digest       string          `json:"digest"`
	WaitedMS     int64           `json:"waited_ms"`
}
