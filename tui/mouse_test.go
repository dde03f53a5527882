package tui

import (
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"
)

// The wheel goes through the list that it turns over.
func TestWheelGoesThroughTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		for _, step := range []struct {
			button tea.MouseButton
			want   string
		}{{tea.MouseButtonWheelDown, "r2"}, {tea.MouseButtonWheelDown, "r3"}, {tea.MouseButtonWheelUp, "r2"}} {
			r.send(tea.MouseMsg{X: 40, Y: 3, Button: step.button, Action: tea.MouseActionPress})
			if got := r.m.selected(); got != step.want {
				t.Errorf("the wheel leads to %s, want %s:\n%s", got, step.want, r.view())
			}
		}
	})
}
