package tui

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tty"
)

// alarmsShown is how many sessions' alarms have a row of their own.
const alarmsShown = 2

// alarmBanners tell of calls that ran otherwise than they were allowed.
func (m *model) alarmBanners() []string {
	var rows []string
	list := m.Board.Alarmed()
	for i, s := range list {
		if i == alarmsShown {
			return append(rows, figures.Plural(len(list)-i, "more session")+" with such an alarm")
		}
		rows = append(rows, safe.Head(s.Alarm.ToolName, foreignMost)+" in "+m.Board.Label(s.ID)+": "+s.Alarm.Words()+"; no rule allows anything there · ! acknowledges")
	}
	return rows
}

// alarmCame rings for an alarm that u brings. The banner moves what is drawn, so keys
// are deaf for a moment.
func (m *model) alarmCame(u broker.Update) tea.Cmd {
	if u.Session == nil || u.Session.Alarm == nil {
		return nil
	}
	if old := m.Board.Sessions[u.Session.ID]; old != nil && old.Alarm != nil && old.Alarm.At.Equal(u.Session.Alarm.At) {
		return nil
	}
	m.Guard.Doubt(m.At)
	name := u.Session.Name
	if name == "" {
		name = u.Session.ID
	}
	return m.ring("aoctl: " + tty.Bare(u.Session.Alarm.ToolName) + " ran otherwise than allowed in " + tty.Bare(name))
}

// askAlarm takes !: it asks before rules may allow again where there was an alarm.
func (m *model) askAlarm(refusal string) tea.Cmd {
	list := m.Board.Alarmed()
	switch {
	case len(list) == 0:
		return m.Say(draw.Muted, "there is no alarm")
	case refusal != "" && m.Guard.Burst():
		return m.Say(draw.Warn, "… "+refusal)
	}
	id, label := list[0].ID, m.Board.Label(list[0].ID)
	m.Ask("seen, and let rules allow in "+label+" again?", "let rules allow again?", func() tea.Cmd { return m.acknowledge(id, label) })
	return nil
}

func (m *model) acknowledge(id, label string) tea.Cmd {
	ctx, c, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		return alarmSeenMsg{label: label, err: c.Acknowledge(ctx, id, by)}
	}
}

func (m *model) alarmSeen(msg alarmSeenMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, broker.ErrNotFound):
		return m.Say(draw.Muted, msg.label+": the alarm was acknowledged already")
	case msg.err != nil:
		return m.Say(draw.Danger, msg.label+": "+safe.Line(msg.err.Error()))
	}
	return m.Say(draw.OK, msg.label+": rules allow again; h shows the call")
}

// alarmRows say above a decided call that something else ran, and what.
func alarmRows(top *draw.Paper, a *broker.Alarm) {
	if a == nil {
		return
	}
	top.Say(draw.Danger, "! "+a.Words()+", at "+a.At.Format("15:04:05")+" UTC")
	if a.Kind != broker.RanChanged {
		return
	}
	if len(a.Ran) == 0 {
		top.Say(draw.Danger, "  what ran is too large to be kept; the agent's own transcript has it")
		return
	}
	top.Write(draw.Fixed(draw.Danger, "ran", 11), draw.Text, change.ValueText(a.Ran))
	top.SayBehind(draw.Label, "allowed", 11, draw.Text, "what stands below")
}
