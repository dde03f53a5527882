package tui

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
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

const (
	saidAgain = 2 * time.Second
	maxSaid   = 4000 // characters of what was said that are drawn
)

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

// aboutDoc lays out all that is known of a session.
func (m *model) aboutDoc(s *broker.Session, width int) *callview.Doc {
	d := &callview.Doc{Paper: *m.st.Paper(width)}
	m.aboutState(d, s)
	if s.Run != nil {
		aboutRun(d, s)
	}
	line := func(label, text string) {
		if text != "" {
			d.Write(draw.Fixed(draw.Label, label, callview.LabelWidth), draw.Text, text)
		}
	}
	line("folder", s.CWD)
	if s.ProjectDir != s.CWD {
		line("project", s.ProjectDir)
	}
	line("mode", s.Mode)
	line("began", s.StartedAt.In(m.at.Location()).Format("2 Jan 15:04:05"))
	line("id", s.ID)
	if s.Run != nil && s.Run.Told != nil {
		d.Blank()
		d.SayBehind(draw.Label, "telling", callview.LabelWidth, draw.Muted, "its agent has not taken it up yet")
		d.Write(draw.Fixed(draw.Muted, "", callview.LabelWidth), draw.Text, s.Run.Told.Text)
	}
	if s.Message != nil {
		d.Blank()
		if n := s.Message.Failures; n > 0 {
			d.SayBehind(draw.Label, "not told", callview.LabelWidth, draw.Warn, "tried "+figures.Plural(n, "time")+"; m and enter send it again")
		}
		d.SayBehind(draw.Label, "next", callview.LabelWidth, draw.Key, m.whenTold(s)+", since "+s.Message.QueuedAt.In(m.at.Location()).Format("15:04:05"))
		d.Write(draw.Fixed(draw.Muted, "", callview.LabelWidth), draw.Text, s.Message.Text)
	}
	if said := m.about.said; said != "" {
		d.Blank()
		d.SayBehind(draw.Label, "said last", callview.LabelWidth, draw.Muted, "at "+m.about.saidAt.In(m.at.Location()).Format("15:04:05")+"; E shows the rest")
		d.Write(draw.Gutter{Width: 2, Next: "┊", First: func(int) (draw.Ink, string) { return draw.Faint, "┊" }}, draw.Agent, headOf(said, maxSaid))
	}
	d.LookAtAll()
	d.CallEnd = len(d.Rows)
	return d
}

// headOf is the beginning of a raw text, with a sign when there is more.
func headOf(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + " …"
	}
	return text
}

// aboutState says what the session does, and what is wrong with it.
func (m *model) aboutState(d *callview.Doc, s *broker.Session) {
	word, since := m.board.Status(s)
	row := d.Styles.Row(d.Width).Put(draw.Label, "state").To(callview.LabelWidth).Put(stateInk(s, m.board.Pending[s.ID]), word)
	if !since.IsZero() && m.board.Pending[s.ID] == 0 && (s.Run == nil || s.Run.Turn != broker.TurnWorking) {
		row.Put(draw.Muted, ", since "+since.In(m.at.Location()).Format("15:04:05"))
	}
	d.Add(row)
	if n := m.board.Pending[s.ID]; n > 0 {
		d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "enter shows its "+figures.Plural(n, "waiting call"))
	}
	if why := s.Failure(); why != "" {
		d.SayBehind(draw.Danger, "problem", callview.LabelWidth, draw.Danger, safe.Line(why))
	}
	if underStop(s) {
		if s.Run != nil {
			for _, step := range s.Run.Steps {
				d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "· "+safe.Line(step))
			}
		}
		d.SayBehind(draw.Text, "", callview.LabelWidth, draw.Muted, "its calls are denied until you speak to it: m")
	}
}

// aboutRun says how a session is held.
func aboutRun(d *callview.Doc, s *broker.Session) {
	r := s.Run
	say := func(label, text string) {
		if text != "" {
			d.SayBehind(draw.Label, label, callview.LabelWidth, draw.Text, text)
		}
	}
	say("used", strings.Join(spent(r), " · "))
	say("tokens", usage(r.Usage))
	say("last turn", draw.SafeLine(r.Result))
	agent := []string{draw.SafeLine(s.Agent)}
	if r.Model != "" {
		agent = append(agent, "model "+draw.SafeLine(r.Model))
	}
	if r.MaxTurns > 0 {
		agent = append(agent, "at most "+figures.Plural(r.MaxTurns, "turn"))
	}
	say("agent", strings.Join(agent, " · "))
	d.Write(draw.Fixed(draw.Label, "program", callview.LabelWidth), draw.Text, strings.Join(append([]string{r.Program}, r.Args...), " "))
	say("processes", processesOf(s))
	if r.Log != "" {
		d.Write(draw.Fixed(draw.Label, "log", callview.LabelWidth), draw.Text, filepath.Clean(r.Log))
	}
}

// processesOf names the agent's process and its runner's.
func processesOf(s *broker.Session) string {
	var parts []string
	if s.Process.PID > 0 {
		parts = append(parts, "agent "+strconv.Itoa(s.Process.PID))
	}
	if s.Run.Runner.PID > 0 {
		parts = append(parts, "runner "+strconv.Itoa(s.Run.Runner.PID))
	}
	if s.Run.Detached {
		parts = append(parts, "in the background")
	}
	return strings.Join(parts, " · ")
}

// aboutHints are the keys for the last line.
func (m *model) aboutHints() []hint {
	return []hint{
		{"m", "message"}, {"i", "interrupt"}, {"s", "stop"}, {"enter", "its calls"}, {"E", "events"}, {"T", "transcript"}, {"j k", "scroll"}, {"esc", "back"},
	}
}
