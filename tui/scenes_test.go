package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// scenes are states that pass quickly or that nobody wishes for.
var scenes = map[string]func(*still){
	"just come":  func(s *still) { s.m.Update(tea.FocusMsg{}) },
	"being sent": func(s *still) { s.m.Update(keyMsg("d")); s.m.Update(guard.DueMsg{Gen: s.m.Guard.HeldGen}) },
	"code begun": func(s *still) { s.m.Update(keyMsg("4")) },
	"wrong code": func(s *still) {
		s.m.Update(keyMsg("4"))
		s.at = s.at.Add(200 * time.Millisecond)
		s.m.Update(keyMsg("8"))
	},
	"changed": func(s *still) {
		s.fake().requests["r1"], s.fake().failWith = s.m.card().Req, broker.ErrChanged
		s.decides("d")
	},
	"stop all?": func(s *still) { s.m.Update(keyMsg("S")) },
	"refused":   func(s *still) { s.m.Update(keyMsg("ls -la")) },
	"gone while typing": func(s *still) {
		s.m.Update(keyMsg("D"))
		ended := settled(s.m.card().Req, broker.Answered, broker.Actor{Kind: broker.ByAgent}, "", tuitest.Noon)
		s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &ended}}})
	},
	"frozen": func(s *still) {
		s.health(broker.Health{Frozen: true, FrozenBy: broker.Actor{Kind: broker.ByProcess, PID: 4711}})
	},
	"no word": func(s *still) { s.m.Update(updatesMsg{gen: 1, ended: true}) },
	"no socket": func(s *still) {
		s.health(broker.Health{LogHash: "4f2a91c0", SocketErr: "another file took the place of /run/user/1000/aoctl/broker.sock"})
	},
	"nothing works": func(s *still) {
		s.health(broker.Health{SocketErr: "the socket is gone", StoreErr: "write aoctl.db: no space left on device"})
	},
	"more time": func(s *still) {
		r := s.m.card().Req
		r.ExtendedAt, r.ExpiresAt, r.MayWaitUntil = s.at, s.at.Add(10*time.Minute), s.at.Add(50*time.Minute)
		s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &r}}})
		s.fake().extended = &r
		s.decides("t")
	},
	"no more time": func(s *still) {
		r := s.m.card().Req
		r.ExpiresAt = s.at.Add(30 * time.Second)
		r.MayWaitUntil = r.ExpiresAt
		s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &r}}})
		s.fake().requests["r1"], s.fake().extendErr = r, fmt.Errorf("more time for %s: %w: its hook waits no longer: run %q again", r.ID, broker.ErrNoMoreTime, "aoctl install claude")
		s.decides("t")
	},
	"broker's word": func(s *still) {
		fake, _ := s.m.console.(*fakeConsole)
		fake.sessions["s1"] = broker.Session{ID: "s1", State: broker.SessionActive}
		s.m.shared.orders.Stop("s1", "")
		yes := s.m.prompt.question.Yes
		s.m.prompt = nil
		s.runs(yes())
	},
}

func (s *still) health(h broker.Health) {
	s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Health: &h}}})
}

func newScene(t *testing.T, profile termenv.Profile) *still {
	t.Helper()
	s := newStill(t, broker.Snapshot{
		Sessions: someSessions(), Requests: mixedCalls(),
		Health: broker.Health{Socket: "/run/user/1000/aoctl/broker.sock", LogHash: "4f2a91c0ffee"},
	}, pastCalls(), profile)
	s.draw(80, 24)
	s.at = s.at.Add(time.Second)
	return s
}

func TestGoldenScenes(t *testing.T) {
	for name, play := range scenes {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, size := range sizes {
				s := newScene(t, termenv.Ascii)
				s.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				s.at = s.at.Add(time.Second)
				play(s)
				if problem := tuitest.Misfit(s.m.View(), size[0], size[1]); problem != "" {
					t.Errorf("%v: %s", size, problem)
				}
				b.WriteString(s.m.View() + "\n\n")
			}
			tuitest.Golden(t, "scene-"+strings.NewReplacer(" ", "-", "?", "", "'", "").Replace(name), b.String())
		})
	}
}

func TestGoldenLight(t *testing.T) {
	s := newScene(t, termenv.TrueColor)
	s.m.Styles = draw.NewStyles(draw.DefaultPalette(), termenv.TrueColor, false, true)
	s.m.shared.sheets.Clear()
	tuitest.Golden(t, "styled-light", strings.ReplaceAll(s.draw(80, 24), "\x1b", "␛")+"\n")
}

// Whatever the screen shows fits a window of any size, down to one cell, and a window
// that is too small says so instead of pretending that nothing waits.
func TestEveryWindow(t *testing.T) {
	for _, keys := range [][]string{
		nil, {"j"}, {"enter"}, {"h"}, {"h", "enter"}, {"?"}, {"D", "x"}, {"tab"}, {"tab", "tab"}, {"/", "a"}, {"S"}, {"q"}, {"a"}, {"G"},
	} {
		t.Run(strings.Join(keys, " "), func(t *testing.T) {
			s := newScene(t, termenv.Ascii)
			s.draw(80, 24, keys...)
			for width, height := range everyWindow(15) {
				view := s.draw(width, height)
				if problem := tuitest.Misfit(view, width, height); problem != "" {
					t.Fatalf("%d×%d: %s:\n%s", width, height, problem, view)
				}
				if strings.Contains(view, "nothing waits") && s.m.open() == nil {
					t.Fatalf("%d×%d: says that nothing waits:\n%s", width, height, view)
				}
			}
		})
	}
	for name, play := range scenes {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, termenv.Ascii)
			play(s)
			for width, height := range everyWindow(15) {
				view := s.draw(width, height)
				if problem := tuitest.Misfit(view, width, height); problem != "" {
					t.Fatalf("%d×%d: %s:\n%s", width, height, problem, view)
				}
			}
		})
	}
}
