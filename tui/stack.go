package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tty"
)

// open is the screen on top of the stack, nil when the first screen is drawn.
func (m *model) open() desk.Screen {
	if n := len(m.stack); n > 0 {
		return m.stack[n-1]
	}
	return nil
}

// covering is the screen that fills the room: the one on top, or below a strip the next one; nil
// for the first screen.
func (m *model) covering() desk.Screen {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, strip := m.stack[i].(desk.Strip); !strip {
			return m.stack[i]
		}
	}
	return nil
}

// stripCovers reports whether a strip takes the whole room.
func (m *model) stripCovers() bool {
	_, strip := m.open().(desk.Strip)
	return strip && m.layout().body.H == 0
}

// drawnBy is the call that s, which fills the room but for a strip, draws for a decision.
func (m *model) drawnBy(s desk.Screen) guard.Drawn {
	if m.stripCovers() {
		return guard.Drawn{}
	}
	return s.Subject().Drawn
}

// Open puts the screen of this name on top. One that is open already comes up from where it is.
func (m *model) Open(name string, on desk.Subject) tea.Cmd {
	s := m.rooms[name]
	m.close(s)
	if w, ok := m.open().(desk.Writer); ok && w.Writes() { // it stays on top: keys are for what is being typed
		m.stack = slices.Insert(m.stack, len(m.stack)-1, s)
	} else {
		m.stack = append(m.stack, s)
	}
	m.Guard.Doubt(m.At)
	return s.Opens(on)
}

// close takes s off the stack, wherever it lies.
func (m *model) close(s desk.Screen) {
	kept := m.stack[:0]
	for _, other := range m.stack {
		if other != s {
			kept = append(kept, other)
		}
	}
	m.stack = kept
}

// Home closes all but the first screen.
func (m *model) Home() tea.Cmd {
	m.stack, m.screen = nil, screenMain
	return nil
}

// broadcast gives a message to every screen, also to one that is closed: what it asked for may come late.
func (m *model) broadcast(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(m.rooms))
	for _, r := range m.roomList {
		if cmd := r.Update(msg); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	m.sheets.Update(msg)
	return tea.Batch(append(cmds, m.orders.Update(msg), m.herald.Update(msg))...)
}

// settleOpen lets the screens settle that are drawn. One that has nothing left to show closes
// itself; then the one below it is drawn.
func (m *model) settleOpen() tea.Cmd {
	l := m.layout()
	m.Stacked, m.Small = m.width < desk.StackBelow, m.tooSmall()
	var cmds []tea.Cmd
	for s := m.covering(); s != nil; {
		m.Width, m.Height = l.body.W, l.body.H
		cmds = append(cmds, s.Update(desk.Settle{}))
		below := m.covering()
		if below == s {
			break
		}
		s = below
	}
	if s := m.open(); s != nil && s != m.covering() {
		m.Width, m.Height = l.strip.W, l.strip.H
		cmds = append(cmds, s.Update(desk.Settle{}))
	}
	return tea.Batch(cmds...)
}

// openKey takes a key for the screen on top, if that is one of its own.
func (m *model) openKey(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	s := m.open()
	if s == nil {
		return nil, false
	}
	return m.keyOf(s.Keys(), msg)
}

// keyOf acts on the key of list that msg is.
func (m *model) keyOf(list []desk.Key, msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	for _, k := range list {
		switch {
		case !key.Matches(msg, k.Binding):
		case k.Why != "":
			return m.Say(draw.Muted, k.Why), true
		default:
			return k.Do(msg), true
		}
	}
	return nil, false
}

// tableKey opens the screen that msg stands for in the table, about what is on the screen.
func (m *model) tableKey(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	for _, o := range table {
		if key.Matches(msg, o.key) {
			return m.openFrom(o, m.subject()), true
		}
	}
	return nil, false
}

// openFrom opens a screen of the table on a subject, if that has what the screen is about.
func (m *model) openFrom(o opener, on desk.Subject) tea.Cmd {
	switch {
	case m.tooSmall():
		return m.Say(draw.Warn, m.tooSmallText())
	case o.needs == needsSession && on.Session == "":
		return m.Say(draw.Muted, "no session is selected")
	case o.needs == needsCall && on.Call == nil:
		return m.Say(draw.Muted, "nothing is selected")
	case m.open() == m.rooms[o.name]:
		return m.Back()
	}
	return m.Open(o.name, on)
}

// subjectKey takes the root's keys about a call or a session.
func (m *model) subjectKey(msg tea.KeyMsg, on desk.Subject) tea.Cmd {
	switch {
	case key.Matches(msg, m.keys.Copy) && on.Call != nil:
		return m.CopyCall(*on.Call)
	case key.Matches(msg, m.keys.Jump) && on.Session != "":
		return m.jump()
	case key.Matches(msg, m.keys.Message, m.keys.Launch):
		m.Guard.Missed(msg.String()) // nothing opened: what follows may be words
	}
	return nil
}

