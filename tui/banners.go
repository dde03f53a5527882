package tui

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tty"
	tea "github.com/charmbracelet/bubbletea"
)

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

// alarmsShown is how many sessions' alarms have a row of their own.
const alarmsShown = 2

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
	return m.herald.Ring("aoctl: " + tty.Bare(u.Session.Alarm.ToolName) + " ran otherwise than allowed in " + tty.Bare(name))
}

const (
	observingWords = "OBSERVING: nothing is held"
	observingTold  = "nothing is held: calls run unless their own agent asks; aoctl only records"
)
