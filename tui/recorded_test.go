package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
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

// recordedWriter is a recorded screen that is typed in.
type recordedWriter struct {
	desk.Screen
	desk.Writer
}

// quiet is the console for screens: what it says is drawn, and no clock takes it away.
type quiet struct{ *model }

func (q quiet) Say(i draw.Ink, texts ...string) tea.Cmd {
	q.model.Say(i, texts...)
	return nil
}

// record has the commands of all screens kept.
func (s *still) record() {
	s.m.Root = quiet{s.m}
	s.m.roomList = nil
	for _, o := range table {
		var r desk.Screen = &recorded{s.m.rooms[o.name], s}
		if w, ok := s.m.rooms[o.name].(desk.Writer); ok {
			r = recordedWriter{r, w}
		}
		s.m.rooms[o.name] = r
		s.m.roomList = append(s.m.roomList, r)
	}
}

// told lets the screens' questions be answered, as a running program does.
func (s *still) told() {
	s.m.broadcast(desk.Tick{})
	for range 400 {
		s.m.settleOpen()
		asked := s.asked
		s.asked = nil
		if len(asked) == 0 {
			return
		}
		for _, cmd := range asked {
			switch msg := cmd().(type) {
			case nil:
			case tea.BatchMsg:
				s.asked = append(s.asked, msg...)
			default:
				s.m.broadcast(msg)
			}
		}
	}
	panic("the screens ask for ever")
}
