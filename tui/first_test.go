package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/queue"
)

// The first screen as tests see it: what it says it is about, what it asks for, and what it draws.

// queue is the first screen itself.
func (m *model) queue() *queue.Screen {
	s := m.first()
	if r, ok := s.(*recorded); ok {
		s = r.Screen
	}
	q, _ := s.(*queue.Screen)
	return q
}

// sheet is the drawn call laid out.
func (m *model) sheet() *callview.Doc {
	d, _ := m.queue().Sheet(m.card())
	return d
}

// named is the key that the key line calls so.
func (m *model) named(name string) desk.Key {
	for _, k := range m.topmost().Keys() {
		if k.Short != "" && k.Named() == name {
			return k
		}
	}
	return desk.Key{}
}

// card is the card that is drawn, nil for none.
func (m *model) card() *board.Card {
	if on := m.first().Subject(); on.Call != nil {
		return m.Board.Cards[on.Call.ID]
	}
	return nil
}

// selected is the id of the card that is drawn, "" for none.
func (m *model) selected() string {
	if c := m.card(); c != nil {
		return c.Req.ID
	}
	return ""
}

// listed reports whether the calls that wait are listed: no screen covers them, nor does one call.
func (m *model) listed() bool {
	return m.open() == nil && strings.Contains(m.View(), "Waiting ")
}

// home closes all screens but the first.
func (m *model) home() { m.Open(desk.Queue, desk.Subject{}) }

// fits reports whether calls can be judged in the window.
func (m *model) fits() bool { return m.open() == nil && !m.Small }

// reads runs what the first screen asked to have read, and returns what was read. What others asked
// for stays asked.
func (s *still) reads() (read []tea.Msg) {
	asked := s.asked
	s.asked = nil
	for len(asked) > 0 {
		cmd := asked[0]
		asked = asked[1:]
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			asked = append(msg, asked...)
		default:
			if strings.HasPrefix(fmt.Sprintf("%T", msg), "queue.") {
				read = append(read, msg)
				continue
			}
			s.asked = append(s.asked, cmd)
		}
	}
	return read
}

// takes lets the console have messages, and what it has read because of them.
func (s *still) takes(list []tea.Msg) (all []tea.Msg) {
	for len(list) > 0 {
		all = append(all, list...)
		for _, msg := range list {
			s.m.Update(msg)
		}
		list = s.reads()
	}
	return all
}

// decides presses a key that decides, and lets the broker answer.
func (s *still) decides(name string) {
	s.m.Update(keyMsg(name))
	_, cmd := s.m.Update(guard.DueMsg{Gen: s.m.Guard.HeldGen})
	for _, msg := range answers(cmd) {
		s.m.Update(msg)
	}
}

// answers are the messages that cmd brings at once; clocks ring later.
func answers(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			return []tea.Msg{msg}
		}
		var list []tea.Msg
		for _, c := range batch {
			list = append(list, answers(c)...)
		}
		return list
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}
