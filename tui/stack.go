package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// stack is the screens, and which of them are open. The first one, which shows what waits, is always
// below the others.
type stack struct {
	rooms    map[string]desk.Screen // every screen, by its name in the table
	roomList []desk.Screen          // the same, in the order of the table
	above    []desk.Screen          // those that are open above the first one; the last one is on top
}

// make makes every screen.
func (s *stack) make(m *model) {
	s.rooms = map[string]desk.Screen{}
	for _, o := range table {
		made := o.make(m.Desk, m)
		s.rooms[o.name] = made
		s.roomList = append(s.roomList, made)
	}
}

// first is the screen that is below all others.
func (s *stack) first() desk.Screen { return s.rooms[desk.Queue] }

// open is the screen that was opened last, nil when only the first one is there.
func (s *stack) open() desk.Screen {
	if n := len(s.above); n > 0 {
		return s.above[n-1]
	}
	return nil
}

// topmost is the screen that has the keys.
func (s *stack) topmost() desk.Screen {
	if o := s.open(); o != nil {
		return o
	}
	return s.first()
}

// below is the screen under the one that was opened last.
func (s *stack) below() desk.Screen {
	if n := len(s.above); n > 1 {
		return s.above[n-2]
	}
	return s.first()
}

// covering is the screen that fills the room: the one on top, or below a strip the next one.
func (s *stack) covering() desk.Screen {
	for i := len(s.above) - 1; i >= 0; i-- {
		if _, strip := s.above[i].(desk.Strip); !strip {
			return s.above[i]
		}
	}
	return s.first()
}

// strip is the screen on top when that takes the lower rows only.
func (s *stack) strip() (desk.Screen, desk.Strip) {
	o := s.open()
	strip, _ := o.(desk.Strip)
	return o, strip
}

// push puts a screen on top. One that is open already comes up from where it is. Something that is
// typed in stays on top: keys are for what is being typed.
func (s *stack) push(o desk.Screen) {
	s.close(o)
	if writes(s.open()) {
		s.above = slices.Insert(s.above, len(s.above)-1, o)
		return
	}
	s.above = append(s.above, o)
}

// close takes a screen off, wherever it lies.
func (s *stack) close(o desk.Screen) {
	s.above = slices.DeleteFunc(s.above, func(other desk.Screen) bool { return other == o })
}

// Open puts the screen of this name on top; to open the first one closes all others, unless that has
// no card of the call which is to be shown.
func (m *model) Open(name string, on desk.Subject) tea.Cmd {
	s := m.rooms[name]
	switch {
	case s != m.first():
		m.push(s)
		m.Guard.Doubt(m.At)
	case on.Call != nil && m.Board.Cards[on.Call.ID] == nil:
		return m.Say(draw.Muted, "this call is no longer waiting")
	default:
		m.above = nil
	}
	return s.Opens(on)
}

// Back closes the screen that was opened last.
func (m *model) Back() tea.Cmd {
	m.close(m.open())
	return nil
}

// broadcast gives a message to every screen, also to one that is closed: what it asked for may come late.
func (m *model) broadcast(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(m.rooms)+1)
	for _, r := range m.roomList {
		if cmd := r.Update(msg); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(append(cmds, m.shared.update(msg))...)
}

// layout says where the screen stands that fills the room, and where the strip below it.
func (m *model) layout() (body, low draw.Area) {
	top := m.header().height()
	body = draw.Area{X: 0, Y: top, W: m.width, H: max(0, m.height-top-1)}
	if _, strip := m.strip(); strip != nil {
		h := strip.Strip(body.W, body.H)
		body.H -= h
		low = draw.Area{X: 0, Y: top + body.H, W: m.width, H: h}
	}
	return body, low
}

// at tells the desk the room of a screen.
func (m *model) at(a draw.Area) { m.Width, m.Height = a.W, a.H }

// Around gathers what a call is drawn with beyond itself.
func (m *model) Around(r broker.Request) callview.Around { return m.shared.sheets.Around(r) }

// openFrom opens a screen of the table on a subject, if that has what the screen is about.
func (m *model) openFrom(o opener, on desk.Subject) tea.Cmd {
	switch {
	case m.Small:
		return m.Say(draw.Warn, m.TooSmallText())
	case o.needs == needsSession && on.Session == "":
		return m.NoSession()
	case o.needs == needsCall && on.Call == nil:
		return m.Say(draw.Muted, "nothing is selected")
	case m.open() == m.rooms[o.name]:
		return m.Back()
	}
	return m.Open(o.name, on)
}
