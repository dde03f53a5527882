package tui

import (
	"time"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// header is the first row: counts on the left, the broker's health and the clock on
// the right.
func (m *model) header() string {
	r := m.Styles.Row(m.width).Put(draw.Title, " aoctl")
	if m.opts.Demo {
		r.Put(draw.Muted, " demo")
	}
	if m.Board.Health.Observing {
		r.Put(draw.Text, "  ").Put(draw.Alarm, " "+observingWords+" ")
	}
	m.counts(r, m.width-7) // the clock has room beside them
	right := m.health(m.width - r.Width - 2)
	if n := m.width - 1 - right.Width; n > r.Width {
		r.To(n)
		return r.String() + right.String() + " "
	}
	return r.To(m.width).String()
}

// counts writes how many sessions there are and how many calls wait; in a narrow
// window only the latter.
func (m *model) counts(r *draw.Row, end int) {
	b := m.Board
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
	if sessions := sep + figures.Plural(b.Living(), "session"); r.Width+draw.Cells(sessions+" · "+waiting+dangerous) < end {
		r.Put(draw.Muted, sessions)
		sep = " · "
	}
	if r.Width+draw.Cells(sep+waiting) >= end {
		return
	}
	r.Put(draw.Muted, sep).Put(waitingInk, waiting)
	if r.Width+draw.Cells(dangerous) < end {
		r.Put(draw.Danger, dangerous)
	}
	if n := b.ObservedSessions(); n > 0 && !b.Health.Observing && r.Width+draw.Cells(" · 9 observed") < end {
		r.Put(draw.Warn, " · "+figures.Count(n)+" observed")
	}
	if n := b.FrozenSessions(); n > 0 && !b.Health.Frozen && r.Width+draw.Cells(" · 9 frozen") < end {
		r.Put(draw.Frozen, " · "+figures.Count(n)+" frozen")
	}
	if n := b.HeldCalls(); n > 0 && r.Width+draw.Cells(" · 9 held") < end {
		r.Put(draw.Frozen, " · "+figures.Count(n)+" held")
	}
	if n := m.refusedCount(); n != "" && r.Width+draw.Cells(" · "+n) < end {
		r.Put(draw.Muted, " · ").Put(draw.Danger, n)
	}
	if late := " · " + lateCount(len(b.Late)); len(b.Late) > 0 && r.Width+draw.Cells(late) < end {
		r.Put(draw.Muted, late)
	}
}

func lateCount(n int) string { return figures.Count(n) + " late" }

// health is what the broker says of itself, and the time, in at most width cells.
func (m *model) health(width int) *draw.Row {
	h := m.Board.Health
	log, logInk := "", draw.Muted
	switch {
	case h.LogBroken != "":
		log, logInk = "log ✗ changed", draw.Danger
	case h.StoreErr != "":
		log, logInk = "log ✗ not recording", draw.Danger
	case len(h.LogHash) >= 6:
		log = "log " + safe.Line(h.LogHash[:6])
	}
	state, stateInk := "socket ok", draw.Muted
	switch {
	case h.SocketErr != "":
		state, stateInk = "socket ✗", draw.Danger
	case m.newsMissing:
		state, stateInk = "no word from the broker", draw.Warn
	case h.TCP != "":
		state, stateInk = "socket ok · tcp "+safe.Line(h.TCP), draw.Text
	}
	now := m.At.Format("15:04:05")
	room := width - len(now)
	if room < 0 {
		now, room = m.At.Format("15:04"), width-len("15:04")
	}
	r := m.Styles.Row(width)
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

// lostFor is how long the broker may be silent before the console says so: a console
// that fell behind has a new snapshot much sooner.
const lostFor = time.Second

// banners are sentences that must not be missed, one row each.
func (m *model) banners() []string {
	var list []string
	h := m.Board.Health
	list = append(list, m.alarmBanners()...)
	list = append(list, m.settingsBanners()...)
	if h.Observing {
		list = append(list, observingTold)
	}
	if h.LogBroken != "" {
		list = append(list, "the log was changed by another program: "+draw.SafeLine(h.LogBroken)+"; rules allow nothing")
	}
	if h.LogUnread != "" {
		list = append(list, "the log could not be checked yet: "+draw.SafeLine(h.LogUnread)+"; rules allow nothing until it is")
	}
	if h.StoreErr != "" {
		list = append(list, "not recording, calls are refused · "+draw.SafeLine(h.StoreErr))
	}
	if told := m.floodTold(); told != "" {
		list = append(list, told)
	}
	if h.SocketErr != "" {
		list = append(list, "hooks cannot reach this console · "+draw.SafeLine(h.SocketErr))
	}
	list = append(list, m.configBanners()...)
	if m.newsMissing && m.At.Sub(m.lostAt) >= lostFor {
		list = append(list, "no word from the broker: do not trust this screen")
	}
	return list
}

// floodTold says whose calls are refused because there are too many, "" when nobody's are.
func (m *model) floodTold() string {
	floods := m.Board.Health.Floods
	if len(floods) == 0 {
		return ""
	}
	worst := floods[0]
	who := "calls of new sessions"
	if worst.SessionID != "" {
		who = m.Board.Label(worst.SessionID)
	}
	text := figures.Plural(worst.Refused, "call") + " refused: " + who + " " + draw.SafeLine(worst.Why)
	if more := len(floods) - 1 + m.Board.Health.MoreFloods; more > 0 {
		text += " · and " + figures.Count(more) + " more"
	}
	return text
}
