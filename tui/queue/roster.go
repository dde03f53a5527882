package queue

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/sessionview"
	"github.com/aoctl/aoctl/tui/words"
)

// subagentsShown is how many of a session's sub-agents have a line of their own.
const subagentsShown = 3

// roster is the pane of the sessions, and which one is selected.
type roster struct {
	*desk.Desk
	muted    func(session string) bool
	selected string // id
	top      int    // first row on the screen
	newest   string // id of the session that was started here last, until it is listed
}

// sessionRows is how many rows a session takes.
func sessionRows(s *broker.Session) int {
	n := 2 + min(len(s.Subagents), subagentsShown)
	if words.StopTold(s) != "" {
		n += stopRows
	}
	return n + len(heldRows(s))
}

// settle keeps the selected session on the screen.
func (x *roster) settle(l layout) {
	x.selectNewest()
	b := x.Board
	if b.Sessions[x.selected] == nil {
		x.selected = x.first()
	}
	_, height := l.Inner(l.sessions, 0)
	at, all := 0, 0
	rows := 2
	for _, id := range b.Roster {
		if id == x.selected {
			at, rows = all, sessionRows(b.Sessions[id])
		}
		all += sessionRows(b.Sessions[id])
	}
	if at < x.top {
		x.top = at
	}
	if at+rows > x.top+height {
		x.top = min(at, at+rows-height) // who it is comes first
	}
	x.top = max(0, min(x.top, all-height))
}

// first is the session that is marked at first: one that has not ended, if there is one.
func (x *roster) first() string {
	list := x.Board.Roster
	if len(list) == 0 {
		return ""
	}
	for _, id := range list {
		if !x.Board.Sessions[id].State.Ended() {
			return id
		}
	}
	return list[0]
}

// sessionAt is the session drawn on row y of the pane.
func (x *roster) sessionAt(y int) string {
	at := -x.top
	for _, id := range x.Board.Roster {
		n := sessionRows(x.Board.Sessions[id])
		if y >= at && y < at+n {
			return id
		}
		at += n
	}
	return ""
}

func (x *roster) view(l layout, a draw.Area, focus bool) []string {
	if a.H <= 0 {
		return nil
	}
	width, height := l.Inner(a, 0)
	f := draw.Caption{Title: "Sessions", Focus: focus}
	var rows []string
	skip := x.top
	for _, id := range x.Board.Roster {
		s := x.Board.Sessions[id]
		if n := sessionRows(s); skip >= n {
			skip -= n
			continue
		}
		rows = append(rows, x.lines(s, width, focus)[skip:]...)
		skip = 0
		if len(rows) >= height {
			break
		}
	}
	if len(rows) == 0 {
		rows = append(rows, x.Styles.Row(width).Put(draw.Muted, " none yet").To(width).String())
	}
	return l.Framed(a, f, 0, rows[:min(len(rows), height)])
}

// lines draws one session: name and agent, state and since when, and its
// sub-agents.
func (x *roster) lines(s *broker.Session, width int, focus bool) []string {
	chosen := s.ID == x.selected && focus
	bar := " "
	if chosen {
		bar = "▌"
	}
	name := draw.Bold
	if s.State.Ended() {
		name = draw.Muted
	}
	r := x.Styles.Row(width).Choose(chosen).Put(draw.Key, bar)
	agent := draw.SafeLine(s.Agent)
	if s.Run != nil {
		agent = words.ManagedMark + agent
	}
	if x.muted(s.ID) {
		agent = mutedWord(agent, width-3-draw.Cells(x.Board.Label(s.ID)))
	}
	if s.Run != nil && draw.Cells(x.Board.Label(s.ID))+draw.Cells(agent)+3 > width {
		agent = strings.TrimSpace(words.ManagedMark) // no other agent can be held
	}
	room := width - 2 - draw.Cells(agent) - 1
	r.Fit(name, x.Board.Label(s.ID), max(room, width/2))
	r.Right(draw.Muted, agent, width-1)
	lines := []string{r.To(width).String()}

	word, since := x.Board.Status(s)
	r = x.Styles.Row(width).Choose(chosen).Put(draw.Key, bar)
	room = width - 8
	if s.Observed {
		r.Put(draw.Warn, "observed").Put(draw.Faint, " · ")
		room = width - 1 - r.Width
	}
	if s.Frozen && !s.State.Ended() {
		r.Put(draw.Frozen, "frozen").Put(draw.Faint, " · ")
		room = width - 1 - r.Width
	}
	r.Fit(sessionview.Ink(s, x.Board.Pending[s.ID]), word+putOffWord(s, word), room)
	if age := figures.Ago(x.At.Sub(since)); !since.IsZero() && r.Width+1+draw.Cells(age) < width { // never touching the word
		r.Right(draw.Muted, age, width-1)
	}
	lines = append(lines, r.To(width).String())
	lines = append(lines, x.heldLines(s, width, chosen)...)
	lines = append(lines, x.stopLines(s, width, chosen)...)
	return append(lines, x.subagentLines(s, width, chosen)...)
}

func (x *roster) subagentLines(s *broker.Session, width int, chosen bool) []string {
	var lines []string
	for i := range min(len(s.Subagents), subagentsShown) {
		text := draw.SafeLine(s.Subagents[i].Type)
		if more := len(s.Subagents) - subagentsShown; more > 0 && i == subagentsShown-1 {
			text = "and " + figures.Plural(more+1, "more sub-agent")
		}
		r := x.Styles.Row(width).Choose(chosen).Put(draw.Faint, "  └ ").Fit(draw.Muted, text, width-5)
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
func (x *roster) selectNewest() {
	if x.newest != "" && x.Board.Sessions[x.newest] != nil {
		x.selected, x.newest = x.newest, ""
	}
}

// move selects the session that is so many places further, or back.
func (x *roster) move(to func(at, n int) int) {
	list := x.Board.Roster
	if i := slices.Index(list, x.selected); i >= 0 {
		x.selected = list[to(i, len(list))]
	}
}
