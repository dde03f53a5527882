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
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/plainwords"
	"github.com/aoctl/aoctl/tui/safe"
)

// writer prints events for one command. It keeps what it learned of sessions and calls,
// since --follow prints the same ones over and over. It is used by one goroutine.
type writer struct {
	reader   *store.Reader
	out      io.Writer
	json     output.Format
	sessions []broker.Session
	names    map[string]string // sessions' names by id
	calls    map[string]call   // by request id
	rules    map[string]string // rules' names by id
}

// learnSessions reads what sessions are called. Names are made over all sessions together,
// as two of one folder are told apart, so one new session means reading all of them.
func (w *writer) learnSessions(ctx context.Context) error {
	sessions, err := w.reader.Sessions(ctx, broker.SessionFilter{})
	if err != nil {
		return err
	}
	w.sessions, w.names = sessions, show.SessionNames(sessions)
	return nil
}

// call is what a request asked for, as its row says. digest is computed from the row here,
// not read from it: a changed row has another one.
type call struct{ line, digest, agent string }

// callOf is what a row asks for and the digest that belongs to exactly that.
func callOf(r broker.Request) call {
	return call{line: show.Call(r), digest: broker.Digest(r.ToolName, r.ToolInput, r.CWD), agent: r.Agent}
}

// learnCalls reads what the calls of events asked for, those that are not known yet. One
// query serves all events of a page. Requests whose row is gone stay unknown, and callFor
// says so.
func (w *writer) learnCalls(ctx context.Context, events ...broker.Event) error {
	if w.calls == nil {
		w.calls = map[string]call{}
	}
	ids := make([]string, 0, len(events))
	for _, e := range events {
		// An id may come several times in one page: asked, decided, ran. Asking twice for
		// it does no harm.
		if _, known := w.calls[e.RequestID]; !known && e.RequestID != "" {
			ids = append(ids, e.RequestID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	list, err := w.reader.Requests(ctx, broker.RequestFilter{IDs: ids, Limit: len(ids)})
	for _, r := range list {
		// What was read before an error is kept; the error ends the command anyway.
		w.calls[r.ID] = callOf(r)
	}
	return err
}

// learnRules reads what rules are called, when one of events was decided by a rule that is
// not known yet. Rules in doubt keep their names: nothing is judged by them here.
func (w *writer) learnRules(ctx context.Context, events ...broker.Event) {
	unknown := slices.ContainsFunc(events, func(e broker.Event) bool {
		var d broker.DecidedData
		if e.Type != broker.EventRequestDecided || json.Unmarshal(e.Data, &d) != nil || d.By.Kind != broker.ByRule {
			return false
		}
		_, known := w.rules[d.By.ID]
		return !known
	})
	if !unknown {
		return
	}
	if list, _ := w.reader.Rules(ctx); list != nil {
		w.rules = show.RuleNames(list)
	}
}

// callFor is what request id asked for. The log vouches for the digest; a row that does not
// fit it is not shown as if it did. A row that is missing has no digest and does not fit
// either.
func (w *writer) callFor(id, digest string) string {
	c := w.calls[id]
	if c.digest != digest {
		return "(its row was changed; see aoctl log verify)"
	}
	return c.line
}

// all prints events as one array or one table. Empty is "[]" for programs and a sentence
// for people.
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
	w.learnRules(ctx, events...)
	// The window is measured once for a list and anew for each event of --follow, whose
	// window may change meanwhile.
	width, _ := show.Terminal(w.out)
	out := bufio.NewWriter(w.out)
	for _, e := range events {
		_, _ = out.WriteString(w.line(e, width) + "\n") // Flush reports it
	}
	return out.Flush()
}

// one prints a single event at once, so that --follow shows it before the next one is
// looked at. A session that is not known yet has begun since, and the names are read again.
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
	w.learnRules(ctx, e)
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
// The time is local, with a date unless the window is narrow.
func (w *writer) line(e broker.Event, width int) string {
	name, known := w.names[e.SessionID]
	if !known {
		name = e.SessionID
	}
	// The log keeps UTC. People compare it with a clock on their wall.
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
	// The cut comes last and works on the whole line, so no line is wider than the window
	// whatever a column holds.
	return safe.Cut(strings.TrimRight(line, " "), width)
}

// cell makes text safe and exactly n cells wide. Width is measured in cells and after the
// text was made safe, since a sign that is made visible takes more room.
func cell(text string, n int) string {
	text = safe.Cut(safe.Line(text), n)
	return text + strings.Repeat(" ", n-safe.Width(text))
}

// what is the telling part of an event. Kinds that need the call's row come first, then the
// words of this room, then those that the console uses too. An event that nobody has words
// for is printed as its data: a log that leaves something out would not be one.
//
// The result is not safe for a terminal yet; line does that.
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
	case broker.EventAllowedOnce:
		var d broker.AllowedData
		if json.Unmarshal(e.Data, &d) == nil {
			return strings.TrimSpace("allowed by " + d.By.You() + "; a second operator must allow it too: " + d.ToolName + "  " + w.callFor(e.RequestID, d.Digest))
		}
	case broker.EventOnceMinted:
		var d broker.OnceMintedData
		if json.Unmarshal(e.Data, &d) == nil {
			return strings.TrimSpace("a token for this call alone, for --on-wait: " + d.ToolName + "  " + w.callFor(e.RequestID, d.Digest))
		}
	case broker.EventDecisionRefused, broker.EventAccessRefused:
		var d broker.RefusedData
		if json.Unmarshal(e.Data, &d) == nil {
			return d.Sentence()
		}
	}
	// The order does not matter here: each answers "" for events that are not its own.
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
	if text := runWords(e); text != "" {
		return text
	}
	if text := fleetWords(e); text != "" {
		return text
	}
	if text, ok := plainwords.Event(e); ok {
		return text
	}
	// Some events say all in their kind and have no data.
	if len(e.Data) == 0 || string(e.Data) == "{}" {
		return ""
	}
	return string(e.Data)
}

