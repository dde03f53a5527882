package tui

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/trust"
)

// header is what stands above the screens: the first row, what must not be missed, and the line of a
// freeze.
type header struct {
	*desk.Desk
	line     *line
	feed     *feed
	opts     *Options
	attempts *attempts
	asks     *trust.Asks
}

func (m *model) header() header {
	return header{Desk: m.Desk, line: m.line, feed: m.feed, opts: &m.opts, attempts: &m.attempts, asks: m.shared.asks}
}

// head is all rows above the screens.
func (m *model) head() []string {
	h := m.header()
	rows := []string{h.view()}
	if line := h.frozen(); line != "" {
		rows = append(rows, line)
	}
	if line := h.asks.Line(m.width); line != "" {
		rows = append(rows, line)
	}
	for _, text := range h.banners() {
		rows = append(rows, m.Styles.Row(m.width).Put(draw.Danger, " ! ").Fit(draw.Danger, text, m.width-4).To(m.width).String())
	}
	return rows
}

// height is how many rows head takes. It is asked more often than they are drawn.
func (h header) height() int {
	n := 1 + len(h.banners())
	if h.Board.Health.Frozen {
		n++
	}
	if h.asks.Line(h.line.width) != "" {
		n++
	}
	return n
}

// view is the first row: counts on the left, the broker's health and the clock on
// the right.
func (h header) view() string {
	r := h.Styles.Row(h.line.width).Put(draw.Title, " aoctl")
	if h.opts.Demo {
		r.Put(draw.Muted, " demo")
	}
	if h.Board.Health.Observing {
		r.Put(draw.Text, "  ").Put(draw.Alarm, " "+observingWords+" ")
	}
	h.counts(r, h.line.width-7) // the clock has room beside them
	right := h.health(h.line.width - r.Width - 2)
	if n := h.line.width - 1 - right.Width; n > r.Width {
		r.To(n)
		return r.String() + right.String() + " "
	}
	return r.To(h.line.width).String()
}

// counts writes how many sessions there are and how many calls wait; in a narrow
// window only the latter.
func (h header) counts(r *draw.Row, end int) {
	b := h.Board
	n := len(b.Waiting) - b.Waiting.PutOff()
	waiting, dangerous := figures.Count(n)+" waiting", ""
	waitingInk := draw.Muted
	if n > 0 {
		waitingInk = draw.Warn
	}
	if n := b.Waiting.Dangerous(); n > 0 {
		dangerous = " · " + figures.Count(n) + " dangerous"
	}
	sep := "  "
	for _, sessions := range sessionCounts(b.Living(), b.Ended()) {
		if r.Width+draw.Cells(sep+sessions+" · "+waiting+dangerous) < end {
			r.Put(draw.Muted, sep+sessions)
			sep = " · "
			break
		}
	}
	if r.Width+draw.Cells(sep+waiting) >= end {
		return
	}
	r.Put(draw.Muted, sep).Put(waitingInk, waiting)
	if r.Width+draw.Cells(dangerous) < end {
		r.Put(draw.Danger, dangerous)
	}
	h.machines(r, end)
	if n := b.ObservedSessions(); n > 0 && !b.Health.Observing && r.Width+draw.Cells(" · 9 observed") < end {
		r.Put(draw.Warn, " · "+figures.Count(n)+" observed")
	}
	if n := b.FrozenSessions(); n > 0 && !b.Health.Frozen && r.Width+draw.Cells(" · 9 sessions frozen") < end {
		r.Put(draw.Frozen, " · "+figures.Plural(n, "session")+" frozen")
	}
	if n := b.HeldCalls(); n > 0 && r.Width+draw.Cells(" · 9 frozen") < end {
		r.Put(draw.Frozen, " · "+figures.Count(n)+" frozen")
	}
	if n := h.attempts.lately(h.At); n != "" && r.Width+draw.Cells(" · "+n) < end {
		r.Put(draw.Muted, " · ").Put(draw.Danger, n)
	}
	if late := " · " + lateCount(len(b.Late)); len(b.Late) > 0 && r.Width+draw.Cells(late) < end {
		r.Put(draw.Muted, late)
	}
}

// machines writes how many machines there are, and how many of them are out of reach.
func (h header) machines(r *draw.Row, end int) {
	texts, loud := h.Board.Fleet.Counts(h.At)
	ink := draw.Muted
	if loud {
		ink = draw.Warn
	}
	for _, text := range texts {
		if r.Width+draw.Cells(" · "+text) < end {
			r.Put(draw.Muted, " · ").Put(ink, text)
			return
		}
	}
}

// sessionCounts says how many sessions there are, the longest text first. Ended ones have rows too, so
// they are counted by themselves.
func sessionCounts(live, ended int) []string {
	if ended > 0 {
		return []string{figures.Count(live) + " live, " + figures.Count(ended) + " ended", figures.Count(live) + " live"}
	}
	return []string{figures.Plural(live, "session")}
}

func lateCount(n int) string { return figures.Count(n) + " late" }

// health is what the broker says of itself, and the time, in at most width cells.
func (h header) health(width int) *draw.Row {
	is := h.Board.Health
	log, logInk := "", draw.Muted
	switch {
	case is.LogBroken != "":
		log, logInk = "log ✗ changed", draw.Danger
	case is.StoreErr != "":
		log, logInk = "log ✗ not recording", draw.Danger
	case len(is.LogHash) >= 6:
		log = "log " + safe.Line(is.LogHash[:6])
	}
	state, stateInk := "socket ok", draw.Muted
	switch {
	case is.Servers == broker.ServersUp:
		state = "server ok"
	case is.Servers != "":
		state, stateInk = "no server", draw.Danger
	case is.SocketErr != "":
		state, stateInk = "socket ✗", draw.Danger
	case h.feed.missing:
		state, stateInk = "no word from the broker", draw.Warn
	case is.TCP != "":
		state, stateInk = "socket ok · tcp "+safe.Line(is.TCP), draw.Text
	}
	now := h.At.Format("15:04:05")
	room := width - len(now)
	if room < 0 {
		now, room = h.At.Format("15:04"), width-len("15:04")
	}
	r := h.Styles.Row(width)
	// An error is the last to go when there is no room for all.
	withState := draw.Cells(state)+3 <= room
	withLog := log != "" && draw.Cells(log)+3 <= room && (!withState || draw.Cells(log)+3+draw.Cells(state)+3 <= room)
	if withState && !withLog && logInk == draw.Danger && stateInk == draw.Muted && draw.Cells(log)+3 <= room {
		withState, withLog = false, true
	}
	if withLog {
		r.Put(logInk, log)
	}
	if withLog && withState {
		r.Put(draw.Muted, " · ")
	}
	if withState {
		r.Put(stateInk, state)
	}
	if withLog || withState {
		r.Put(draw.Muted, "   ")
	}
	if room >= 0 {
		r.Put(draw.Text, now)
	}
	return r
}
