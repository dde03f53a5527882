// Package timeline is the screen with all that happened in one session, the newest at the end: each
// call on one row with who decided it, how long it waited and how it ended, and what was said and
// done beside the calls. enter unfolds a row: the steps of a call with their times, the call itself, and
// what its tool gave back.
//
// It reads the log in pages, as far as somebody looks, and holds at most some thousand events: at
// the other end it lets go (reading.go). Events become rows in fold.go, which knows nothing of the
// screen. A row stands where its call was asked, and changes there when the call is decided and when
// it ends.
//
// The screen follows the end until a key moves away from there. A filter leaves only the rows that
// have all its words. What a row says is in package event; view.go draws and moves.
package timeline

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/desk"
)

// Broker is what the screen needs of it.
type Broker interface {
	Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error)
}

// Screen is the events of one session.
type Screen struct {
	*desk.Desk
	broker Broker
	reading
}

// New makes the screen.
func New(d *desk.Desk, b Broker) *Screen { return &Screen{Desk: d, broker: b} }

// Opens shows the events of a session, at their end.
func (t *Screen) Opens(on desk.Subject) tea.Cmd {
	t.reading = reading{session: on.Session, gen: t.gen + 1, list: list{follow: true}}
	return nil
}

// Subject is the session, and the selected step's call.
func (t *Screen) Subject() desk.Subject {
	on := desk.Subject{Session: t.session, Speaks: true}
	if at := t.selected(); at >= 0 {
		if call, large := t.rows[at].call(); large == 0 {
			on.Call = call
		}
	}
	return on
}

// Update takes pages, news and the mouse.
func (t *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pageMsg:
		t.came(msg)
	case desk.Settle:
		return t.settle()
	case desk.News:
		t.heard(msg.List)
	case desk.Tick:
		t.stale = true
	case tea.MouseMsg:
		t.mouse(msg)
	}
	return nil
}

// Keys are the keys of the screen.
func (t *Screen) Keys() []desk.Key {
	list := desk.Moves("move", t.move)
	if t.filter != "" {
		list = append(list, desk.Key{Binding: desk.Bind("esc", "list all events again", "esc", "q"), Do: t.unfilter})
	}
	return append(list,
		desk.Key{Binding: desk.Enter("unfold, fold"), Short: "unfold", Do: t.onRow(t.toggle)},
		desk.Key{Binding: desk.Space("unfold, fold"), Do: t.onRow(t.toggle)},
		desk.Key{Binding: desk.Filter("list only what has these words"), Short: "filter", Do: t.askFilter},
		desk.Key{Binding: desk.Copy("copy the command or the input; the output of a row that is unfolded"), Do: t.onRow(t.copyRow)},
	)
}

// onRow is a key's action on the selected row; without one it does nothing.
func (t *Screen) onRow(do func(*row) tea.Cmd) func(tea.KeyMsg) tea.Cmd {
	return func(tea.KeyMsg) tea.Cmd {
		if at := t.selected(); at >= 0 {
			return do(t.rows[at])
		}
		return nil
	}
}

func (t *Screen) askFilter(tea.KeyMsg) tea.Cmd {
	t.Read(desk.Line{Lead: "/", Help: "enter keeps · esc shows all", Text: t.filter, Typed: t.filterBy})
	return nil
}

func (t *Screen) unfilter(tea.KeyMsg) tea.Cmd {
	t.filterBy("")
	return nil
}

func (t *Screen) toggle(r *row) tea.Cmd {
	t.unfold(r)
	return nil
}

// move takes the keys that move.
func (t *Screen) move(msg tea.KeyMsg) tea.Cmd {
	_, height := t.Inner()
	at := t.selected()
	switch {
	case key.Matches(msg, desk.Top):
		t.toStart()
	case key.Matches(msg, desk.Bottom):
		t.toEnd()
	case at < 0:
	case key.Matches(msg, desk.Down):
		t.down(at)
	case key.Matches(msg, desk.Up):
		t.up(at)
	case key.Matches(msg, desk.PageDown):
		t.scroll(max(1, height/2))
	case key.Matches(msg, desk.PageUp):
		t.scroll(-max(1, height/2))
	}
	return nil
}

func (t *Screen) toStart() {
	if !t.atStart || len(t.rows) == 0 {
		t.restart(oldest)
		return
	}
	t.at, t.follow, t.reveal = t.rows[0].key, false, true
}

func (t *Screen) toEnd() {
	if !t.atEnd || len(t.rows) == 0 {
		t.restart(newest)
		return
	}
	t.follow = true
}
