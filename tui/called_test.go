package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
)

// A sentence names the key that the operator chose, not the one without the settings file.
func TestSentencesNameChosenKeys(t *testing.T) {
	for _, tt := range []struct {
		name   string
		keys   map[string][]string
		press  []string
		health broker.Health
		want   string
	}{
		{"freeze", map[string][]string{"freeze": {"Z"}}, nil, broker.Health{Frozen: true}, "Z lets them go on"},
		{"to deny", map[string][]string{"deny": {"Z"}}, []string{"a"}, broker.Health{}, "Z to deny"},
		{"too soon", map[string][]string{"deny": {"Z"}}, []string{"focus", "Z"}, broker.Health{}, "look first, then press Z again"},
		{"a code", map[string][]string{"deny": {"Z"}}, []string{"9"}, broker.Health{}, "Z to deny"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStill(t, broker.Snapshot{Sessions: someSessions(), Requests: mixedCalls(), Health: tt.health}, nil, termenv.Ascii)
			s.m.chosen = chooseKeys(tt.keys)
			s.draw(120, 40)
			for _, k := range tt.press {
				s.pressed(k)
			}
			if view := s.m.View(); !strings.Contains(view, tt.want) {
				t.Errorf("no %q:\n%s", tt.want, view)
			}
		})
	}
}

// pressed presses a key; "focus" is the window's.
func (s *still) pressed(name string) {
	if name == "focus" {
		s.m.Update(tea.FocusMsg{})
		return
	}
	s.m.Update(keyMsg(name))
}