// factWords is what changed about rules, tokens, files, freezes and the console itself, ""
// for other events.
func factWords(e broker.Event) string {
	// One struct takes the data of all these kinds. Their members have different names,
	// except for those that mean the same, and what a kind does not have stays zero.
	var d struct {
		broker.RuleSavedData
		broker.TakenUpData
		broker.Alarm

		Pending                     int
		ID, Path, Digest, Label, To string
		Kind                        broker.TokenKind `json:"kind"` // as Alarm spells its own
		On                          bool
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return ""
	}
	by := " by " + show.Actor(d.By, nil)
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
	// Trust is taken away by an event without a digest.
	case broker.EventFileTrusted:
		if d.Digest == "" {
			return d.Path + " is no longer trusted," + by
		}
		return fmt.Sprintf("%s as %.12s%s", d.Path, d.Digest, by)
	case broker.EventLogArchived:
		return archivedWords(e)
	// The input that really ran is printed whole: it is what somebody has to look at.
	case broker.EventRanOtherwise, broker.EventAlarm:
		return d.ToolName + " " + d.Words() + "  " + string(d.Ran)
	case broker.EventAlarmSeen:
		return "in " + d.SessionID + by
	case broker.EventTakenUp:
		return fmt.Sprintf("%d left waiting by an earlier console", len(d.Ends))
	case broker.EventConsoleClosed:
		return fmt.Sprintf("with %d calls left waiting", d.Pending)
	case broker.EventBrokerLeft:
		return "for " + d.To + by
	case broker.EventFrozen:
		// A freeze without a session holds everything.
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

// ranWords is how a call ended, "" for other events: what its tool gave back comes last, as
// its first line that says something. Output that was not kept is counted and not passed
// over. An event without a digest belongs to no call that was asked here.
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

// archivedWords is what was moved to an archive, and to which file.
func archivedWords(e broker.Event) string {
	var d broker.LogArchivedData
	if json.Unmarshal(e.Data, &d) != nil {
		return ""
	}
	return fmt.Sprintf("events %d to %d are in %s", d.From, d.To, d.File)
}

// decided is a decision in one line. The call comes before who decided and when, because a
// window cuts a line at its end.
func (w *writer) decided(e broker.Event, d broker.DecidedData) string {
	text := fmt.Sprintf("%s  %s  %s  by %s after %s", d.Status, d.ToolName, w.callFor(e.RequestID, d.Digest),
		show.Actor(d.By, w.rules), figures.Ago(time.Duration(d.WaitedMS)*time.Millisecond))
	if len(d.UpdatedInput) > 0 {
		text += "  " + changedWords(broker.Request{Agent: w.calls[e.RequestID].agent, ToolName: d.ToolName, ToolInput: d.UpdatedInput})
	}
	if d.Reason != "" && d.By.ID != rules.BuiltinLook { // its name says it
		text += "  (" + d.Reason + ")"
	}
	return text
}

// changedWords is what a call ran with in place of its own input, or what its questions got
// for an answer. Answers are sorted by their question, as a map has no order of its own.
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
