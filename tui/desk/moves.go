package desk

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// WheelRows is how many rows of a text one step of the mouse's wheel scrolls.
const WheelRows = 3

// The keys that move, the same on every screen.
var (
	Up       = Bind("k ↑", "up", "k", "up")
	Down     = Bind("j ↓", "down", "j", "down")
	Top      = Bind("g", "to the start", "g", "home")
	Bottom   = Bind("G", "to the end", "G", "end")
	PageDown = Bind("ctrl+d", "half a page down", "ctrl+d", "pgdown")
	PageUp   = Bind("ctrl+u", "half a page up", "ctrl+u", "pgup")
)

// Enter opens or unfolds; like the three below it means the same on every screen, and help says what
// that is on this one.
func Enter(help string) key.Binding { return Bind("enter", help, "enter") }

// Space folds and unfolds, marks, or switches on and off.
func Space(help string) key.Binding { return Bind("space", help, " ") }

// Filter asks for words that what is listed must have.
func Filter(help string) key.Binding { return Bind("/", help, "/") }

// Copy puts something on the clipboard.
func Copy(help string) key.Binding { return Bind("y", help, "y") }

// Moves are the keys that move, all with one action; short is what the key line says of them.
func Moves(short string, do func(tea.KeyMsg) tea.Cmd) []Key {
	return []Key{
		{Binding: Down, Name: "j k", Short: short, Do: do},
		{Binding: Up, Do: do},
		{Binding: Top, Do: do},
		{Binding: Bottom, Do: do},
		{Binding: PageDown, Do: do},
		{Binding: PageUp, Do: do},
	}
}

// Moved is item at after a key that moves in a list of n items, of which height are drawn.
func Moved(msg tea.KeyMsg, at, n, height int) int {
	switch {
	case key.Matches(msg, Down):
		at++
	case key.Matches(msg, Up):
		at--
	case key.Matches(msg, Top):
		at = 0
	case key.Matches(msg, Bottom):
		at = n - 1
	case key.Matches(msg, PageDown):
		at += max(1, height/2)
	case key.Matches(msg, PageUp):
		at -= max(1, height/2)
	}
	return max(0, min(at, n-1))
}

// Turned is item at of n after a step, around both ends.
func Turned(at, by, n int) int {
	if n == 0 {
		return 0
	}
	return ((at+by)%n + n) % n
}

// Scrolled is the first drawn row of a text after a key that scrolls; n is its length, of which
// height rows are drawn.
func Scrolled(msg tea.KeyMsg, top, n, height int) int {
	last := max(0, n-height)
	switch {
	case key.Matches(msg, PageDown):
		top += max(1, height/2)
	case key.Matches(msg, PageUp):
		top -= max(1, height/2)
	default:
		return Moved(msg, top, last+1, height)
	}
	return max(0, min(top, last))
}

// Scrolls are the keys of a screen that only scrolls: top is its first drawn row, and rows its
// length.
func (d *Desk) Scrolls(top *int, rows func() int) []Key {
	return Moves("scroll", func(msg tea.KeyMsg) tea.Cmd {
		_, height := d.Inner()
		*top = Scrolled(msg, *top, rows(), height)
		return nil
	})
}

// Scroll keeps the place of such a screen: the wheel moves it, and nothing is drawn behind the end.
func (d *Desk) Scroll(msg tea.Msg, top *int, rows func() int) {
	switch msg := msg.(type) {
	case tea.MouseMsg:
		steps, _ := Wheel(msg)
		*top += steps * WheelRows
	case Settle:
		_, height := d.Inner()
		*top = max(0, min(*top, rows()-height))
	}
}

// Wheel is how many steps the wheel went, and whether the message is a click instead.
func Wheel(msg tea.MouseMsg) (steps int, click bool) {
	if msg.Button == tea.MouseButtonWheelUp {
		return -1, false
	}
	if msg.Button == tea.MouseButtonWheelDown {
		return 1, false
	}
	return 0, msg.Button == tea.MouseButtonLeft // other buttons mean nothing here
}

// Window is the first item on the screen when item at must be visible: it moves as little as
// possible.
func Window(top, at, rows, items int) int {
	if at >= 0 && at < top {
		top = at
	}
	if at >= top+rows {
		top = at - rows + 1
	}
	return max(0, min(top, items-rows))
}

// Position says which rows of a text of n are on the screen, when not all are.
func Position(top, height, n int) string {
	if n <= height {
		return ""
	}
	return fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, n)), figures.Plural(n, "row"))
}

// Frames are the borders of panes as the window is now.
func (d *Desk) Frames() draw.Frames {
	return draw.NewFrames(d.Styles, d.Board.Health.Frozen, d.Stacked)
}

// Whole is the area of a screen that has one pane.
func (d *Desk) Whole() draw.Area { return draw.Area{W: d.Width, H: d.Height} }

// Inner is the room for text in a screen that has one pane.
func (d *Desk) Inner() (width, height int) { return d.Frames().Inner(d.Whole(), 1) }

// Framed draws rows from the top one on in a frame of their own.
func (d *Desk) Framed(f draw.Caption, rows []string, top int) []string {
	_, height := d.Inner()
	f.Focus = true
	return d.Frames().Framed(d.Whole(), f, 1, rows[min(top, len(rows)):min(top+height, len(rows))])
}
