package queue

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// roster is the pane of the sessions, and which one is selected. A session has one row; more is said
// of the selected one, and of one in which something went wrong. Ended ones are folded into a row.
type roster struct {
	*desk.Desk
	muted    func(session string) bool
	selected string // id of a session, or fold
	unfolded bool   // ended sessions are listed
	focus    bool   // keys are for this pane
	top      int    // first row on the screen
	newest   string // id of the session that was started here last, until it is listed
	listed   listing
	asked    asked
}

// listing is what the pane lists, kept until a session changes or the ended ones are unfolded.
type listing struct {
	rev      int // of the sessions; see board.SessionRev
	unfolded bool
	entries  []entry
	ended    int  // how many sessions are listed only where ended ones are
	away     bool // one of them was put away, and lives
	wide     int  // cells of the widest row; 0: not asked for yet
}

// fold stands in the list for the sessions that have ended. No session has this id.
const fold = "\x00ended"

// entry is a session, or the fold, as it is listed.
type entry struct {
	id   string
	rows int // while it is not selected
}

// folds reports whether s is listed only where ended sessions are: those that were put away, too.
func folds(s *broker.Session) bool { return s.State.Ended() && s.Deferred == 0 || s.Away() }

// list is what the pane lists. It is the same for all keys and frames until something changes.
func (x *roster) list() []entry {
	if rev := x.Board.SessionRev(); x.listed.entries == nil || x.listed.rev != rev || x.listed.unfolded != x.unfolded {
		x.listed = listing{rev: rev, unfolded: x.unfolded}
		x.listed.fill(x.Board)
	}
	return x.listed.entries
}

// fill lists the sessions. Where no session lives, ended ones are not folded.
func (l *listing) fill(b *board.Board) {
	l.entries = make([]entry, 0, len(b.Roster))
	var ended []entry
	for _, id := range b.Roster {
		s := b.Sessions[id]
		if s.Removed() {
			continue
		}
		e := entry{id, len(known(s)) + 1}
		if folds(s) {
			l.away = l.away || !s.Over()
			ended = append(ended, e)
		} else {
			l.entries = append(l.entries, e)
		}
	}
	l.ended = len(ended)
	if len(ended) > 0 && len(l.entries) > 0 {
		l.entries = append(l.entries, entry{fold, 1})
		if !l.unfolded {
			return
		}
	}
	l.entries = append(l.entries, ended...)
}

// height is how many rows e takes: more is said of the selected session.
func (x *roster) height(e entry) int {
	if e.id == x.selected && e.id != fold {
		return len(x.more(x.Board.Sessions[e.id])) + 1
	}
	return e.rows
}

// settle keeps the selected session on the screen, and has what was asked of it looked up.
func (x *roster) settle(l layout, focus bool) (wanted tea.Cmd) {
	x.focus = focus
	x.selectNewest()
	list := x.list()
	if !slices.ContainsFunc(list, func(e entry) bool { return e.id == x.selected }) {
		x.selected = x.instead(list)
	}
	if focus {
		wanted = x.asked.want(x.session())
	}
	_, height := l.Inner(l.sessions, 0)
	at, all, rows := 0, 0, 0
	for _, e := range list {
		if e.id == x.selected {
			at, rows = all, x.height(e)
		}
		all += x.height(e)
	}
	if at < x.top {
		x.top = at
	}
	if at+rows > x.top+height {
		x.top = min(at, at+rows-height) // who it is comes first
	}
	x.top = max(0, min(x.top, all-height))
	return wanted
}

// instead is what is selected when the selected session is not listed any more: where it has been
// folded in, so that a key on its way is about no other session.
func (x *roster) instead(list []entry) string {
	folded := x.focus && x.Board.Sessions[x.selected] != nil
	if folded && slices.ContainsFunc(list, func(e entry) bool { return e.id == fold }) {
		return fold
	}
	return x.first(list)
}

// first is the session that is selected at first: one that has not ended, if there is one.
func (x *roster) first(list []entry) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].id
}

// session is the selected session's id; "" when none is.
func (x *roster) session() string {
	if x.selected == fold {
		return ""
	}
	return x.selected
}

// unfold lists the ended sessions, or folds them.
func (x *roster) unfold() { x.unfolded = !x.unfolded }

// sessionAt is what is listed on row y of the pane.
func (x *roster) sessionAt(y int) string {
	at := -x.top
	for _, e := range x.list() {
		rows := x.height(e)
		if y >= at && y < at+rows {
			return e.id
		}
		at += rows
	}
	return ""
}

// move selects what is so many places further, or back.
func (x *roster) move(to func(at, n int) int) {
	list := x.list()
	if i := slices.IndexFunc(list, func(e entry) bool { return e.id == x.selected }); i >= 0 {
		x.selected = list[to(i, len(list))].id
	}
}

// mouse goes some sessions on, or else to the one that was clicked on.
func (x *roster) mouse(l layout, msg tea.MouseMsg, step int) {
	if step != 0 {
		x.move(func(at, n int) int { return max(0, min(at+step, n-1)) })
		return
	}
	if id := x.sessionAt(msg.Y - l.sessions.Y - 1); id != "" {
		x.selected = id
	}
}

// selectNewest selects the session that was started here last, once it is listed.
func (x *roster) selectNewest() {
	if x.newest != "" && x.Board.Sessions[x.newest] != nil {
		x.selected, x.newest = x.newest, ""
	}
}

func (x *roster) view(l layout, a draw.Area) []string {
	if a.H <= 0 {
		return nil
	}
	width, height := l.Inner(a, 0)
	f := draw.Caption{Title: "Sessions", Focus: x.focus}
	dangerous := x.dangerous()
	var rows []string
	skip := x.top
	for _, e := range x.list() {
		if n := x.height(e); skip >= n {
			skip -= n
			continue
		}
		rows = append(rows, x.rows(e.id, dangerous[e.id], width)[skip:]...)
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

// dangerous counts the dangerous calls that wait, by session. They stand first in the list.
func (x *roster) dangerous() map[string]int {
	counts := map[string]int{}
	for _, c := range x.Board.Waiting[:x.Board.Waiting.Dangerous()] {
		counts[c.Req.SessionID]++
	}
	return counts
}

// rows draws one session with what is said of it, or the fold.
func (x *roster) rows(id string, dangerous, width int) []string {
	chosen := id == x.selected && x.focus
	bar := " "
	if chosen {
		bar = "▌"
	}
	r := x.Styles.Row(width).Choose(chosen).Put(draw.Key, bar)
	if id == fold {
		text := "─ " + figures.Count(x.listed.ended) + " ended ─"
		if x.listed.away {
			text = "─ " + figures.Count(x.listed.ended) + " ended, away ─"
		}
		return []string{r.Fit(draw.Muted, text, width-1).To(width).String()}
	}
	s := x.Board.Sessions[id]
	x.row(r, s, dangerous, width)
	rows := []string{r.To(width).String()}
	for _, m := range x.more(s) {
		line := x.Styles.Row(width).Choose(chosen).Put(draw.Key, bar).Put(draw.Faint, " ")
		rows = append(rows, line.Fit(m.ink, m.fitting(width-2), width-2).To(width).String())
	}
	return rows
}
