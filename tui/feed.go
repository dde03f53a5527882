package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
)

// Changes that come within gatherFor of each other are drawn together, and at most gatherMost of
// them: five hundred calls a second cost sixty repaints, not five hundred.
const (
	gatherFor  = 12 * time.Millisecond
	gatherMost = 2048
)

// feed is the subscription to the broker. A number called gen tells what comes from it from what
// comes from an older one.
type feed struct {
	*desk.Desk
	broker interface {
		Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update)
	}
	gen     int
	wait    time.Duration // before it is asked anew
	began   time.Time
	updates <-chan broker.Update
	missing bool      // the channel was closed and not opened again yet
	lostAt  time.Time // since when
}

type (
	watchStartedMsg struct {
		gen     int
		snap    broker.Snapshot
		updates <-chan broker.Update
	}
	updatesMsg struct {
		gen   int
		list  []broker.Update
		ended bool // the channel was closed
	}
	rewatchMsg struct{ gen int }
)

// watch subscribes to the broker.
func (f *feed) watch() tea.Cmd {
	f.gen++
	gen, ctx, c := f.gen, f.Ctx, f.broker
	return func() tea.Msg {
		snap, updates := c.Watch(ctx)
		return watchStartedMsg{gen: gen, snap: snap, updates: updates}
	}
}

// started takes in that a subscription has begun.
func (f *feed) started(msg watchStartedMsg) tea.Cmd {
	f.missing, f.began, f.updates = false, f.At, msg.updates
	return nextUpdates(msg.gen, msg.updates)
}

// goOn waits for more after msg, or asks anew.
func (f *feed) goOn(msg updatesMsg) tea.Cmd {
	if msg.ended {
		return f.lostTouch()
	}
	return nextUpdates(msg.gen, f.updates)
}

// nextUpdates waits for a change and gathers those that follow at once. It is the only reader of the
// channel.
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

// lostTouch asks for a new snapshot: at once when the last one held for a while, else after a
// growing pause.
func (f *feed) lostTouch() tea.Cmd {
	if !f.missing {
		f.missing, f.lostAt = true, f.At
	}
	f.wait = min(max(2*f.wait, 50*time.Millisecond), 2*time.Second)
	if f.At.Sub(f.began) > 5*time.Second {
		f.wait = 0
	}
	gen := f.gen
	return tea.Tick(f.wait, func(time.Time) tea.Msg { return rewatchMsg{gen} })
}

// lostFor is how long the broker may be silent before the console says so: a console that fell
// behind has a new snapshot much sooner.
const lostFor = time.Second

// lost reports whether the broker has been silent for so long that the screen may be wrong.
func (f *feed) lost() bool { return f.missing && f.At.Sub(f.lostAt) >= lostFor }
