package tui

import (
	"fmt"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/sheet"
)

// updateKey takes one key press. Pasted text and bursts are never commands.
func (m *model) updateKey(msg tea.KeyMsg) tea.Cmd {
	tookBack := m.Guard.Key(m.At)
	m.quitGen++
	if m.prompt != nil {
		if m.prompt.purpose == askYes || m.prompt.purpose == askMarked {
			msg = m.chosen.answer(msg)
		} else {
			msg = m.meantInText(msg)
		}
		return m.updatePrompt(msg)
	}
	if w, ok := m.open().(desk.Writer); ok && w.Writes() {
		if m.open() == m.rooms[desk.EditCall] { // its keys are commands
			msg = m.Meant(msg)
		} else {
			msg = m.meantInText(msg)
		}
		m.note = note{}
		return w.Write(msg, tookBack)
	}
	if !m.ownKey(msg) {
		msg = m.Meant(msg)
	}
	if msg.Paste || len(msg.Runes) > 1 {
		m.Guard.Doubt(m.At)
		m.Guard.Missed(string(msg.Runes))
		return m.Say(draw.Warn, "pasted text and bursts of keys never decide: nothing was done", "pasted or a burst: nothing was done")
	}
	if !key.Matches(msg, m.keys.Quit, m.keys.Interrupt) {
		m.quitAsked = time.Time{}
	}
	if key.Matches(msg, m.keys.Back) {
		m.Guard.Typing = false
	}
	if m.Guard.Typing && isText(msg) && !key.Matches(msg, m.keys.DenyWhy) {
		return m.Say(draw.Warn, "… D opened no input here: press esc or pause, then press the key again")
	}
	if cmd, ok := m.freezeKey(msg); ok {
		return cmd
	}
	if tookBack && !m.isDecision(msg) {
		m.Guard.Doubt(m.At)
		return m.Say(draw.Warn, "keys came too fast to be typed: nothing was decided", "too fast: nothing was decided")
	}
	if cmd, ok := m.askKey(msg); ok {
		return cmd
	}
	m.note = note{}
	if cmd, ok := m.openKey(msg); ok {
		return cmd
	}
	switch {
	case m.isDecision(msg):
		return m.decisionKey(msg)
	case key.Matches(msg, m.keys.Quit, m.keys.Interrupt):
		return m.quit(key.Matches(msg, m.keys.Interrupt))
	case key.Matches(msg, m.keys.Suspend):
		return tea.Suspend
	case key.Matches(msg, m.keys.Back):
		return m.Back()
	}
	if cmd, ok := m.heldKey(msg); ok {
		return cmd
	}
	if cmd, ok := m.tableKey(msg); ok {
		return cmd
	}
	if s := m.open(); s != nil {
		return m.subjectKey(msg, s.Subject())
	}
	switch m.screen {
	case screenMain, screenFull:
		return m.mainKey(msg)
	}
	return nil
}

// isText reports whether msg is a letter, a sign or a blank.
func isText(msg tea.KeyMsg) bool { return msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace }

func (m *model) isDecision(msg tea.KeyMsg) bool {
	return m.digit(msg) != "" || m.putOffKey(msg) || m.moreTimeKey(msg) || key.Matches(msg, m.keys.Allow, m.keys.Deny, m.keys.DenyWhy, m.keys.Stop, m.keys.StopAll, m.keys.Kill, m.keys.Observe, m.keys.AlarmSeen, m.keys.Edit, m.keys.EndTurn, m.keys.MakeRule)
}

// decisionKey takes a key that changes what agents may do. Where D opens no input, the
// words meant for it must not be taken for keys.
func (m *model) decisionKey(msg tea.KeyMsg) tea.Cmd {
	if digit := m.digit(msg); digit != "" {
		return m.typeDigit(digit)
	}
	wait, refusal := m.Guard.Press(msg.String(), m.At)
	cmd := m.judge(msg, wait, refusal)
	if m.prompt == nil {
		m.Guard.Missed(msg.String())
	}
	return cmd
}

