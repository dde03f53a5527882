package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
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

// recordedWriter is one that something is typed in.
type recordedWriter struct {
	*recorded
	w desk.Writer
}

func (r *recordedWriter) Writes() bool { return r.w.Writes() }
func (r *recordedWriter) Write(msg tea.KeyMsg, tookBack bool) tea.Cmd {
	return r.s.keep(r.w.Write(msg, tookBack))
}

// recordedStrip is one that takes the lower rows.
type recordedStrip struct {
	*recordedWriter
	low desk.Strip
}

func (r *recordedStrip) Strip(width, height int) int { return r.low.Strip(width, height) }

// recording is a screen whose commands are kept.
func (s *still) recording(d desk.Screen) desk.Screen {
	r := &recorded{d, s}
	w, writes := d.(desk.Writer)
	strip, low := d.(desk.Strip)
	switch {
	case low:
		return &recordedStrip{&recordedWriter{r, w}, strip}
	case writes:
		return &recordedWriter{r, w}
	}
	return r
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
		r := s.recording(s.m.rooms[o.name])
		s.m.rooms[o.name] = r
		s.m.roomList = append(s.m.roomList, r)
	}
}

// once runs what the screens have asked for so far, and not what they ask for then.
func (s *still) once() {
	asked := s.asked
	s.asked = nil
	for _, cmd := range asked {
		s.m.broadcast(cmd())
	}
	s.m.settle()
}

// told lets the screens' questions be answered, as a running program does.
func (s *still) told() {
	s.m.broadcast(desk.Tick{})
	for range 400 {
		s.m.settleScreens()
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

// wasDecided has the broker tell what was decided, as when the console starts.
func (s *still) wasDecided(past []broker.Request, err error) {
	fake, _ := s.m.console.(*fakeConsole)
	fake.history, fake.historyErr = past, err
	s.asked = nil
	s.m.broadcast(desk.Start{})
	asked := s.asked
	s.asked = nil
	for _, cmd := range asked {
		s.m.broadcast(cmd())
	}
	s.m.Update(desk.Look{})
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
