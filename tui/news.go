package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/sheet"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/words"
)

// watchStarted takes in a snapshot of all that the broker knows.
func (m *model) watchStarted(msg watchStartedMsg) tea.Cmd {
	if msg.gen != m.feed.gen {
		return nil
	}
	before := m.Board.Cards
	m.Board.Reset(msg.snap, m.At)
	m.Book = words.NewBook(msg.snap.Rules)
	m.shared.sheets.Clear()
	var missed []*board.Card
	for _, c := range m.Board.Waiting {
		if before[c.Req.ID] == nil {
			missed = append(missed, c)
		}
	}
	return tea.Batch(m.feed.started(msg), m.broadcast(desk.News{}), m.shared.herald.Announce(missed...))
}

// updatesCame takes in changes, one after the other: first what a change means beside what is known,
// then the change itself. What was tried and refused is said last, so that it is what is read.
func (m *model) updatesCame(msg updatesMsg) tea.Cmd {
	if msg.gen != m.feed.gen {
		return nil
	}
	var arrived []*board.Card
	var cmds []tea.Cmd
	for _, u := range msg.list {
		cmds = append(cmds, m.meaning(u))
		if c := m.Board.Apply(u, m.At); c != nil {
			arrived = append(arrived, c)
		}
		if u.Request != nil {
			m.shared.sheets.Forget(u.Request.ID)
		}
		if u.Rules != nil {
			m.Book = words.NewBook(*u.Rules)
		}
	}
	m.Board.Tidy()
	cmds = append(cmds, m.broadcast(desk.News{List: msg.list}), m.attempted(msg.list), m.shared.herald.Announce(arrived...))
	return tea.Batch(append(cmds, m.feed.goOn(msg))...)
}

// meaning says and rings what a change is about that the screens are not told of.
func (m *model) meaning(u broker.Update) tea.Cmd {
	if u.Health != nil && u.Health.Frozen != m.Board.Health.Frozen {
		m.Guard.Doubt(m.At) // the line across the top moves what is drawn
	}
	var cmds []tea.Cmd
	if u.Machine != nil {
		machineTold(m.Desk, m.shared.sheets, *u.Machine)
	}
	if u.Request != nil {
		m.shared.herald.Changed(*u.Request)
	}
	if r := u.Request; r != nil && r.Unheard {
		cmds = append(cmds, m.Say(draw.Warn, m.Board.Label(r.SessionID)+": "+draw.SafeLine(r.ToolName)+" "+m.Book.Ended(*r)))
	}
	if u.Session != nil {
		cmds = append(cmds, m.shared.herald.Turned(m.Board.Sessions[u.Session.ID], *u.Session), m.alarmCame(*u.Session), m.asksCame(*u.Session), m.shared.orders.StepsCame(*u.Session))
		if m.Board.Renames(*u.Session) {
			m.shared.sheets.Clear()
		}
	}
	return tea.Batch(cmds...)
}

// machineTold takes in what news of a machine mean for what is drawn: keys are deaf for a moment when
// rows move, or when the machine of the drawn call can be reached otherwise; sessions have its name.
func machineTold(d *desk.Desk, sheets *sheet.Sheets, m broker.Machine) {
	change := d.Board.Fleet.Differs(m)
	drawn := d.Board.MachineOf(d.Board.Cards[d.Guard.Drawn.ID])
	if change.Moved || change.Reach && drawn != nil && drawn.ID == m.ID {
		d.Guard.Doubt(d.At)
	}
	if change.Named {
		sheets.Clear()
	}
}

// alarmCame rings for an alarm of s that is new. The banner moves what is drawn, so keys are deaf
// for a moment.
func (m *model) alarmCame(s broker.Session) tea.Cmd {
	if s.Alarm == nil {
		return nil
	}
	if old := m.Board.Sessions[s.ID]; old != nil && old.Alarm != nil && old.Alarm.At.Equal(s.Alarm.At) {
		return nil
	}
	m.Guard.Doubt(m.At)
	name := s.Name
	if name == "" {
		name = s.ID
	}
	return m.shared.herald.Ring("aoctl: " + tty.Bare(s.Alarm.ToolName) + " ran otherwise than allowed in " + tty.Bare(name))
}

// noticeMsg is a notice that came.
type noticeMsg Notice

// nextNotice waits for the next notice; nil when there are none.
func nextNotice(ctx context.Context, notices <-chan Notice) tea.Cmd {
	if notices == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case n := <-notices:
			return noticeMsg(n)
		case <-ctx.Done():
			return nil
		}
	}
}

// noticed says a notice until a key comes, and rings.
func (m *model) noticed(n Notice) tea.Cmd {
	text := n.Text
	if n.SessionID != "" {
		text = m.Board.Label(n.SessionID) + " " + text
	}
	text = draw.SafeLine(text)
	return tea.Batch(m.sayFor(draw.Danger, text, refusedFor), m.shared.herald.Ring("aoctl: "+tty.Bare(text)), nextNotice(m.Ctx, m.opts.Notices))
}

// asksCame rings when the agent of s begins to ask in its own terminal.
func (m *model) asksCame(s broker.Session) tea.Cmd {
	old := m.Board.Sessions[s.ID]
	if s.Asks == nil || old != nil && old.Asks != nil && old.Asks.RequestID == s.Asks.RequestID {
		return nil
	}
	return m.shared.herald.Ring("aoctl: a question waits in the terminal of " + tty.Bare(m.Board.Label(s.ID)))
}