// judge says what a decision key does now; refusal is what the guard has against it.
func (m *model) judge(msg tea.KeyMsg, wait time.Duration, refusal string) tea.Cmd {
	if key.Matches(msg, m.keys.AlarmSeen) {
		return m.orders.AlarmSeen(refusal)
	}
	if key.Matches(msg, m.keys.EndTurn) && m.ofSession() {
		return m.interrupt(m.sessionHere(), refusal)
	}
	if s := m.open(); s != nil && key.Matches(msg, m.keys.Stop) && s == m.rooms[desk.Managed] {
		return m.orders.Stop(s.Subject().Session, refusal)
	}
	if m.open() != nil || m.screen != screenMain && m.screen != screenFull {
		return m.Say(draw.Muted, "nothing on this screen can be decided; esc goes back")
	}
	if key.Matches(msg, m.keys.StopAll) {
		return m.orders.StopAll(refusal)
	}
	if key.Matches(msg, m.keys.Stop) && m.focus == paneSessions {
		return m.orders.Stop(m.session, refusal)
	}
	if key.Matches(msg, m.keys.Kill) && m.focus == paneSessions {
		return m.orders.Kill(m.session, refusal)
	}
	if key.Matches(msg, m.keys.Observe) {
		if m.focus != paneSessions || m.screen != screenMain {
			return m.Say(draw.Muted, "O observes a session, or holds it again: tab goes to the sessions", "O is for sessions: tab goes there")
		}
		return m.orders.Observe(m.session, refusal)
	}
	if key.Matches(msg, m.keys.MakeRule) {
		return m.makeRule(wait, refusal)
	}
	if key.Matches(msg, m.keys.Edit) {
		return m.askEdit(wait, refusal)
	}
	if m.putOffKey(msg) {
		return m.judgePutOff(msg, m.drawnCard(), wait, refusal)
	}
	if m.moreTimeKey(msg) {
		return m.judgeMoreTime(m.drawnCard(), wait, refusal)
	}
	if len(m.Board.Marks) > 0 && !key.Matches(msg, m.keys.Stop, m.keys.Kill) && !m.tooSmall() {
		return m.judgeMarked(msg, refusal)
	}
	c := m.drawnCard()
	switch {
	case c == nil && m.tooSmall() && m.card() != nil:
		return m.Say(draw.Warn, m.tooSmallText())
	case c == nil:
		return m.Say(draw.Muted, "nothing waits")
	case (key.Matches(msg, m.keys.DenyWhy) || key.Matches(msg, m.keys.Deny) && mustBeSaid(c)) && !m.Guard.Burst() && c.Sending == "" && !c.Late():
		m.openReason(c) // also while deaf: it decides nothing yet, and what is typed next must not be taken for keys
		return nil
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case key.Matches(msg, m.keys.Stop):
		return m.orders.Stop(c.Req.SessionID, "")
	case key.Matches(msg, m.keys.Kill):
		return m.orders.Kill(c.Req.SessionID, "")
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case key.Matches(msg, m.keys.DenyWhy):
		return m.Say(draw.Muted, "this call was refused already; a lets its retry pass once, d dismisses it")
	case key.Matches(msg, m.keys.Deny):
		return m.Guard.Hold(guard.Held{Verdict: broker.Deny}, wait, m.At)
	case c.Held():
		return m.sayHeld(c)
	case locked(c):
		return m.sayReadOn()
	case c.Dangerous():
		return m.sayCode(c)
	}
	return m.Guard.Hold(guard.Held{Verdict: broker.Allow}, wait, m.At)
}

// quit leaves at once when nothing waits, and else on a second press. A key that is
// held down is no second press: it goes on repeating.
func (m *model) quit(interrupt bool) tea.Cmd {
	if (m.open() != nil || m.screen != screenMain) && !interrupt {
		return m.Back()
	}
	n := len(m.Board.Waiting) - m.Board.Waiting.PutOff() // what is put off loses nothing
	since := m.At.Sub(m.quitAsked)
	asked := !m.quitAsked.IsZero()
	switch {
	case n == 0, asked && interrupt:
		return tea.Quit
	case asked && since >= guard.DeafFor:
		gen := m.quitGen
		m.quitAsked = m.At
		return tea.Tick(guard.RepeatFor, func(time.Time) tea.Msg { return quitMsg{gen} })
	case asked:
		m.quitAsked = m.At
		return nil
	}
	m.quitAsked = m.At
	name := "q"
	if interrupt {
		name = "ctrl+c"
	}
	calls, wait := figures.Plural(n, "call"), "wait"
	if n == 1 {
		wait = "waits"
	}
	m.noteGen++ // stays until a key
	m.note = note{ink: draw.Warn, text: m.Fitting(
		fmt.Sprintf("%s %s: without a console the agents keep asking until the deadline, then are refused. %s again quits", calls, wait, name),
		fmt.Sprintf("%s %s; without a console they are refused in the end. %s again quits", calls, wait, name),
		fmt.Sprintf("%s %s and will be refused: %s quits", calls, wait, name),
		fmt.Sprintf("%s %s: %s quits", calls, wait, name),
	)}
	return nil
}

// Back leaves the innermost thing: a screen, then the marks, then the filter.
func (m *model) Back() tea.Cmd {
	switch {
	case m.open() != nil:
		m.close(m.open())
	case m.screen != screenMain:
		m.screen = screenMain
	case len(m.Board.Marks) > 0:
		clear(m.Board.Marks)
	case m.Board.Filter.Active():
		m.filterBy(board.Filter{})
	}
	return nil
}

