package queue

import (
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/fleet"
)

// roster is the pane of the sessions, and which one is selected. A session has one row; more is said
// of the selected one, and of one in which something went wrong. Ended ones are folded into a row.
type roster struct {
	*desk.Desk
	muted    func(session string) bool
	selected string          // id of a session, or fold
	unfolded map[string]bool // by fold: its ended sessions are listed
	turned   int             // counts how often one was folded or unfolded
	focus    bool            // keys are for this pane
	top      int             // first row on the screen
	newest   string          // id of the session that was started here last, until it is listed
	listed   listing
	asked    asked
	width    int // of its rows, in cells
}

// listing is what the pane lists, kept until a session or a machine changes, or something is folded.
type listing struct {
	revs    [3]int // see roster.revs
	entries []entry
	living  map[string]int    // by machine: how many sessions have not ended
	folds   map[string]hidden // by fold
	wide    int               // cells of the widest row; 0: not asked for yet
}

// What an entry begins with that is no session: no session has such an id.
const (
	fold       = "\x00ended"   // stands for the sessions that have ended; behind it their machine
	machineRow = "\x00machine" // stands above the sessions of the machine that is named behind it
)

// isFold reports whether the entry of that id stands for ended sessions.
func isFold(id string) bool { return strings.HasPrefix(id, fold) }

// machineIn is the machine that the entry of that id is; "" when it is none.
func machineIn(id string) string {
	machine, _ := strings.CutPrefix(id, machineRow)
	if machine == id {
		return ""
	}
	return machine
}

// entry is a session, a fold or a machine, as it is listed.
type entry struct {
	id   string
	rows int // while it is not selected
}

// hidden is how many sessions are listed only where ended ones are.
type hidden struct {
	n    int
	away bool // one of them was put away, and lives
}

// folds reports whether s is listed only where ended sessions are: those that were put away, too.
func folds(s *broker.Session) bool { return s.State.Ended() && s.Deferred == 0 || s.Away() }

// list is what the pane lists. It is the same for all keys and frames until something changes.
func (x *roster) list() []entry {
	if revs := x.revs(); x.listed.entries == nil || x.listed.revs != revs {
		x.listed = listing{revs: revs}
		x.listed.fill(x.Board, x.unfolded)
	}
	return x.listed.entries
}

// revs differ whenever the list may be another one.
func (x *roster) revs() [3]int { return [3]int{x.Board.SessionRev(), x.Board.Fleet.Rev(), x.turned} }

// fill lists the sessions: below the line of their machine, where there are several.
func (l *listing) fill(b *board.Board, unfolded map[string]bool) {
	l.entries, l.living, l.folds = make([]entry, 0, len(b.Roster)), map[string]int{}, map[string]hidden{}
	if !b.Fleet.Many() {
		l.add(b, b.Roster, "", unfolded)
		return
	}
	of := map[string][]string{}
	for _, id := range b.Roster {
		if s := b.Sessions[id]; s.Open() {
			l.living[s.Machine]++
		}
		of[b.Sessions[id].Machine] = append(of[b.Sessions[id].Machine], id)
	}
	for _, m := range b.Fleet.All() {
		l.entries = append(l.entries, entry{machineRow + m.ID, m.Rows(0, false)})
		if !b.Fleet.Folded(m.ID) {
			l.add(b, of[m.ID], m.ID, unfolded)
		}
		delete(of, m.ID)
	}
	for _, machine := range slices.Sorted(maps.Keys(of)) { // not heard of as a machine yet
		l.add(b, of[machine], machine, unfolded)
	}
}

// add lists the sessions of a machine. Where none of them lives, ended ones are not folded.
func (l *listing) add(b *board.Board, ids []string, machine string, unfolded map[string]bool) {
	var ended []entry
	from, away := len(l.entries), false
	for _, id := range ids {
		s := b.Sessions[id]
		if s.Removed() {
			continue
		}
		e := entry{id, len(known(s)) + 1}
		if folds(s) {
			away = away || !s.Over()
			ended = append(ended, e)
		} else {
			l.entries = append(l.entries, e)
		}
	}
	if len(ended) > 0 && len(l.entries) > from {
		l.entries = append(l.entries, entry{fold + machine, 1})
		l.folds[fold+machine] = hidden{len(ended), away}
		if !unfolded[fold+machine] {
			return
		}
	}
	l.entries = append(l.entries, ended...)
}

