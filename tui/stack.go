package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
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

// Open puts the screen of this name on top. One that is open already comes up from where it is.
func (m *model) Open(name string, on desk.Subject) tea.Cmd {
	s := m.rooms[name]
	m.close(s)
	m.stack = append(m.stack, s)
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
	return tea.Batch(cmds...)
}

// settleOpen lets the screens settle that are drawn.
func (m *model) settleOpen() tea.Cmd {
	l := m.layout()
	m.Stacked, m.Small = m.width < desk.StackBelow, m.tooSmall()
	var cmds []tea.Cmd
	if s := m.covering(); s != nil {
		m.Width, m.Height = l.body.W, l.body.H
		cmds = append(cmds, s.Update(desk.Settle{}))
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
	for _, k := range s.Keys() {
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
	}
	return nil
}

// subject is what a key of the root is about.
func (m *model) subject() desk.Subject {
	if s := m.open(); s != nil {
		return s.Subject()
	}
	if list := m.past(); len(list) > 0 && (m.screen == screenHistory || m.screen == screenPast) {
		r := list[m.pastAt(list)]
		return desk.Subject{Session: r.SessionID, Call: &r}
	}
	return desk.Subject{Session: m.sessionInView(), Call: m.drawnRequest()}
}

// openHints are the keys of the screen on top, for the last line, and those of the root that are
// about its subject.
func (m *model) openHints(s desk.Screen) []hint {
	on := s.Subject()
	list := m.managedHints(s, on)
	for _, k := range s.Keys() {
		if k.Short != "" {
			list = append(list, hint{k.Named(), k.Short})
		}
	}
	for _, o := range table {
		if o.short != "" && s != m.rooms[o.name] && o.needs == needsSession && on.Session != "" {
			list = append(list, hint{o.key.Help().Key, o.short})
		}
	}
	return append(list, hint{m.keys.Back.Help().Key, "back"})
}

// managedHints are the keys about a managed session.
func (m *model) managedHints(s desk.Screen, on desk.Subject) []hint {
	if !m.Board.Held(on.Session) || s != m.rooms[desk.Managed] {
		return nil
	}
	return []hint{{"m", "message"}, {"i", "interrupt"}, {"s", "stop"}}
}

// Ask asks a question for yes or no.
func (m *model) Ask(question, brief string, yes func() tea.Cmd) { m.askYes(question, brief, yes) }

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
	return m.session
}
