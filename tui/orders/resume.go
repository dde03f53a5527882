package orders

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tty"
	tea "github.com/charmbracelet/bubbletea"
)

type (
	resumedMsg struct { // the answer to resuming a session
		session string
		show    bool // on a screen of its own, when the operator is to run something
		told    broker.Resumption
		err     error
	}
)

// opened is the session that was opened last, for the operator to resume it in a terminal.
type opened struct {
	session string
	told    broker.Resumption
	until   time.Time
}

// Resume lets a session go on whose call was put off. A session that somebody else started is opened
// for it, and shown how.
func (o *Orders) Resume(id string, wait time.Duration, refusal string) tea.Cmd {
	id = o.Resumable(id)
	s := o.Board.Sessions[id]
	switch {
	case s == nil:
		return o.NoSession()
	case s.Deferred == 0:
		return o.Say(draw.Muted, o.Board.Label(id)+": nothing of it is deferred")
	case refusal != "": // it may start a process
		return o.Say(draw.Warn, "… "+refusal)
	}
	return o.Guard.Hold(guard.Held{Do: func() tea.Cmd { return o.goOn(id, true) }}, wait, o.At)
}

// Resumable is the session that a key about session id resumes: that one where a call of it is
// deferred, else the one opened last, whose card goes away with its answer, else the only one there is.
func (o *Orders) Resumable(id string) string {
	if s := o.Board.Sessions[id]; s != nil && s.Deferred > 0 {
		return id
	}
	// Of the one that was opened only a line is shown. If aoctl holds it by now, its agent would be started.
	if s := o.Board.Sessions[o.opened.session]; s != nil && s.Deferred > 0 && s.Run == nil {
		return s.ID
	}
	var found []string
	for each, s := range o.Board.Sessions {
		if s.Deferred > 0 {
			found = append(found, each)
		}
	}
	if len(found) == 1 && id == "" {
		return found[0]
	}
	return id
}

// GoOn resumes a session whose deferred call was answered.
func (o *Orders) GoOn(id string) tea.Cmd { return o.goOn(id, false) }

func (o *Orders) goOn(id string, show bool) tea.Cmd {
	ctx, console, by := o.Ctx, o.broker, o.Operator
	return func() tea.Msg {
		told, err := console.Resume(ctx, id, by)
		return resumedMsg{session: id, show: show, told: told, err: err}
	}
}

func (o *Orders) resumed(msg resumedMsg) tea.Cmd {
	label := o.Board.Label(msg.session)
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return o.Say(draw.Warn, safe.Line(broker.Plain(msg.err)))
	case msg.told.Started:
		return o.Say(draw.OK, label+" goes on")
	}
	o.opened = opened{session: msg.session, told: msg.told, until: o.At.Add(broker.ResumeOpen)}
	line := o.ShortLine(msg.session)
	copied := o.Beside(tty.ClipboardSequence(line))
	if msg.show && !o.Busy() { // what was opened meanwhile takes the keys that are typed
		return tea.Batch(copied, o.Open(desk.Resume, desk.Subject{Session: msg.session}))
	}
	waits := func() bool { s := o.Board.Sessions[msg.session]; return s != nil && s.Deferred > 0 }
	drawn, r := safe.Line(line), o.Called("R")
	return tea.Batch(copied, o.Stay(waits, draw.OK,
		"to let "+label+" go on, run in a terminal: "+drawn+" ("+r+" shows more)",
		r+" shows more · run in a terminal: "+drawn,
		r+" shows how to resume it in a terminal",
		r+": how to resume it",
	))
}
