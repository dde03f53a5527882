// Package send is the enter that sends what was typed, or starts what was asked for. A press that a
// held key repeats, or that came among others faster than people type, sends nothing: it is part
// of what was pasted. A press that counts is held for a moment, so that the key behind it can take
// it back; then a DueMsg comes, and Release says whether it is time.
//
// Each screen has a Key of its own, which lives as long as the screen: what was pressed just
// before the screen was opened again still counts.
//
// The clock comes with each call.
package send

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/guard"
)

// Key is the enter of one screen.
type Key struct {
	last time.Time // the press before
	gen  int
	held bool
	wait time.Duration
	due  time.Time
}

// DueMsg says that no key came behind the enter that sends.
type DueMsg struct {
	key *Key
	gen int
}

// TooFast says why a press sent nothing.
const TooFast = "too fast: let go, then press it again"

// Press judges a press at now. Without a refusal cmd brings a DueMsg, unless a key comes first.
func (k *Key) Press(burst bool, now time.Time) (cmd tea.Cmd, refusal string) {
	since := now.Sub(k.last)
	k.last = now
	switch {
	case burst, since < guard.DeafFor:
		return nil, TooFast
	case since < guard.RepeatDelay:
		return k.hold(guard.RepeatFor, now), ""
	}
	return k.hold(guard.HoldFor, now), ""
}

// Pressed notes a press that does something else: held down, it sends nothing later.
func (k *Key) Pressed(now time.Time) { k.last = now }

func (k *Key) hold(wait time.Duration, now time.Time) tea.Cmd {
	k.gen++
	k.held, k.wait, k.due = true, wait, now.Add(wait)
	due := DueMsg{k, k.gen}
	return tea.Tick(wait, func(time.Time) tea.Msg { return due })
}

// TakeBack notes that a key came behind an enter that was held.
func (k *Key) TakeBack() bool {
	held := k.held
	k.held = false
	return held
}

// Release reports whether what was held may be sent now. A timer that rang late shows
// that this program got no time to run, and that a key may have come which nobody has
// read yet: it waits once more.
func (k *Key) Release(due DueMsg, now time.Time) (ok bool, again tea.Cmd) {
	if due.key != k || !k.held || k.gen != due.gen {
		return false, nil
	}
	if now.Sub(k.due) > k.wait/2 {
		return false, k.hold(k.wait, now)
	}
	k.held = false
	return true, nil
}
