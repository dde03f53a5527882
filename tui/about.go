package tui

import (
	"encoding/json"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/sessionview"
)

// about is the screen with all about one managed session.
type about struct {
	session string
	from    screen // where esc leads
	top     int
	said    string // by its agent, last; raw
	saidAt  time.Time
	asked   time.Time // when that was last asked for
	loading bool
}

// lastSaidMsg brings what a session's agent said last.
type lastSaidMsg struct {
	session string
	said    string
	at      time.Time
	err     error
}

const saidAgain = 2 * time.Second

// openAbout shows all about the session with this id.
func (m *model) openAbout(id string) tea.Cmd {
	m.about = about{session: id, from: m.screen}
	m.screen = screenSession
	return nil
}

func (m *model) aboutKey(msg tea.KeyMsg) tea.Cmd {
	s := m.board.Sessions[m.about.session]
	switch {
	case s == nil:
		return m.back()
	case key.Matches(msg, m.keys.Open):
		m.screen, m.focus = screenMain, paneQueue
		m.filterBy(board.Filter{SessionID: s.ID})
		return nil
	case key.Matches(msg, m.keys.Events, m.keys.Transcript):
		return m.openSession(msg, s.ID)
	case key.Matches(msg, m.keys.Jump):
		return m.jump()
	}
	width, _ := m.room()
	m.about.top = m.scrolled(msg, m.about.top, len(m.aboutDoc(s, width).Rows))
	return nil
}

// settleAbout keeps the place, and asks what the agent said last.
func (m *model) settleAbout() tea.Cmd {
	if m.screen != screenSession {
		return nil
	}
	a := &m.about
	s := m.board.Sessions[a.session]
	if s == nil {
		return nil
	}
	width, height := m.room()
	a.top = max(0, min(a.top, len(m.aboutDoc(s, width).Rows)-height))
	if a.loading || m.at.Sub(a.asked) < saidAgain {
		return nil
	}
	a.loading, a.asked = true, m.at
	ctx, console, id := m.ctx, m.console, a.session
	return func() tea.Msg {
		list, err := console.Timeline(ctx, broker.EventFilter{SessionID: id, Types: []string{broker.EventMessage}, Limit: 1})
		msg := lastSaidMsg{session: id, err: err}
		msg.said, msg.at = lastSaid(list)
		return msg
	}
}

// lastSaid is what an agent said last, as list, which has its last message, tells; "" when
// it said nothing.
func lastSaid(list []story.Moment) (said string, at time.Time) {
	var d story.UserData
	if len(list) == 0 || json.Unmarshal(list[0].Event.Data, &d) != nil {
		return "", time.Time{}
	}
	return d.Words(), list[0].Event.At
}

func (m *model) lastSaidCame(msg lastSaidMsg) {
	if a := &m.about; a.session == msg.session {
		a.loading = false
		if msg.err == nil && msg.said != "" {
			a.said, a.saidAt = msg.said, msg.at
		}
	}
}

func (m *model) aboutView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	s := m.board.Sessions[m.about.session]
	f := draw.Caption{Title: "Session", Focus: true}
	if s == nil {
		row := m.st.Row(width).Put(draw.Muted, "the broker no longer knows this session").To(width).String()
		return l.Framed(a, f, 1, []string{row})
	}
	d := m.aboutDoc(s, width)
	top := max(0, min(m.about.top, len(d.Rows)-height))
	f.Title, f.Note = m.board.Label(s.ID), "a session that aoctl holds"
	if len(d.Rows) > height {
		f.Right = position(top, height, d)
	}
	return l.Framed(a, f, 1, d.Rows[min(top, len(d.Rows)):min(top+height, len(d.Rows))])
}

// aboutHints are the keys for the last line.
func (m *model) aboutHints() []hint {
	return []hint{
		{"m", "message"}, {"i", "interrupt"}, {"s", "stop"}, {"enter", "its calls"}, {"E", "events"}, {"T", "transcript"}, {"j k", "scroll"}, {"esc", "back"},
	}
}

// aboutDoc lays out all that is known of a session.
func (m *model) aboutDoc(s *broker.Session, width int) *callview.Doc {
	return sessionview.LayOut(m.st, s, sessionview.Around{
		Waiting: m.board.Pending[s.ID], Keys: true, Loc: m.at.Location(), Said: m.about.said, SaidAt: m.about.saidAt,
	}, width)
}
