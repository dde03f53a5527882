package orders

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// interruptedMsg is the answer to an interrupt.
type interruptedMsg struct {
	label string // safe to draw
	err   error
}

// Interrupt ends the turn of a managed session and keeps the session. refusal
// is what the guard has against the key.
func (o *Orders) Interrupt(s *broker.Session, refusal string) tea.Cmd {
	switch {
	case s == nil:
		return o.NoSession()
	case refusal != "":
		return o.Say(draw.Warn, "… "+refusal)
	case s.Run == nil:
		return o.Say(draw.Warn, words.OnlyWatched(o.Board.Label(s.ID), "press its own key there")...)
	case s.Run.Turn == broker.TurnIdle:
		return o.Say(draw.Muted, o.Board.Label(s.ID)+": its turn is over, there is nothing to interrupt", "its turn is over")
	case s.Run.Turn == broker.TurnEnded, s.Run.Turn == broker.TurnDeferred, s.State.Ended():
		return o.Say(draw.Muted, o.Board.Label(s.ID)+": its agent has ended, there is nothing to interrupt", "its agent has ended")
	}
	ctx, b, by, id, label := o.Ctx, o.broker, o.Operator, s.ID, o.Board.Label(s.ID)
	return tea.Batch(o.Say(draw.Warn, "interrupting "+label+" …"), func() tea.Msg {
		return interruptedMsg{label: label, err: b.Interrupt(ctx, id, by)}
	})
}

func (o *Orders) interrupted(msg interruptedMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return o.Say(draw.Danger, msg.label+" was not interrupted: "+words.RunError(msg.err))
	}
	return o.Say(draw.OK, msg.label+": told to end its turn; it stays, and "+o.Called("m")+" tells it what to do instead", msg.label+": told to end its turn")
}
