package logs

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/plainwords"
	"github.com/aoctl/aoctl/tui/safe"
)

// writer prints events.
type writer struct {
	reader   *store.Reader
	out      io.Writer
	json     output.Format
	sessions []broker.Session
	names    map[string]string // sessions' names by id
	calls    map[string]call   // by request id
	inWindow bool              // lines are cut, so what matters most comes first
}

// learnSessions reads what sessions are called.
func (w *writer) learnSessions(ctx context.Context) error {
	sessions, err := w.reader.Sessions(ctx, broker.SessionFilter{})
	if err != nil {
		return err
	}
	w.sessions, w.names = sessions, show.SessionNames(sessions)
	return nil
}

// call is what a request asked for, as its row says.
type call struct{ line, digest, agent string }

func callOf(r broker.Request) call {
	return call{line: show.Call(r), digest: broker.Digest(r.ToolName, r.ToolInput, r.CWD), agent: r.Agent}
}

// learnCalls reads what the calls of events asked for, those that are not known yet.
func (w *writer) learnCalls(ctx context.Context, events ...broker.Event) error {
	if w.calls == nil {
		w.calls = map[string]call{}
	}
	ids := make([]string, 0, len(events))
	for _, e := range events {
		if _, known := w.calls[e.RequestID]; !known && e.RequestID != "" {
			ids = append(ids, e.RequestID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	list, err := w.reader.Requests(ctx, broker.RequestFilter{IDs: ids, Limit: len(ids)})
	for _, r := range list {
		w.calls[r.ID] = callOf(r)
	}
	return err
}

// callFor is what request id asked for. The log vouches for the digest; a row that
// does not fit it is not shown as if it did.
func (w *writer) callFor(id, digest string) string {
	c := w.calls[id]
	if c.digest != digest {
		return "(its row was changed; see aoctl log verify)"
	}
	return c.line
}

// all prints events as one array or one table.
func (w *writer) all(ctx context.Context, events []broker.Event) error {
	if w.json.On() {
		return w.json.Print(w.out, events)
	}
	if len(events) == 0 {
		return show.Line(w.out, "No such events.")
	}
	if err := w.learnCalls(ctx, events...); err != nil {
		return err
	}
	width, _ := show.Terminal(w.out)
	out := bufio.NewWriter(w.out)
	for _, e := range events {
		_, _ = out.WriteString(w.line(e, width) + "\n") // Flush reports it
	}
	return out.Flush()
}

// one prints a single event at once.
func (w *writer) one(ctx context.Context, e broker.Event) error {
	if w.json.On() {
		return w.json.Print(w.out, e)
	}
	if _, known := w.names[e.SessionID]; !known && e.SessionID != "" {
		if err := w.learnSessions(ctx); err != nil {
			return err
		}
	}
	if err := w.learnCalls(ctx, e); err != nil {
		return err
	}
	width, _ := show.Terminal(w.out)
	return show.Line(w.out, w.line(e, width))
}

// The widths of a log line's columns, in cells. They are fixed because lines come
// one by one.
const (
	eventWidth   = 16
	sessionWidth = 16
	medium       = 100 // a window below this leaves out the year, and some of the names
	narrow       = 70  // one below this shows the time of day alone, and less of the names
)

const monthAndTime = "01-02 15:04:05"

// line is e for people. Width 0 is a pipe: tabs between the columns, and nothing is cut.
func (w *writer) line(e broker.Event, width int) string {
	name, known := w.names[e.SessionID]
	if !known {
		name = e.SessionID
	}
	w.inWindow = width > 0
	at, what := e.At.Local().Format(time.DateTime), safe.Line(w.what(e))
	if width == 0 {
		return strings.Join([]string{at, safe.Line(e.Type), safe.Line(name), what}, "\t")
	}
	events, sessions := eventWidth, sessionWidth
	switch {
	case width < narrow:
		at, events, sessions = e.At.Local().Format(time.TimeOnly), eventWidth/2, sessionWidth/2
	case width < medium:
		at, sessions = e.At.Local().Format(monthAndTime), sessionWidth*3/4
	}
	line := at + "  " + cell(e.Type, events) + "  " + cell(name, sessions) + "  " + what
	return safe.Cut(strings.TrimRight(line, " "), width)
}

// cell makes text safe and exactly n cells wide.
func cell(text string, n int) string {
	text = safe.Cut(safe.Line(text), n)
	return text + strings.Repeat(" ", n-safe.Width(text))
}

// what is the telling part of an event.
func (w *writer) what(e broker.Event) string {
	switch e.Type {
	case broker.EventRequestCreated:
		var d struct {
			ToolName string `json:"tool_name"`
			Digest   string `json:"digest"`
		}
		if json.Unmarshal(e.Data, &d) == nil {
			return strings.TrimSpace(d.ToolName + "  " + w.callFor(e.RequestID, d.Digest))
		}
	case broker.EventRequestDecided:
		var d broker.DecidedData
		if json.Unmarshal(e.Data, &d) == nil {
			return w.decided(e, d)
		}
	case broker.EventUnheard:
		var d broker.UnheardData
		if json.Unmarshal(e.Data, &d) == nil {
			return strings.TrimSpace("nobody was waiting any more for the answer that allows " + d.ToolName + "  " + w.callFor(e.RequestID, d.Digest))
		}
	case broker.EventDecisionRefused, broker.EventAccessRefused:
		var d broker.RefusedData
		if json.Unmarshal(e.Data, &d) == nil {
			return d.Sentence()
		}
	}
	if text := ranWords(e); text != "" {
		return text
	}
	if text := killWords(e); text != "" {
		return text
	}
	if text := limitWords(e); text != "" {
		return text
	}
	if text := factWords(e); text != "" {
		return text
	}
	if text, ok := plainwords.Event(e); ok {
		return text
	}
	if len(e.Data) == 0 || string(e.Data) == "{}" {
		return ""
	}
	return string(e.Data)
}

// factWords is what changed about the rules, "" for other events.
func factWords(e broker.Event) string {
	var d struct {
		broker.RuleSavedData
		broker.TakenUpData
		broker.Alarm

		Pending                 int
		ID, Path, Digest, Label string
		Kind                    broker.TokenKind
		On                      bool
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return ""
	}
	by := " by " + actorName(d.By)
	switch e.Type {
	case broker.EventRuleSaved:
		off := ""
		if !d.Rule.Enabled {
			off = ", off"
		}
		return fmt.Sprintf("%s  %s %s  (%s%s, version %d)%s", d.Rule.ID, d.Rule.Decision, show.Rule(d.Rule), show.Scope(d.Rule.Scope), off, d.Rule.Version, by)
	case broker.EventRuleRemoved, broker.EventTokenRevoked:
		return d.ID + by
	case broker.EventTokenMinted:
		return strings.TrimSpace(fmt.Sprintf("%s  %s  %s", d.ID, cmp.Or(d.Kind, broker.OperatorToken), d.Label)) + by
	case broker.EventFileTrusted:
		if d.Digest == "" {
			return d.Path + " is no longer trusted," + by
		}
		return fmt.Sprintf("%s as %.12s%s", d.Path, d.Digest, by)
	case broker.EventLogArchived:
		return archivedWords(e)
	case broker.EventRanOtherwise, broker.EventAlarm:
		return d.ToolName + " " + d.Words() + "  " + string(d.Ran)
	case broker.EventAlarmSeen:
		return "in " + d.SessionID + by
	case broker.EventTakenUp:
		return fmt.Sprintf("%d left waiting by an earlier console", len(d.Ends))
	case broker.EventConsoleClosed:
		return fmt.Sprintf("with %d calls left waiting", d.Pending)
	case broker.EventFrozen:
		who := cmp.Or(e.SessionID, "everything")
		if d.On {
			return who + " is frozen" + by
		}
		return who + " is no longer frozen" + by
	case broker.EventObserve:
		if d.On {
			return "on" + by
		}
		return "off" + by
	}
	return ""
}

// ranWords is how a call ended, "" for other events: what its tool gave back comes last,
// as its first line that says something.
func ranWords(e broker.Event) string {
	var d broker.RanData
	if e.Type != broker.EventPostTool || json.Unmarshal(e.Data, &d) != nil || d.Digest == "" {
		return ""
	}
	text := "ran"
	if d.Failed {
		text = "failed"
	}
	if took := d.Took(); took > 0 {
		text += " after " + took.Round(time.Millisecond).String()
	}
	text += "  " + d.ToolName
	first, _, more := strings.Cut(strings.TrimSpace(d.Output), "\n")
	switch {
	case first == "" && d.Missing() > 0:
		return text + fmt.Sprintf("  (%d bytes of output, not kept)", d.Missing())
	case more:
		first += " …"
	}
	return strings.TrimSpace(text + "  " + first)
}

// archivedWords is what was moved to an archive.
func archivedWords(e broker.Event) string {
	var d broker.LogArchivedData
	if json.Unmarshal(e.Data, &d) != nil {
		return ""
	}
	return fmt.Sprintf("events %d to %d are in %s", d.From, d.To, d.File)
}

func (w *writer) decided(e broker.Event, d broker.DecidedData) string {
	who := fmt.Sprintf("by %s after %s", actorName(d.By), figures.Ago(time.Duration(d.WaitedMS)*time.Millisecond))
	what := d.ToolName + "  " + w.callFor(e.RequestID, d.Digest)
	text := fmt.Sprintf("%s %s  %s", d.Status, who, what)
	if w.inWindow {
		text = fmt.Sprintf("%s  %s  %s", d.Status, what, who)
	}
	if len(d.UpdatedInput) > 0 {
		text += "  " + changedWords(broker.Request{Agent: w.calls[e.RequestID].agent, ToolName: d.ToolName, ToolInput: d.UpdatedInput})
	}
	if d.Reason != "" {
		text += "  (" + d.Reason + ")"
	}
	return text
}

// changedWords is what a call ran with in place of its own input, or what its questions got for
// an answer.
func changedWords(r broker.Request) string {
	tool, input := r.Call()
	said := forms.Said(input)
	if tool != agents.AskUserQuestion || len(said) == 0 {
		return "ran with: " + show.Call(r)
	}
	var answers []string
	for _, question := range slices.Sorted(maps.Keys(said)) {
		answers = append(answers, said[question])
	}
	return "answer: " + strings.Join(answers, "; ")
}

// actorName is who did something, in a word or two.
func actorName(a broker.Actor) string {
	switch {
	case a.ID != "":
		return string(a.Kind) + " " + a.ID
	case a.Kind == broker.ByProcess && a.PID > 0:
		return fmt.Sprintf("process %d", a.PID)
	}
	return string(a.Kind)
}
