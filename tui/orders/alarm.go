package orders

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// AlarmSeen asks before rules may allow again where there was an alarm.
func (o *Orders) AlarmSeen(refusal string) tea.Cmd {
	list := o.Board.Alarmed()
	switch {
	case len(list) == 0:
		return o.Say(draw.Muted, "there is no alarm")
	case refusal != "" && o.Guard.Burst():
		return o.Say(draw.Warn, "… "+refusal)
	}
	id, label := list[0].ID, o.Board.Label(list[0].ID)
	o.Ask("seen, and let rules allow in "+label+" again?", "let rules allow again?", func() tea.Cmd { return o.acknowledge(id, label) })
	return nil
}

func (o *Orders) acknowledge(id, label string) tea.Cmd {
	ctx, c, by := o.Ctx, o.broker, o.Operator
	return func() tea.Msg {
		return alarmSeenMsg{label: label, err: c.Acknowledge(ctx, id, by)}
	}
}

func (o *Orders) alarmSeen(msg alarmSeenMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrNotFound):
		return o.Say(draw.Muted, msg.label+": the alarm was acknowledged already")
	case msg.err != nil:
		return o.Say(draw.Danger, msg.label+": "+safe.Line(broker.Plain(msg.err)))
	}
	return o.Say(draw.OK, msg.label+": rules allow again; "+o.Called("h")+" shows the call")
}

type alarmSeenMsg struct {
	label string // of the session, safe to draw
	err   error
}
