package desk

import (
	"testing"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
)

// A screen that only scrolls stays between its first row and its last screenful, by keys and wheel,
// also when it becomes shorter.
func TestScroll(t *testing.T) {
	d := &Desk{Board: board.NewBoard(), Styles: draw.NewStyles(draw.DefaultPalette(), termenv.Ascii, true, false), Width: 80, Height: 22}
	_, height := d.Inner()
	top, rows := 0, 100
	length := func() int { return rows }
	press := func(b key.Binding, msg tea.KeyMsg) {
		for _, k := range d.Scrolls(&top, length) {
			if k.Help() == b.Help() {
				k.Do(msg)
			}
		}
	}
	wheel := func(b tea.MouseButton) {
		d.Scroll(tea.MouseMsg{Button: b}, &top, length)
		d.Scroll(Settle{}, &top, length)
	}
	for _, step := range []struct {
		do   func()
		want int
	}{
		{func() { press(Up, tea.KeyMsg{Type: tea.KeyUp}) }, 0},
		{func() { press(Down, tea.KeyMsg{Type: tea.KeyDown}) }, 1},
		{func() { wheel(tea.MouseButtonWheelDown) }, 1 + WheelRows},
		{func() { wheel(tea.MouseButtonWheelUp); wheel(tea.MouseButtonWheelUp) }, 0},
		{func() { press(Bottom, tea.KeyMsg{Type: tea.KeyEnd}) }, 100 - height},
		{func() { wheel(tea.MouseButtonWheelDown) }, 100 - height},
		{func() { press(PageUp, tea.KeyMsg{Type: tea.KeyCtrlU}) }, 100 - height - height/2},
		{func() { rows = 30; d.Scroll(Settle{}, &top, length) }, 30 - height},
		{func() { rows = 3; d.Scroll(Settle{}, &top, length) }, 0},
	} {
		if step.do(); top != step.want {
			t.Fatalf("the first row is %d, want %d", top, step.want)
		}
	}
}
