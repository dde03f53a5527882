package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// heldSnapshot has managed sessions in several states, a watched one, and calls.
func heldSnapshot() broker.Snapshot {
	working, starting, off := heldSession(broker.TurnWorking), heldSession(broker.TurnStarting), heldSession(broker.TurnDeferred)
	working.Message = &broker.Message{ID: "m1", Text: "Then write the tests,\nand run them: 語 \x1b[2J", QueuedAt: seconds(9)}
	starting.ID, starting.Name, starting.StartedAt = "s5", "site", seconds(2)
	starting.Run = &broker.Run{Program: "/usr/bin/claude", Turn: broker.TurnStarting}
	off.ID, off.Name, off.State, off.EndedAt = "s6", "infra", broker.SessionFinished, seconds(60)
	off.Run.Error = "the agent ended with exit code 1: no such model"
	stopping := heldSession(broker.TurnWorking)
	stopping.ID, stopping.Name, stopping.State, stopping.StopAskedAt = "s7", "stubborn", broker.SessionStopping, seconds(4)
	stopping.Run.Steps = []string{"interrupted its turn", "it did not end; sent SIGTERM to its process group"}
	return broker.Snapshot{
		Sessions: append([]broker.Session{working, starting, off, stopping}, someSessions()[1]),
		Requests: mixedCalls()[:3],
		Health:   broker.Health{Socket: "/run/user/1000/aoctl/broker.sock", LogHash: "4f2a91c0ffee"},
	}
}

// heldScenes are what the screen shows of managed sessions.
var heldScenes = map[string]func(*still){
	"row":     func(*still) {},
	"focus":   func(s *still) { s.keys("shift+tab", "j") },
	"about":   func(s *still) { s.keys("shift+tab", "j", "enter"); s.saidLast() },
	"about G": func(s *still) { s.keys("shift+tab", "j", "enter"); s.saidLast(); s.keys("G") },
	"message": func(s *still) { s.keys("j", "j", "shift+tab", "m", "h", "e", "y", " ", "語") },
	"queued":  func(s *still) { s.keys("shift+tab", "j", "m") },
	"unsent":  func(s *still) { s.keys("shift+tab", "j", "m", "x", "esc", "m") },
	"long": func(s *still) {
		s.keys("shift+tab", "j", "m")
		s.m.Update(pasted(strings.Repeat("a line\n", 30) + "the end"))
	},
	"not sent": func(s *still) {
		s.fake().sayErr = broker.ErrNotRecorded
		s.keys("shift+tab", "j", "m", "x", "enter")
		s.sendsNow()
		s.once()
	},
	"sending": func(s *still) { s.keys("shift+tab", "j", "m", "x", "enter"); s.sendsNow() },
	"withdraw": func(s *still) {
		s.keys("shift+tab", "j", "m", "ctrl+u", "backspace", "ctrl+u", "enter")
		s.sendsNow()
	},
	"watched":      func(s *still) { s.keys("j", "j", "m") },
	"stopping":     func(s *still) { s.keys("shift+tab", "j", "j", "j", "enter") },
	"launch":       func(s *still) { s.keys("shift+tab", "n", "F", "i", "x", " ", "i", "t") },
	"launch agent": func(s *still) { s.keys("shift+tab", "n", "shift+tab", "right") },
	"launch failed": func(s *still) {
		s.keys("shift+tab", "n", "x", "ctrl+s")
		s.m.Update(desk.Launched{Form: 1, Err: fmt.Errorf("start a runner: no claude in \x1b[2J/usr/bin")})
	},
}

func pasted(text string) tea.KeyMsg {
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true}
}

// sendsNow lets the enter act that was pressed last.
func (s *still) sendsNow() {
	s.once() // its timer rang late, so it waits once more
	s.once()
}

func (s *still) saidLast() {
	data, err := json.Marshal(story.UserData{Text: "All 41 tests pass.\n\x1b[2JShall I **commit**?"})
	if err != nil {
		panic(err)
	}
	s.fake().moments = []story.Moment{{Event: broker.Event{Seq: 1, At: seconds(30), Type: broker.EventMessage, SessionID: s.m.first().Subject().Session, Data: data}}}
	s.told()
}

func TestGoldenHeld(t *testing.T) {
	for name, play := range heldScenes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				goldenScene(t, "held-"+name, func(width, height int) *still {
					s := newStill(t, heldSnapshot(), pastCalls(), termenv.Ascii)
					s.m.opts.Folder = home
					s.draw(width, height)
					s.pass(tuitest.Noon.Sub(s.at))
					play(s)
					return s
				})
			})
		})
	}
}

// What is written and asked fits a window of any size, and closing it leaves one that is
// drawn as ever.
func TestHeldInEveryWindow(t *testing.T) {
	for name, play := range heldScenes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStill(t, heldSnapshot(), pastCalls(), termenv.Ascii)
				s.m.opts.Folder = home
				s.draw(80, 24)
				play(s)
				for width, height := range everyWindow(15) {
					if problem := tuitest.Misfit(s.draw(width, height), width, height); problem != "" {
						t.Fatalf("%d×%d: %s:\n%s", width, height, problem, s.m.View())
					}
				}
				for _, size := range sizes {
					view := s.draw(size[0], size[1], "esc", "esc", "esc")
					if problem := tuitest.Misfit(view, size[0], size[1]); problem != "" || s.m.formOpen() {
						t.Fatalf("%v: %s:\n%s", size, problem, view)
					}
				}
			})
		})
	}
}
