package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/guard"
)

// sendKey is the enter that sends what was typed, or starts what was asked for. A press
// that a held key repeats, or that came among others faster than people type, does not:
// it is part of what was pasted.
type sendKey struct {
	last time.Time // the press before
	gen  int
	held bool
	wait time.Duration
	due  time.Time
}

// sendDueMsg says that no key came behind the enter that sends.
type sendDueMsg struct{ gen int }

// tooFastToSend says why a press sent nothing.
const tooFastToSend = "too fast: let go, then press it again"

// press judges a press at now. Without a refusal cmd brings a sendDueMsg, unless a key
// comes first.
func (k *sendKey) press(burst bool, now time.Time) (cmd tea.Cmd, refusal string) {
	since := now.Sub(k.last)
	k.last = now
	switch {
	case burst, since < guard.DeafFor:
		return nil, tooFastToSend
	case since < guard.RepeatDelay:
		return k.hold(guard.RepeatFor, now), ""
	}
	return k.hold(guard.HoldFor, now), ""
}

func (k *sendKey) hold(wait time.Duration, now time.Time) tea.Cmd {
	k.gen++
	k.held, k.wait, k.due = true, wait, now.Add(wait)
	gen := k.gen
	return tea.Tick(wait, func(time.Time) tea.Msg { return sendDueMsg{gen} })
}

// takeBack notes that a key came behind an enter that was held.
func (k *sendKey) takeBack() bool {
	held := k.held
	k.held = false
	return held
}

// release reports whether what was held may be sent now. A timer that rang late shows
// that this program got no time to run, and that a key may have come which nobody has
// read yet: it waits once more.
func (k *sendKey) release(gen int, now time.Time) (ok bool, again tea.Cmd) {
	if !k.held || k.gen != gen {
		return false, nil
	}
	if now.Sub(k.due) > k.wait/2 {
		return false, k.hold(k.wait, now)
	}
	k.held = false
	return true, nil
}

// sendDue sends what the enter was pressed for.
func (m *model) sendDue(msg sendDueMsg) tea.Cmd {
	ok, again := m.enter.release(msg.gen, m.At)
	switch {
	case !ok:
		return again
	case m.compose != nil:
		return m.sendMessage()
	case m.launch != nil:
		return m.startLaunch()
	}
	return nil
}
