package orders

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// Marks are what the operator says of a session: what it is called, and whether it is listed.
type Marks struct{ *Orders }

// Marks does what a key says of a session.
func (o *Orders) Marks() Marks { return Marks{o} }

// Rename asks for a name of the operator's own for a session. An empty one gives it back the one that
// its agent has for it.
func (o Marks) Rename(s *broker.Session) tea.Cmd {
	id := s.ID
	label, text := o.Board.Label(id), ""
	if s.Renamed {
		text = safe.Line(s.Name)
	}
	o.Read(desk.Line{
		Lead: "name of " + label + ": ", Brief: "name: ", Help: "enter · esc", Text: text,
		May: func() string { return "" },
		Gone: func() string {
			if o.Board.Sessions[id] == nil {
				return "the session is gone"
			}
			return ""
		},
		Send: func(text string) tea.Cmd {
			return o.change(id, label, broker.SessionChange{Name: new(strings.TrimSpace(text))})
		},
	})
	return nil
}

// PutAway takes a session out of the list until its agent is heard of again, or back into it. One
// of which no process is known is over then, and stays out; that is asked.
func (o Marks) PutAway(s *broker.Session) tea.Cmd {
	id := s.ID
	label := o.Board.Label(id)
	if !s.Over() && (s.Process.PID != 0 || s.Run.Running()) {
		return o.change(id, label, broker.SessionChange{Archived: new(!s.Archived)})
	}
	question := "remove " + label + " from the list? The log keeps it:"
	if !s.Over() {
		question = "end " + label + ", of which no process is known here, and remove it from the list?"
	}
	o.Ask(question, "remove it from the list?", func() tea.Cmd { return o.change(id, label, broker.SessionChange{Removed: true}) })
	return nil
}

// changedMsg is the answer to a change of a session.
type changedMsg struct {
	label  string // as it was; safe to draw
	change broker.SessionChange
	err    error
}

func (o Marks) change(id, label string, c broker.SessionChange) tea.Cmd {
	ctx, b, by := o.Ctx, o.broker, o.Operator
	return func() tea.Msg {
		_, err := b.ChangeSession(ctx, id, c, by)
		return changedMsg{label, c, err}
	}
}

func (o Marks) changed(msg changedMsg) tea.Cmd {
	c := msg.change
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case errors.Is(msg.err, broker.ErrNotFound):
		return o.Say(draw.Warn, msg.label+": the broker knows no such session")
	case errors.Is(msg.err, broker.ErrSessionLives):
		return o.Say(draw.Warn, msg.label+" is running again")
	case errors.Is(msg.err, broker.ErrPutOff):
		return o.Say(draw.Warn, msg.label+" has a deferred call: answer it first", "answer its deferred call first")
	case msg.err != nil:
		return o.Say(draw.Danger, msg.label+": "+safe.Line(broker.Plain(msg.err)))
	case c.Removed:
		return o.Say(draw.OK, msg.label+" is removed; the log keeps it")
	case c.Archived != nil && *c.Archived:
		return o.Say(draw.OK, msg.label+" is put away until its agent is heard of again", "put away")
	case c.Archived != nil:
		return o.Say(draw.OK, msg.label+" is listed again")
	case *c.Name == "":
		return o.Say(draw.OK, msg.label+" has its agent's name again")
	}
	return o.Say(draw.OK, msg.label+" is "+safe.Line(*c.Name)+" now")
}
