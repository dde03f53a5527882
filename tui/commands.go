package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/guard"
)

// Changes that come within gatherFor of each other are drawn together, and at most
// gatherMost of them: five hundred calls a second cost sixty repaints, not five hundred.
const (
	gatherFor  = 12 * time.Millisecond
	gatherMost = 2048
)

// watch subscribes to the broker.
func (m *model) watch() tea.Cmd {
	m.watchGen++
	gen, ctx, c := m.watchGen, m.Ctx, m.console
	return func() tea.Msg {
		snap, updates := c.Watch(ctx)
		return watchStartedMsg{gen: gen, snap: snap, updates: updates}
	}
}

// nextUpdates waits for a change and gathers those that follow at once. It is the
// only reader of the channel.
func nextUpdates(gen int, updates <-chan broker.Update) tea.Cmd {
	return func() tea.Msg {
		first, ok := <-updates
		if !ok {
			return updatesMsg{gen: gen, ended: true}
		}
		msg := updatesMsg{gen: gen, list: []broker.Update{first}}
		end := time.NewTimer(gatherFor)
		defer end.Stop()
		for len(msg.list) < gatherMost {
			select {
			case u, ok := <-updates:
				if !ok {
					msg.ended = true
					return msg
				}
				msg.list = append(msg.list, u)
			case <-end.C:
				return msg
			}
		}
		return msg
	}
}

func (m *model) tick() tea.Cmd {
	gen := m.tickGen
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{gen} })
}

func (m *model) decide(key guard.Drawn, v broker.Verdict, reason string) tea.Cmd {
	ctx, c := m.Ctx, m.console
	d := broker.Decision{Verdict: v, By: m.Operator, Reason: reason, Digest: key.Digest}
	return func() tea.Msg {
		req, err := c.Decide(ctx, key.ID, d)
		return decidedMsg{key: key, verdict: v, req: req, err: err}
	}
}

// decideAll decides the calls of keys as one: all of them or none.
func (m *model) decideAll(keys []guard.Drawn, v broker.Verdict, reason string) tea.Cmd {
	ctx, c := m.Ctx, m.console
	d := broker.Decision{Verdict: v, By: m.Operator, Reason: reason}
	picks := make([]broker.Pick, len(keys))
	for i, k := range keys {
		picks[i] = broker.Pick{ID: k.ID, Digest: k.Digest}
	}
	return func() tea.Msg {
		_, err := c.DecideAll(ctx, picks, d)
		return markedMsg{keys: keys, verdict: v, err: err}
	}
}

// Beside writes a control sequence to the terminal between two frames.
func (m *model) Beside(sequence string) tea.Cmd {
	out := m.out
	if out == nil || sequence == "" {
		return nil
	}
	return func() tea.Msg {
		_, _ = out.Write([]byte(sequence)) // a lost bell is no error
		return nil
	}
}
