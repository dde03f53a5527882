package feed

import (
	"encoding/json"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

// Names of events in a stream that are not those of the log. Front ends for other brokers of this
// kind know them. Every other event keeps its type as its name. docs/api.md has the same table.
const (
	ApprovalRequested = "approval-requested" // request_created
	QuestionRequested = "question-requested" // request_created, of a tool that asks the user something
	ApprovalCancelled = "approval-cancelled" // request_decided, as cancelled: nobody waits for an answer any more
	ApprovalResolved  = "approval-resolved"  // request_decided, with any other end
	MessageQueued     = "message-queued"     // message_queued
	MessageSent       = "message-sent"       // message_sent

	// EventsArchived is no event of the log: what the reader asked for was moved to an archive. Its
	// data has the first and the last number of that stretch.
	EventsArchived = "events-archived"
)

// NameOf is what e is called in a stream.
func NameOf(e broker.Event) string {
	switch e.Type {
	case broker.EventRequestCreated:
		var d broker.CreatedData
		_ = json.Unmarshal(e.Data, &d) // without a tool it is no question
		if broker.DialogOf(broker.Request{Agent: d.Agent, ToolName: d.ToolName}) == agents.AskUserQuestion {
			return QuestionRequested
		}
		return ApprovalRequested
	case broker.EventRequestDecided:
		var d struct{ Status broker.State }
		if json.Unmarshal(e.Data, &d) == nil && d.Status == broker.Cancelled {
			return ApprovalCancelled
		}
		return ApprovalResolved
	case broker.EventMessageQueued:
		return MessageQueued
	case broker.EventMessageSent:
		return MessageSent
	}
	return e.Type
}
