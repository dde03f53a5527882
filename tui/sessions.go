package tui

import (
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/sessionview"
	"github.com/aoctl/aoctl/tui/words"
)

// subagentsShown is how many of a session's sub-agents have a line of their own.
const subagentsShown = 3

// sessionRows is how many rows a session takes.
func sessionRows(s *broker.Session) int {
	n := 2 + min(len(s.Subagents), subagentsShown)
	if words.StopTold(s) != "" {
		n += stopRows
	}
	return n + len(heldRows(s))
}

// settleSessions keeps the selected session on the screen.
func (m *model) settleSessions() {
	b := m.Board
	if b.Sessions[m.session] == nil {
		m.session = m.firstSession()
	}
	l := m.layout()
	_, height := l.Inner(l.sessions, 0)
	at, all := 0, 0
	rows := 2
	for _, id := range b.Roster {
		if id == m.session {
			at, rows = all, sessionRows(b.Sessions[id])
		}
		all += sessionRows(b.Sessions[id])
	}
	if at < m.sessTop {
		m.sessTop = at
	}
	if at+rows > m.sessTop+height {
		m.sessTop = min(at, at+rows-height) // who it is comes first
	}
	m.sessTop = max(0, min(m.sessTop, all-height))
}

// firstSession is the session that is marked at first: one that has not ended, if there is one.
func (m *model) firstSession() string {
	list := m.Board.Roster
	if len(list) == 0 {
		return ""
	}
	for _, id := range list {
		if !m.Board.Sessions[id].State.Ended() {
			return id
		}
	}
	return list[0]
}

// sessionAt is the session drawn on row y of the pane.
func (m *model) sessionAt(y int) string {
	at := -m.sessTop
	for _, id := range m.Board.Roster {
		n := sessionRows(m.Board.Sessions[id])
		if y >= at && y < at+n {
			return id
		}
		at += n
	}
	return ""
}

func (m *model) sessionsView(l layout, a draw.Area) []string {
	if a.H <= 0 {
		return nil
	}
	width, height := l.Inner(a, 0)
	f := draw.Caption{Title: "Sessions", Focus: m.focus == paneSessions}
	var rows []string
	skip := m.sessTop
	for _, id := range m.Board.Roster {
		s := m.Board.Sessions[id]
		if n := sessionRows(s); skip >= n {
			skip -= n
			continue
		}
		rows = append(rows, m.sessionLines(s, width)[skip:]...)
		skip = 0
		if len(rows) >= height {
			break
		}
	}
	if len(rows) == 0 {
		rows = append(rows, m.Styles.Row(width).Put(draw.Muted, " none yet").To(width).String())
	}
	return l.Framed(a, f, 0, rows[:min(len(rows), height)])
}

// sessionLines draws one session: name and agent, state and since when, and its
// sub-agents.
func (m *model) sessionLines(s *broker.Session, width int) []string {
	chosen := s.ID == m.session && m.focus == paneSessions
	bar := " "
	if chosen {
		bar = "▌"
	}
	name := draw.Bold
	if s.State.Ended() {
		name = draw.Muted
	}
	r := m.Styles.Row(width).Choose(chosen).Put(draw.Key, bar)
	agent := draw.SafeLine(s.Agent)
	if s.Run != nil {
		agent = words.ManagedMark + agent
	}
	if m.herald.Muted(s.ID) {
		agent = mutedWord(agent, width-3-draw.Cells(m.Board.Label(s.ID)))
	}
	if s.Run != nil && draw.Cells(m.Board.Label(s.ID))+draw.Cells(agent)+3 > width {
		agent = strings.TrimSpace(words.ManagedMark) // no other agent can be held
	}
	room := width - 2 - draw.Cells(agent) - 1
	r.Fit(name, m.Board.Label(s.ID), max(room, width/2))
	r.Right(draw.Muted, agent, width-1)
	lines := []string{r.To(width).String()}

	word, since := m.Board.Status(s)
	r = m.Styles.Row(width).Choose(chosen).Put(draw.Key, bar)
	room = width - 8
	if s.Observed {
		r.Put(draw.Warn, "observed").Put(draw.Faint, " · ")
		room = width - 1 - r.Width
	}
	if s.Frozen && !s.State.Ended() {
		r.Put(draw.Frozen, "frozen").Put(draw.Faint, " · ")
		room = width - 1 - r.Width
	}
	r.Fit(sessionview.Ink(s, m.Board.Pending[s.ID]), word+putOffWord(s, word), room)
	if age := figures.Ago(m.At.Sub(since)); !since.IsZero() && r.Width+1+draw.Cells(age) < width { // never touching the word
		r.Right(draw.Muted, age, width-1)
	}
	lines = append(lines, r.To(width).String())
	lines = append(lines, m.heldLines(s, width, chosen)...)
	lines = append(lines, m.stopLines(s, width, chosen)...)
	return append(lines, m.subagentLines(s, width, chosen)...)
}

func (m *model) subagentLines(s *broker.Session, width int, chosen bool) []string {
	var lines []string
	for i := range min(len(s.Subagents), subagentsShown) {
		text := draw.SafeLine(s.Subagents[i].Type)
		if more := len(s.Subagents) - subagentsShown; more > 0 && i == subagentsShown-1 {
			text = "and " + figures.Plural(more+1, "more sub-agent")
		}
		r := m.Styles.Row(width).Choose(chosen).Put(draw.Faint, "  └ ").Fit(draw.Muted, text, width-5)
		lines = append(lines, r.To(width).String())
	}
	return lines
}

// mutedWord tells of a muted session beside the name of its agent, or in its place where
// there is no room for both.
func mutedWord(agent string, room int) string {
	if both := agent + " · muted"; draw.Cells(both) <= room {
		return both
	}
	return "muted"
}

// selectNewest selects the session that was started here last, once it is listed.
func (m *model) selectNewest() {
	if m.newest != "" && m.Board.Sessions[m.newest] != nil {
		m.session, m.newest = m.newest, ""
	}
}
