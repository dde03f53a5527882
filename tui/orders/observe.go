package orders

import (
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// Observe asks before calls of a session are no longer held, and before all sessions are held
// again; one session is held again at once.
func (o *Orders) Observe(id, refusal string) tea.Cmd {
	s := o.Board.Sessions[id]
	switch {
	case refusal != "" && o.Guard.Burst():
		return o.Say(draw.Warn, "… "+refusal)
	case o.Board.Health.Observing:
		o.Ask("hold the calls of all sessions again?", "hold all calls again?", func() tea.Cmd { return o.observe("", "", false) })
	case s == nil:
		return o.NoSession()
	case s.Observed:
		return o.observe(s.ID, o.Board.Label(s.ID), false)
	case s.State.Ended():
		return o.Say(draw.Muted, o.Board.Label(s.ID)+" has ended")
	default:
		o.askObserve(s.ID, o.Board.Label(s.ID))
	}
	return nil
}

func (o *Orders) askObserve(id, label string) {
	o.Pose(desk.Question{Yes: func() tea.Cmd { return o.observe(id, label, true) }, Texts: func() []string {
		return []string{
			fmt.Sprintf("only observe %s and hold none of its calls, not even what rules deny? ", label),
			fmt.Sprintf("only observe %s and hold none of its calls? ", label),
			fmt.Sprintf("only observe %s? ", label),
			"only observe it? ",
		}
	}})
}

func (o *Orders) observed(msg observedMsg) tea.Cmd {
	who := msg.label
	if who == "" {
		who = "all sessions"
	}
	switch {
	case errors.Is(msg.err, broker.ErrNotFound):
		return o.Say(draw.Warn, who+": the broker knows no such session")
	case errors.Is(msg.err, broker.ErrSessionEnded):
		return o.Say(draw.Warn, who+" has ended")
	case msg.err != nil:
		return o.Say(draw.Danger, who+": "+safe.Line(broker.Plain(msg.err)))
	case msg.on:
		return o.Say(draw.Warn, "observing "+who+": none of its calls is held; "+o.Called("O")+" holds them again")
	}
	return o.Say(draw.OK, who+": calls are held again")
}

type observedMsg struct {
	label string
	on    bool
	err   error
}

// observe switches observing of a session, or for "" of all, on or off.
func (o *Orders) observe(id, label string, on bool) tea.Cmd {
	ctx, c, by := o.Ctx, o.broker, o.Operator
	return func() tea.Msg {
		return observedMsg{label: label, on: on, err: c.Observe(ctx, id, on, by)}
	}
}
