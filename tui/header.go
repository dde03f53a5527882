package tui

import (
	"time"

	"github.com/aoctl/aoctl/tui/safe"
)

// header is the first row: counts on the left, the broker's health and the clock on
// the right.
func (m *model) header() string {
	r := m.st.row(m.width).put(inkTitle, " aoctl")
	if m.opts.Demo {
		r.put(inkMuted, " demo")
	}
	if m.board.health.Observing {
		r.put(inkText, "  ").put(inkAlarm, " "+observingWords+" ")
	}
	m.counts(r, m.width-7) // the clock has room beside them
	right := m.health(m.width - r.width - 2)
	if n := m.width - 1 - right.width; n > r.width {
		r.to(n)
		return r.String() + right.String() + " "
	}
	return r.to(m.width).String()
}

// counts writes how many sessions there are and how many calls wait; in a narrow
// window only the latter.
func (m *model) counts(r *row, end int) {
	b := m.board
	n := len(b.waiting) - b.waiting.putOff()
	waiting, dangerous := count(n)+" waiting", ""
	waitingInk := inkMuted
	if n > 0 {
		waitingInk = inkWarn
	}
	if n := b.waiting.dangerous(); n > 0 {
		dangerous = " · " + count(n) + " dangerous"
	}
	sep := "  "
	if sessions := sep + plural(b.living(), "session"); r.width+cells(sessions+" · "+waiting+dangerous) < end {
		r.put(inkMuted, sessions)
		sep = " · "
	}
	if r.width+cells(sep+waiting) >= end {
		return
	}
	r.put(inkMuted, sep).put(waitingInk, waiting)
	if r.width+cells(dangerous) < end {
		r.put(inkDanger, dangerous)
	}
	if n := b.observedSessions(); n > 0 && !b.health.Observing && r.width+cells(" · 9 observed") < end {
		r.put(inkWarn, " · "+count(n)+" observed")
	}
	if n := b.frozenSessions(); n > 0 && !b.health.Frozen && r.width+cells(" · 9 frozen") < end {
		r.put(inkFrozen, " · "+count(n)+" frozen")
	}
	if n := b.heldCalls(); n > 0 && r.width+cells(" · 9 held") < end {
		r.put(inkFrozen, " · "+count(n)+" held")
	}
	if n := m.refusedCount(); n != "" && r.width+cells(" · "+n) < end {
		r.put(inkMuted, " · ").put(inkDanger, n)
	}
	if late := " · " + lateCount(len(b.late)); len(b.late) > 0 && r.width+cells(late) < end {
		r.put(inkMuted, late)
	}
}

func lateCount(n int) string { return count(n) + " late" }

// health is what the broker says of itself, and the time, in at most width cells.
func (m *model) health(width int) *row {
	h := m.board.health
	log, logInk := "", inkMuted
	switch {
	case h.LogBroken != "":
		log, logInk = "log ✗ changed", inkDanger
	case h.StoreErr != "":
		log, logInk = "log ✗ not recording", inkDanger
	case len(h.LogHash) >= 6:
		log = "log " + safe.Line(h.LogHash[:6])
	}
	state, stateInk := "socket ok", inkMuted
	switch {
	case h.SocketErr != "":
		state, stateInk = "socket ✗", inkDanger
	case m.newsMissing:
		state, stateInk = "no word from the broker", inkWarn
	case h.TCP != "":
		state, stateInk = "socket ok · tcp "+safe.Line(h.TCP), inkText
	}
	now := m.at.Format("15:04:05")
	room := width - len(now)
	if room < 0 {
		now, room = m.at.Format("15:04"), width-len("15:04")
	}
	r := m.st.row(width)
	// An error is the last to go when there is no room for all.
	withState := cells(state)+3 <= room
	withLog := log != "" && cells(log)+3 <= room && (!withState || cells(log)+3+cells(state)+3 <= room)
	if withState && !withLog && logInk == inkDanger && stateInk == inkMuted && cells(log)+3 <= room {
		withState, withLog = false, true
	}
	if withLog {
		r.put(logInk, log)
	}
	if withLog && withState {
		r.put(inkMuted, " · ")
	}
	if withState {
		r.put(stateInk, state)
	}
	if withLog || withState {
		r.put(inkMuted, "   ")
	}
	if room >= 0 {
		r.put(inkText, now)
	}
	return r
}

// lostFor is how long the broker may be silent before the console says so: a console
// that fell behind has a new snapshot much sooner.
const lostFor = time.Second

// banners are sentences that must not be missed, one row each.
func (m *model) banners() []string {
	var list []string
	h := m.board.health
	list = append(list, m.alarmBanners()...)
	list = append(list, m.settingsBanners()...)
	if h.Observing {
		list = append(list, observingTold)
	}
	if h.LogBroken != "" {
		list = append(list, "the log was changed by another program: "+safeLine(h.LogBroken)+"; rules allow nothing")
	}
	if h.LogUnread != "" {
		list = append(list, "the log could not be checked yet: "+safeLine(h.LogUnread)+"; rules allow nothing until it is")
	}
	if h.StoreErr != "" {
		list = append(list, "not recording, calls are refused · "+safeLine(h.StoreErr))
	}
	if told := m.floodTold(); told != "" {
		list = append(list, told)
	}
	if h.SocketErr != "" {
		list = append(list, "hooks cannot reach this console · "+safeLine(h.SocketErr))
	}
	list = append(list, m.configBanners()...)
	if m.newsMissing && m.at.Sub(m.lostAt) >= lostFor {
		list = append(list, "no word from the broker: do not trust this screen")
	}
	return list
}

// floodTold says whose calls are refused because there are too many, "" when nobody's are.
func (m *model) floodTold() string {
	floods := m.board.health.Floods
	if len(floods) == 0 {
		return ""
	}
	worst := floods[0]
	who := "calls of new sessions"
	if worst.SessionID != "" {
		who = m.board.label(worst.SessionID)
	}
	text := plural(worst.Refused, "call") + " refused: " + who + " " + safeLine(worst.Why)
	if more := len(floods) - 1 + m.board.health.MoreFloods; more > 0 {
		text += " · and " + count(more) + " more"
	}
	return text
}