func (m *model) filterBy(f board.Filter) {
	at := m.Board.Place(m.card())
	m.Board.SetFilter(f)
	if m.card() == nil {
		m.selectRow(at)
	}
}

// mainKey moves in the panes and opens screens.
func (m *model) mainKey(msg tea.KeyMsg) tea.Cmd {
	if cmd, ok := m.keyOf(m.sheets.Keys(sheet.Drawn{LayOut: m.drawnDoc, Top: &m.scroll}), msg); ok {
		return cmd
	}
	switch {
	case key.Matches(msg, m.keys.Filter):
		m.screen, m.focus = screenMain, paneQueue // in a low window the sessions hide what is filtered
		m.openFilter()
	case key.Matches(msg, m.keys.Copy):
		return m.copyCall(m.drawnCard())
	case key.Matches(msg, m.keys.Jump):
		return m.jump()
	case key.Matches(msg, m.keys.Mute):
		return m.muteKey()
	case key.Matches(msg, m.keys.Mark, m.keys.MarkAlike):
		return m.markKey(msg)
	case key.Matches(msg, m.keys.Next):
		m.nextPane(1)
	case key.Matches(msg, m.keys.Previous):
		m.nextPane(paneCount - 1)
	case key.Matches(msg, m.keys.Open):
		return m.openCall()
	case key.Matches(msg, m.keys.PageDown, m.keys.PageUp):
		m.scroll = m.scrolled(msg, m.scroll, m.drawnRows())
	case m.screen == screenFull || m.focus == paneDetail:
		m.scroll = m.scrolled(msg, m.scroll, m.drawnRows())
	case key.Matches(msg, m.keys.Bottom) && m.focus == paneQueue && m.unread():
		m.scroll = m.drawnRows()
	case m.focus == paneSessions:
		m.moveSession(msg)
	default:
		at := m.Board.Place(m.card())
		m.selectRow(m.moved(msg, at, m.Board.Rows()))
		m.went = m.selected
	}
	return nil
}

// unread reports whether the drawn call's end was not on the screen yet.
func (m *model) unread() bool {
	c := m.drawnCard()
	return c != nil && locked(c)
}

// drawnRequest is the call that is on the screen, nil when there is none.
func (m *model) drawnRequest() *broker.Request {
	if c := m.drawnCard(); c != nil {
		return &c.Req
	}
	return nil
}

func (m *model) drawnRows() int {
	c := m.drawnCard()
	if c == nil {
		return 0
	}
	width, _ := m.room()
	return len(m.doc(c, width).Rows)
}

func (m *model) openCall() tea.Cmd {
	switch {
	case m.focus == paneSessions && m.screen == screenMain && m.Board.Held(m.session):
		return m.Open(desk.Managed, desk.Subject{Session: m.session})
	case m.focus == paneSessions && m.session != "" && m.screen == screenMain:
		m.filterBy(board.Filter{SessionID: m.session})
		m.focus = paneQueue
	case m.card() == nil:
		return m.Say(draw.Muted, "nothing waits")
	case m.tooSmall():
		return m.Say(draw.Warn, m.tooSmallText())
	case m.screen == screenMain:
		m.screen = screenFull
	}
	return nil
}

// moved is item at after a key that moves in a list of n.
func (m *model) moved(msg tea.KeyMsg, at, n int) int {
	switch {
	case key.Matches(msg, m.keys.Down):
		at++
	case key.Matches(msg, m.keys.Up):
		at--
	case key.Matches(msg, m.keys.Top):
		at = 0
	case key.Matches(msg, m.keys.Bottom):
		at = n - 1
	}
	return max(0, min(at, n-1))
}

// scrolled is a text's first row after a key that scrolls; n is its length.
func (m *model) scrolled(msg tea.KeyMsg, top, n int) int {
	_, height := m.room()
	switch {
	case key.Matches(msg, m.keys.PageDown):
		return min(top+max(1, height/2), max(0, n-height))
	case key.Matches(msg, m.keys.PageUp):
		return max(0, top-max(1, height/2))
	case key.Matches(msg, m.keys.Bottom):
		return max(0, n-height)
	}
	return m.moved(msg, top, max(1, n-height+1))
}

func (m *model) moveSession(msg tea.KeyMsg) {
	roster := m.Board.Roster
	for i, id := range roster {
		if id == m.session {
			m.session = roster[m.moved(msg, i, len(roster))]
			return
		}
	}
}

// nextPane goes by panes on, or back, to one that is drawn: without a call there is no pane for it.
func (m *model) nextPane(by pane) {
	m.focus = (m.focus + by) % paneCount
	if m.focus == paneDetail && m.Board.Rows() == 0 {
		m.focus = (m.focus + by) % paneCount
	}
}
