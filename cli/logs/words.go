package logs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/tui/figures"
)

// killWords is what an event tells of a kill, "" for other events and for data that cannot
// be read. Survivors and what was left unfinished are always said: they may still run.
func killWords(e broker.Event) string {
	var d broker.KilledData
	if e.Type != broker.EventKillRequested && e.Type != broker.EventSessionKilled || json.Unmarshal(e.Data, &d) != nil {
		return ""
	}
	by := ", by " + show.Actor(d.By, nil)
	if e.Type == broker.EventKillRequested {
		return figures.Plural(len(d.Processes)+d.More, "process") + " found" + by
	}
	text := figures.Plural(d.Ended, "process") + " ended"
	if d.Survivors > 0 {
		text += fmt.Sprintf(", %d still run", d.Survivors)
	}
	if d.Unfinished != "" {
		text += ", and there may be more: " + d.Unfinished
	}
	return text + by
}

// limitWords is what an event tells of calls that were too many, "" for other events.
// Refused calls are gathered into one event, so it says how many there were and since when.
func limitWords(e broker.Event) string {
	var d broker.CallsRefusedData
	if e.Type != broker.EventCallsRefused || json.Unmarshal(e.Data, &d) != nil {
		return ""
	}
	text := figures.Plural(d.Count, "call") + ": " + d.Why
	if d.Total > d.Count {
		text += fmt.Sprintf(" (%d since %s)", d.Total, d.Since.Local().Format(time.TimeOnly))
	}
	return text
}

// runWords is what an event tells of a managed session's start and of its messages, "" for
// other events. The environment and the runner's own file are left to --json.
func runWords(e broker.Event) string {
	var d struct {
		Agent    string `json:"agent"`
		CWD      string `json:"cwd"`
		Prompt   string `json:"prompt"`
		Resumed  bool   `json:"resumed"`
		Detached bool   `json:"detached"`
	}
	switch {
	case e.Type == broker.EventMessageSent:
		return "its agent has the message"
	case e.Type != broker.EventRunStarted || json.Unmarshal(e.Data, &d) != nil:
		return ""
	}
	text := d.Agent + " started"
	if d.Resumed {
		text = d.Agent + " resumed"
	}
	if d.Detached {
		text += " in the background"
	}
	if text += " in " + d.CWD; d.Prompt != "" {
		text += `: "` + d.Prompt + `"`
	}
	return text
}

// fleetWords is what an event tells of an order that came over the fleet, "" for other events.
func fleetWords(e broker.Event) string {
	var d struct {
		Name   string `json:"name"`
		Role   string `json:"role"`
		Method string `json:"method"`
		Failed string `json:"failed"`
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return ""
	}
	switch {
	case e.Type == broker.EventFleetOrder:
		return fmt.Sprintf("%s of %s (%s)", d.Method, d.Name, d.Role)
	case e.Type == broker.EventFleetAnswered && d.Failed != "":
		return "not done: " + d.Failed
	case e.Type == broker.EventFleetAnswered:
		return "done"
	}
	return ""
}
