package orders

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tty"
	tea "github.com/charmbracelet/bubbletea"
)

type (
	resumedMsg struct { // the answer to resuming a session
		label string // safe to draw
		told  broker.Resumption
		err   error
	}
)

// Resume lets a session go on whose call was put off. A session that somebody else started is only told how.
func (o *Orders) Resume(id string, wait time.Duration, refusal string) tea.Cmd {
	s := o.Board.Sessions[id]
	switch {
	case s == nil:
		return o.NoSession()
	case s.Deferred == 0:
		return o.Say(draw.Muted, o.Board.Label(id)+": nothing of it is deferred")
	case refusal != "": // it may start a process
		return o.Say(draw.Warn, "… "+refusal)
	}
	return o.Guard.Hold(guard.Held{Do: func() tea.Cmd { return o.GoOn(id) }}, wait, o.At)
}

// GoOn resumes a session.
func (o *Orders) GoOn(id string) tea.Cmd {
	ctx, console, by, label := o.Ctx, o.broker, o.Operator, o.Board.Label(id)
	return func() tea.Msg {
		told, err := console.Resume(ctx, id, by)
		return resumedMsg{label: label, told: told, err: err}
	}
}

func (o *Orders) resumed(msg resumedMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return o.Say(draw.Warn, safe.Line(msg.err.Error()))
	case msg.told.Started:
		return o.Say(draw.OK, msg.label+" goes on")
	}
	line := ResumeLine(msg.told)
	told := o.Stay(draw.OK,
		"to let "+msg.label+" go on, run (sent to the clipboard): "+safe.Line(line),
		"sent to the clipboard: "+safe.Line(line),
		"in the clipboard: … "+safe.Line(resumeWords(msg.told)),
		"sent to the clipboard: the command that resumes it; paste it in a shell",
		"paste in a shell: the clipboard resumes it",
	)
	return tea.Batch(told, o.Beside(tty.ClipboardSequence(line)))
}
