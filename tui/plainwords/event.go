package plainwords

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
)

// told is what events that are about no call have in their data. Members that an event
// lacks are empty, and one that does not fit its type is as if it were not there.
type told struct {
	Agent     string       `json:"agent"`
	Source    string       `json:"source"`
	Reason    string       `json:"reason"`
	Text      string       `json:"text"`
	Message   string       `json:"message"`
	Kind      string       `json:"kind"`
	Result    string       `json:"result"`
	Error     string       `json:"error"`
	SubID     string       `json:"subagent_id"`
	SubType   string       `json:"subagent_type"`
	ExitCode  *int         `json:"exit_code"`
	Failed    bool         `json:"failed"`
	FromAgent bool         `json:"from_agent"`
	By        broker.Actor `json:"by"`
}

// Event says what an event tells that is about no call, on one line; false for events
// that it has no words for. The text may be "" although it has: some events say all by
// their kind. It may hold an agent's words, so the caller makes it safe.
func Event(e broker.Event) (string, bool) {
	var d told
	_ = json.Unmarshal(e.Data, &d) // what does not fit stays empty
	switch e.Type {
	case broker.EventUser:
		return quoted(Said(first(d.Text, d.Message))), true
	case broker.EventMessage, broker.EventNotification, broker.EventMessageQueued:
		return quoted(Said(first(d.Message, d.Text))), true
	case broker.EventTurnEnd:
		return d.turn(), true
	case broker.EventSessionStart:
		return strings.TrimSpace(d.Agent + " " + source(d.Source)), true
	case broker.EventSessionStop, broker.EventSessionEnd:
		return d.end(), true
	case broker.EventSubagentStart:
		return first(d.SubType, d.SubID), true
	case broker.EventSubagentStop:
		return strings.TrimSpace(first(d.SubType, d.SubID) + "  " + quoted(d.Text)), true
	case broker.EventStopRequested, broker.EventInterruptAsked, broker.EventResumed, broker.EventMessageDropped:
		return by(d.By), true
	case broker.EventSessionChanged:
		return changed(e.Data), true
	case broker.EventStopLifted:
		return "its user spoke", true
	case broker.EventRunNoted, broker.EventRunEnded:
		return d.run(), true
	}
	return "", false
}

// changed is what a person made of a session, and who.
func changed(data json.RawMessage) string {
	var d broker.SessionChangedData
	_ = json.Unmarshal(data, &d) // what does not fit stays empty
	words := "called as its agent calls it"
	switch {
	case d.Removed:
		words = "removed from the list"
	case d.Archived != nil && *d.Archived:
		words = "put away"
	case d.Archived != nil:
		words = "listed again"
	case d.Name != nil && *d.Name != "":
		words = "called " + quoted(*d.Name)
	}
	return strings.TrimSpace(words + "  " + by(d.By))
}

// first is the first text that is not empty.
func first(list ...string) string {
	for _, text := range list {
		if text != "" {
			return text
		}
	}
	return ""
}

// quoted puts an agent's own words between quotation marks; nothing stays nothing.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return `"` + text + `"`
}

// source is how a session began.
func source(word string) string {
	switch word {
	case "startup":
		return "began"
	case "resume":
		return "resumed"
	case "clear":
		return "began anew"
	case "compact":
		return "shortened what it remembers"
	}
	return word
}

// turn is how a turn ended: what the agent said last, or what went wrong.
func (d told) turn() string {
	if d.Failed {
		return strings.TrimSuffix("failed: "+Failure(first(d.Text, d.Error)), ": ")
	}
	return quoted(d.Text)
}

// end is how a session ended. One that was stopped may run on without a turn, and the
// code beside it is then aoctl's own and no program's.
func (d told) end() string {
	if d.Reason == broker.ReasonStopped {
		return "stopped on request"
	}
	words := Reason(d.Reason)
	// A code of 0 is what everybody expects.
	if d.ExitCode != nil && *d.ExitCode != 0 {
		words = strings.TrimPrefix(words+fmt.Sprintf(", exit code %d", *d.ExitCode), ", ")
	}
	return words
}

// kinds are reports of a runner that have no more to say.
var kinds = map[string]string{
	"agent": "the agent's process runs", "idle": "the turn is over", "done": "did what it was asked", "ended": "the agent's process is over",
}

// run is what a runner reports.
func (d told) run() string {
	if d.Error != "" {
		return Failure(d.Error)
	}
	words := first(d.Text, Reason(d.Result))
	if d.ExitCode != nil {
		words = strings.TrimPrefix(words+fmt.Sprintf(", exit code %d", *d.ExitCode), ", ")
	}
	return first(words, kinds[d.Kind], d.Kind)
}

// by names who did something; "" when nobody is named.
func by(a broker.Actor) string {
	switch {
	case a.Kind == "":
		return ""
	case a.Once():
		return "with a single-use token"
	case a.Token() != "":
		return "by your token"
	case a.Kind == broker.ByOperator:
		return "by " + a.You()
	case a.Kind == broker.ByAgent:
		return "by its agent"
	case a.ID != "":
		return "by " + string(a.Kind) + " " + a.ID
	case a.Kind == broker.ByProcess && a.PID > 0:
		return "by " + a.Program()
	}
	return "by " + string(a.Kind)
}
