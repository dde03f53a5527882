package desk

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

// Press judges a key that loosens what holds, as the guard judges one that decides a call;
// refusal is empty when it may act.
func (d *Desk) Press(name string) (wait time.Duration, refusal string) {
	wait, refusal = d.Guard.Press(name, d.At)
	if refusal != "" {
		refusal = "too fast: look first, then press " + d.Called(name) + " again"
	}
	return wait, refusal
}

// InAMoment does something after wait, unless a key or a doubt about the screen comes first: then
// no person may have asked for it.
func (d *Desk) InAMoment(wait time.Duration, do func() tea.Cmd) tea.Cmd {
	return d.Guard.Hold(guard.Held{Do: do}, wait, d.At)
}

// TooSmallText says that no call can be judged in a window of this size.
func (d *Desk) TooSmallText() string {
	return d.Fitting(
		fmt.Sprintf("window too small to show the call: make it at least %d×%d", LeastWidth, LeastHeight),
		fmt.Sprintf("too small to decide: needs %d×%d", LeastWidth, LeastHeight),
		fmt.Sprintf("needs %d×%d", LeastWidth, LeastHeight),
	)
}

// LookFirst says that a key came too soon after a card came up by itself.
func (d *Desk) LookFirst(msg tea.KeyMsg) string {
	name := msg.String()
	if msg.Type == tea.KeySpace {
		name = "space"
	}
	name = draw.SafeLine(d.Called(name))
	return "… this card just came up: look first, then press " + name + " again"
}

// NoSession says that a key found no session to act on. A key is never about one that is not seen to be
// selected.
func (d *Desk) NoSession() tea.Cmd {
	switch {
	case d.Busy():
		return d.Say(draw.Muted, "no session is selected")
	case len(d.Board.Sessions) == 0:
		return d.Say(draw.Muted, "there is no session yet")
	}
	return d.Say(draw.Muted, "select a session first (3)")
}

// SayStrayed says that a key did nothing, as its session was another one when it was pressed.
func (d *Desk) SayStrayed(key string) tea.Cmd {
	return d.Say(draw.Warn, "… the screen just changed: look first, then press "+d.Called(key)+" again")
}

// LiftKey names the key that lifts what holds the drawn call: the freeze of all, or that of its session.
func (d *Desk) LiftKey() Key {
	if d.Board.Health.Frozen {
		return Key{Name: "f", Short: "lifts it"}
	}
	return Key{Name: "F", Short: "lifts it"}
}
