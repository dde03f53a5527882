package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/safe"
)

// logWriter prints events.
type logWriter struct {
	reader   *store.Reader
	out      io.Writer
	json     bool
	sessions []broker.Session
	names    map[string]string // sessions' names by id
	calls    map[string]string // one line for each call, by request id
}

// learnSessions reads what sessions are called.
func (w *logWriter) learnSessions(ctx context.Context) error {
	sessions, err := w.reader.Sessions(ctx, broker.SessionFilter{})
	if err != nil {
		return err
	}
	w.sessions, w.names = sessions, sessionNames(sessions)
	return nil
}

// learnCall reads what request id asked for. A call whose row cannot be trusted is
// named by what the log itself says of it.
func (w *logWriter) learnCall(ctx context.Context, id string) string {
	if line, known := w.calls[id]; known || id == "" {
		return line
	}
	if w.calls == nil {
		w.calls = map[string]string{}
	}
	line := ""
	if r, err := w.reader.Request(ctx, id); err == nil {
		line = callLine(r)
	}
	w.calls[id] = line
	return line
}

// all prints events as one array or one table.
func (w *logWriter) all(ctx context.Context, events []broker.Event) error {
	if w.json {
		return printJSON(w.out, events)
	}
	if len(events) == 0 {
		return printLine(w.out, "No such events.")
	}
	width, _ := terminal(w.out)
	out := bufio.NewWriter(w.out)
	for _, e := range events {
		_, _ = out.WriteString(w.line(ctx, e, width) + "\n") // Flush reports it
	}
	return out.Flush()
}

// one prints a single event at once.
func (w *logWriter) one(ctx context.Context, e broker.Event) error {
	if w.json {
		line, err := jsonLine(e)
		if err != nil {
			return err
		}
		return printLine(w.out, string(line))
	}
	if _, known := w.names[e.SessionID]; !known && e.SessionID != "" {
		if err := w.learnSessions(ctx); err != nil {
			return err
		}
	}
	width, _ := terminal(w.out)
	return printLine(w.out, w.line(ctx, e, width))
}

// The widths of a log line's columns, in cells. They are fixed because lines come
// one by one.
const (
	eventWidth   = 16
	sessionWidth = 16
)

// line is e for people. width 0 cuts nothing.
func (w *logWriter) line(ctx context.Context, e broker.Event, width int) string {
	name, known := w.names[e.SessionID]
	if !known {
		name = e.SessionID
	}
	line := e.At.Local().Format(time.DateTime) + "  " + cell(e.Type, eventWidth) + "  " +
		cell(name, sessionWidth) + "  " + safe.Line(w.what(ctx, e))
	line = strings.TrimRight(line, " ")
	if width > 0 {
		line = ansi.Truncate(line, width, "…")
	}
	return line
}

// cell makes text safe and exactly n cells wide.
func cell(text string, n int) string {
	text = safe.Cut(safe.Line(text), n)
	return text + strings.Repeat(" ", n-safe.Width(text))
}

// what is the telling part of an event.
func (w *logWriter) what(ctx context.Context, e broker.Event) string {
	switch e.Type {
	case broker.EventRequestCreated:
		var d struct {
			ToolName string `json:"tool_name"`
			Subagent string `json:"subagent"`
		}
		if json.Unmarshal(e.Data, &d) == nil {
			return strings.TrimSpace(d.ToolName + "  " + w.learnCall(ctx, e.RequestID))
		}
	case broker.EventRequestDecided:
		var d broker.DecidedData
		if json.Unmarshal(e.Data, &d) == nil {
			return w.decided(ctx, e, d)
		}
	}
	if len(e.Data) == 0 || string(e.Data) == "{}" {
		return ""
	}
	return string(e.Data)
}

func (w *logWriter) decided(ctx context.Context, e broker.Event, d broker.DecidedData) string {
	text := fmt.Sprintf("%s by %s after %s  %s  %s", d.Status, actorName(d.By),
		age(time.Duration(d.WaitedMS)*time.Millisecond), d.ToolName, w.learnCall(ctx, e.RequestID))
	if d.Reason != "" {
		text += "  (" + d.Reason + ")"
	}
	return text
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
