package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
)

// The empty console does not offer an installation that was made.
func TestGoldenNewcomerInstalled(t *testing.T) {
	for name, agents := range map[string][]string{"newcomer-installed": {"claude"}, "newcomer-installed-two": {"claude", "codex"}} {
		t.Run(name, func(t *testing.T) {
			goldenScene(t, name, func(width, height int) *still {
				s := newStill(t, broker.Snapshot{Health: broker.Health{LogHash: "4f2a91c0ffee"}}, nil, termenv.Ascii)
				s.m.opts.Hooks.Ours = func() []string { return agents }
				s.wasDecided(nil, nil)
				s.draw(width, height)
				return s
			})
		})
	}
}

// What is installed beside the open console is seen some seconds later.
func TestNewcomerLooksAgain(t *testing.T) {
	s := newStill(t, broker.Snapshot{}, nil, termenv.Ascii)
	s.m.opts.Hooks.Ours = func() []string { return []string{"codex"} }
	if view := s.draw(80, 24); strings.Contains(view, "installed in") {
		t.Fatalf("it has not looked again yet:\n%s", view)
	}
	s.pass(5 * time.Second)
	s.told()
	if view := s.draw(80, 24); !strings.Contains(view, "aoctl is installed in Codex") {
		t.Errorf("it has not looked again:\n%s", view)
	}
}

// Once a session was seen, nothing of an installation is said.
func TestNewcomerHeard(t *testing.T) {
	s := newStill(t, broker.Snapshot{Sessions: someSessions()}, nil, termenv.Ascii)
	s.m.opts.Hooks.Ours = func() []string { return []string{"claude"} }
	s.wasDecided(nil, nil)
	view := s.draw(80, 24)
	for _, never := range []string{"install", "no agent has called"} {
		if strings.Contains(view, never) {
			t.Errorf("an agent was seen, and the screen says %q:\n%s", never, view)
		}
	}
}
