package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
)

// recorded is a screen whose commands a still keeps, to run them when a test wants that.
type recorded struct {
	desk.Screen
	s *still
}

func (r *recorded) Opens(on desk.Subject) tea.Cmd { return r.s.keep(r.Screen.Opens(on)) }
func (r *recorded) Update(msg tea.Msg) tea.Cmd    { return r.s.keep(r.Screen.Update(msg)) }

func (s *still) keep(cmd tea.Cmd) tea.Cmd {
	if cmd != nil {
		s.asked = append(s.asked, cmd)
	}
	return cmd
}

// record has the commands of all screens kept.
func (s *still) record() {
	s.m.roomList = nil
	for _, o := range table {
		r := &recorded{s.m.rooms[o.name], s}
		s.m.rooms[o.name] = r
		s.m.roomList = append(s.m.roomList, r)
	}
}

// told lets the screens' questions be answered, as a running program does.
func (s *still) told() {
	if s.m.tr.asking { // its command was not run
		s.m.tr.asking, s.m.tr.due = false, true
	}
	s.m.broadcast(desk.Tick{})
	for range 400 {
		s.m.settleOpen()
		asked := s.asked
		s.asked = nil
		if cmd := s.m.settleTranscript(); cmd != nil {
			asked = append(asked, cmd)
		}
		if len(asked) == 0 {
			return
		}
		for _, cmd := range asked {
			switch msg := cmd().(type) {
			case nil, tea.BatchMsg:
			case transcriptMsg:
				s.m.transcriptCame(msg)
			default:
				s.m.broadcast(msg)
			}
		}
	}
	panic(fmt.Sprint("the screens ask for ever"))
}

// wasDecided has the broker tell what was decided, as when the console starts.
func (s *still) wasDecided(past []broker.Request, err error) {
	fake, _ := s.m.console.(*fakeConsole)
	fake.history, fake.historyErr = past, err
	s.m.broadcast(desk.Start{})
	asked := s.asked
	s.asked = nil
	for _, cmd := range asked {
		s.m.broadcast(cmd())
	}
	s.m.Update(awakeMsg{})
}

// runs runs the order that cmd begins with, and takes in what the broker says. The sentence that
// goes with it ends by itself.
func (s *still) runs(cmd tea.Cmd) {
	msg := cmd()
	if list, ok := msg.(tea.BatchMsg); ok {
		msg = list[0]()
	}
	s.m.Update(msg)
}