// subject is what a key of the root is about.
func (m *model) subject() desk.Subject {
	if s := m.open(); s != nil {
		return s.Subject()
	}
	return desk.Subject{Session: m.sessionInView(), Call: m.drawnRequest()}
}

// openHints are the keys of the screen on top, for the last line, and those of the root that are
// about its subject.
func (m *model) openHints(s desk.Screen) []hint {
	on := s.Subject()
	list := append(m.managedHints(s, on), keyHints(s)...)
	back := hint{m.keys.Back.Help().Key, "back"}
	if w, ok := s.(desk.Writer); ok && w.Writes() { // no key of the root acts
		if n := len(list); n == 0 || list[n-1].key != back.key {
			list = append(list, back)
		}
		return list
	}
	for _, o := range table {
		if o.short != "" && s != m.rooms[o.name] && o.needs == needsSession && on.Session != "" {
			list = append(list, hint{o.key.Help().Key, o.short})
		}
	}
	if on.Call != nil {
		list = append(list, hint{m.keys.Copy.Help().Key, "copy"})
	}
	return append(list, hint{"?", "help"}, back)
}

// keyHints are the screen's own keys.
func keyHints(s desk.Screen) (list []hint) {
	for _, k := range s.Keys() {
		if k.Short != "" {
			list = append(list, hint{k.Named(), k.Short})
		}
	}
	return list
}

// managedHints are the keys about a managed session.
func (m *model) managedHints(s desk.Screen, on desk.Subject) []hint {
	if !m.Board.Held(on.Session) || s != m.rooms[desk.Managed] {
		return nil
	}
	return []hint{{"m", "message"}, {"i", "interrupt"}, {"s", "stop"}}
}

// Ask asks a question for yes or no. The y must come after the question.
func (m *model) Ask(question, brief string, yes func() tea.Cmd) {
	m.Pose(desk.Question{Texts: func() []string { return []string{question + " ", brief + " "} }, Yes: yes})
}

// Pose asks a question.
func (m *model) Pose(q desk.Question) {
	if !q.Stricter {
		m.Guard.Doubt(m.At)
	}
	m.prompt = &prompt{purpose: askYes, question: q}
}

// Busy reports whether something else than what waits is on the screen.
func (m *model) Busy() bool {
	return m.formOpen() || m.open() != nil || m.screen != screenMain && m.screen != screenFull
}

// Stay says a sentence that stays until a key.
func (m *model) Stay(i draw.Ink, texts ...string) tea.Cmd {
	m.noteGen++
	m.note = note{ink: i, text: m.Fitting(texts...)}
	return nil
}

// Read asks for a line.
func (m *model) Read(l desk.Line) {
	m.prompt = &prompt{purpose: askLine, what: l.Lead, help: l.Help, text: []rune(l.Text), typed: l.Typed, hints: l.Hint, send: l.Send}
}

// Copy puts text on the clipboard.
func (m *model) Copy(what, text string) tea.Cmd {
	if len(text) > copyMost {
		return m.Say(draw.Warn, "too large to copy through the terminal: "+figures.Size(len(text)))
	}
	return tea.Batch(m.Beside(tty.ClipboardSequence(text)), m.Say(draw.OK, "sent the "+what+" to the clipboard ("+figures.Size(len(text))+")"))
}

// mouseOpen gives the mouse to the screen on top, in the cells of its own.
func (m *model) mouseOpen(s desk.Screen, msg tea.MouseMsg) tea.Cmd {
	msg.Y -= m.layout().body.Y
	return s.Update(msg)
}

// OnlyCallsOf goes to the list of what waits, of one session.
func (m *model) OnlyCallsOf(session string) tea.Cmd {
	m.Home()
	m.focus = paneQueue
	m.filterBy(board.Filter{SessionID: session})
	return nil
}

// ShowCall goes to the card of a call that waits.
func (m *model) ShowCall(id string) tea.Cmd {
	c := m.Board.Cards[id]
	if c == nil {
		return m.Say(draw.Muted, "this call is no longer waiting")
	}
	if m.Board.Place(c) < 0 {
		m.filterBy(board.Filter{})
	}
	m.Home()
	m.selected, m.went = id, id
	m.focus = paneQueue
	return m.openCall()
}

// sessionInView is the session that a key on the first screen is about: the selected one while its
// pane has the focus, else that of the drawn call.
func (m *model) sessionInView() string {
	if c := m.drawnCard(); c != nil && m.focus != paneSessions {
		return c.Req.SessionID
	}
	if m.layout().sessions.H == 0 {
		return ""
	}
	return m.session
}