// height is how many rows e takes: more is said of the selected session.
func (x *roster) height(e entry) int {
	if m := x.Board.Fleet.By(machineIn(e.id)); m != nil && x.opened(e) {
		return m.Rows(x.width, true)
	}
	if e.id == x.selected && x.session() != "" {
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
	width, height := l.Inner(l.sessions, 0)
	x.width = width
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
	if s := x.Board.Sessions[x.selected]; x.focus && s != nil {
		for _, into := range []string{fold + s.Machine, fold, machineRow + s.Machine} {
			if slices.ContainsFunc(list, func(e entry) bool { return e.id == into }) {
				return into
			}
		}
	}
	return x.first(list)
}

// first is the session that is selected at first: one that has not ended, if there is one.
func (x *roster) first(list []entry) string {
	for _, e := range list {
		if machineIn(e.id) == "" {
			return e.id
		}
	}
	if len(list) > 0 {
		return list[0].id
	}
	return ""
}

// session is the selected session's id; "" when none is.
func (x *roster) session() string {
	if isFold(x.selected) || machineIn(x.selected) != "" {
		return ""
	}
	return x.selected
}

// unfold lists the ended sessions of a fold, or folds them.
func (x *roster) unfold(id string) {
	if x.unfolded == nil {
		x.unfolded = map[string]bool{}
	}
	x.unfolded[id] = !x.unfolded[id]
	x.turned++
}

// turn folds or unfolds what is selected, if that has sessions below it.
func (x *roster) turn() (turned bool) {
	switch machine := machineIn(x.selected); {
	case machine != "":
		x.Board.Fleet.Fold(machine)
	case isFold(x.selected):
		x.unfold(x.selected)
	default:
		return false
	}
	return true
}

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
	inside := x.inside(dangerous)
	var rows []string
	skip := x.top
	for _, e := range x.list() {
		if n := x.height(e); skip >= n {
			skip -= n
			continue
		}
		rows = append(rows, x.rows(e, dangerous[e.id], inside, width)[skip:]...)
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

// opened reports whether e is the machine that keys are about: all of its problem is told.
func (x *roster) opened(e entry) bool { return x.focus && e.id == x.selected }

// inside is what waits on each machine, by its id.
func (x *roster) inside(dangerous map[string]int) map[string]fleet.Inside {
	if !x.Board.Fleet.Many() {
		return nil
	}
	of := make(map[string]fleet.Inside, len(x.listed.living))
	for id, n := range x.Board.Pending {
		if s := x.Board.Sessions[id]; s != nil {
			in := of[s.Machine]
			in.Waiting += n
			in.Dangerous += dangerous[id]
			of[s.Machine] = in
		}
	}
	return of
}

// rows draws one session with what is said of it, a fold, or a machine.
func (x *roster) rows(e entry, dangerous int, inside map[string]fleet.Inside, width int) []string {
	chosen := e.id == x.selected && x.focus
	bar := " "
	if chosen {
		bar = "▌"
	}
	lead := func() *draw.Row { return x.Styles.Row(width).Choose(chosen).Put(draw.Key, bar) }
	if m := x.Board.Fleet.By(machineIn(e.id)); m != nil {
		in := inside[m.ID]
		in.Sessions = x.listed.living[m.ID]
		return m.Line(x.Board.Fleet.Folded(m.ID), x.opened(e), in, x.At, width, lead)
	}
	if x.Board.Fleet.Many() { // below its machine
		outer := lead
		lead = func() *draw.Row { return outer().Put(draw.Text, " ") }
	}
	r := lead()
	if isFold(e.id) {
		below := x.listed.folds[e.id]
		text := "─ " + figures.Count(below.n) + " ended ─"
		if below.away {
			text = "─ " + figures.Count(below.n) + " ended, away ─"
		}
		return []string{r.Fit(draw.Muted, text, width-r.Width).To(width).String()}
	}
	s := x.Board.Sessions[e.id]
	x.row(r, s, dangerous, width)
	rows := []string{r.To(width).String()}
	for _, m := range x.more(s) {
		line := lead().Put(draw.Faint, " ")
		room := width - line.Width
		rows = append(rows, line.Fit(m.ink, m.fitting(room), room).To(width).String())
	}
	return rows
}
