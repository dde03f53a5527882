// Package history is what was decided: the list, newest first, under the numbers of all that was
// decided; and one decided call, with how it ended and what came of it.
//
// The broker tells the last some hundred decisions when it is asked: when the console starts and each
// time that the list is opened. What is decided after that the board hears of by itself, and it
// stands in front.
package history

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/sheet"
)

// Broker is what the screens need of it.
type Broker interface {
	History(ctx context.Context, limit int) ([]broker.Request, error)
	Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error)
}

// Rules does something about the rule that decided a call.
type Rules struct {
	Open, Revoke func(broker.Request) tea.Cmd
}

// kept is how many decided calls are listed.
const kept = 500

var revoke = desk.Bind("x", "switch the rule off that allowed this; calls like it ask again", "x")

// List is what was decided.
type List struct {
	board *board.Board
	told  []broker.Request // by the broker, newest first
	err   error
}

// all lists what was decided, newest first: what the broker told when asked, with what has
// happened since in front.
func (l *List) all() []broker.Request {
	if len(l.told) == 0 {
		return l.board.Recent
	}
	newest := l.told[0].Outcome
	var since []broker.Request
	known := make(map[string]bool, len(l.told))
	for _, r := range l.told {
		known[r.ID] = true
	}
	for _, r := range l.board.Recent {
		if newest != nil && r.Outcome.At.Before(newest.At) {
			break
		}
		if !known[r.ID] {
			since = append(since, r)
		}
	}
	return append(since, l.told...)
}

// Screen is the list.
type Screen struct {
	*desk.Desk
	broker  Broker
	sheets  *sheet.Sheets
	list    *List
	rules   Rules
	numbers numbers
	at      string // id of the selected call
	row     int    // where it is listed
	top     int
}

// statsMsg brings the numbers.
type statsMsg struct {
	session, newest string
	stats           broker.Stats
	err             error
}

// historyMsg brings what was decided.
type historyMsg struct {
	list []broker.Request
	err  error
}

// NewList makes an empty list.
func NewList(b *board.Board) *List { return &List{board: b} }

// New makes the screen of the list.
func New(d *desk.Desk, b Broker, s *sheet.Sheets, l *List, r Rules) *Screen {
	return &Screen{Desk: d, broker: b, sheets: s, list: l, rules: r}
}

// Opens begins with the newest.
func (h *Screen) Opens(desk.Subject) tea.Cmd {
	h.at, h.row, h.top = "", 0, 0
	return h.load()
}

func (h *Screen) load() tea.Cmd {
	ctx, b := h.Ctx, h.broker
	return func() tea.Msg {
		told, err := b.History(ctx, kept)
		return historyMsg{list: told, err: err}
	}
}

func (h *Screen) came(msg historyMsg) {
	h.list.err = msg.err
	if msg.err != nil {
		return
	}
	h.list.told = msg.list
	for i := min(len(msg.list), board.RecentKept) - 1; i >= 0; i-- {
		if msg.list[i].Outcome != nil {
			h.Board.Remember(msg.list[i])
		}
	}
}

// place is where the selected call is listed.
func (h *Screen) place(all []broker.Request) int {
	for i := range all {
		if all[i].ID == h.at {
			return i
		}
	}
	return max(0, min(h.row, len(all)-1)) // it is no longer listed: what took its place
}

// selected is the selected call, nil when nothing was decided.
func (h *Screen) selected() *broker.Request {
	all := h.list.all()
	if len(all) == 0 {
		return nil
	}
	return &all[h.place(all)]
}

// Subject is the selected call.
func (h *Screen) Subject() desk.Subject {
	if r := h.selected(); r != nil {
		return desk.Subject{Session: r.SessionID, Call: r}
	}
	return desk.Subject{}
}

// Keys move, and lead to the call and to its rule.
func (h *Screen) Keys() []desk.Key {
	return append(desk.Moves("move", h.move),
		desk.Key{Binding: desk.Enter("the call, how it ended and what came of it"), Short: "show", Do: h.onCall(func(r broker.Request) tea.Cmd {
			return h.Open(desk.Decided, desk.Subject{Session: r.SessionID, Call: &r})
		})},
		desk.Key{Binding: revoke, Short: "switch its rule off", Do: h.onCall(h.rules.Revoke)},
	)
}

// onCall is a key's action on the selected call; without one it does nothing.
func (h *Screen) onCall(do func(broker.Request) tea.Cmd) func(tea.KeyMsg) tea.Cmd {
	return func(tea.KeyMsg) tea.Cmd {
		if r := h.selected(); r != nil {
			return do(*r)
		}
		return nil
	}
}

func (h *Screen) move(msg tea.KeyMsg) tea.Cmd {
	_, height := h.Inner()
	h.goTo(func(at, n int) int { return desk.Moved(msg, at, n, height) })
	return nil
}

// goTo selects the call at the place that to says, of n.
func (h *Screen) goTo(to func(at, n int) int) {
	if all := h.list.all(); len(all) > 0 {
		h.at = all[max(0, min(to(h.place(all), len(all)), len(all)-1))].ID
	}
}

// Update takes what the broker tells, and the mouse.
func (h *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case desk.Start:
		return h.load()
	case historyMsg:
		h.came(msg)
	case statsMsg:
		h.statsCame(msg)
	case tea.MouseMsg:
		h.mouse(msg)
	case desk.Settle:
		h.settle()
		return h.wantStats()
	}
	return nil
}

func (h *Screen) settle() {
	width, height := h.Frames().Inner(h.Whole(), 0)
	all := h.list.all()
	at := h.place(all)
	if len(all) > 0 {
		h.at, h.row = all[at].ID, at
	}
	h.top = desk.Window(h.top, at, height-len(h.statsRow(width)), len(all))
}

func (h *Screen) mouse(msg tea.MouseMsg) {
	steps, click := desk.Wheel(msg)
	h.goTo(func(at, _ int) int {
		if click {
			width, _ := h.Frames().Inner(h.Whole(), 0)
			return h.top + msg.Y - 1 - len(h.statsRow(width))
		}
		return at + steps
	})
}

// View draws the list below the numbers.
func (h *Screen) View(_, _ int) []string {
	width, height := h.Frames().Inner(h.Whole(), 0)
	list := h.list.all()
	rows := h.statsRow(width)
	height -= len(rows)
	f := draw.Caption{Title: "Decided", Note: "newest first", Focus: true}
	if len(list) > height {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(h.top+1), figures.Count(min(h.top+height, len(list))), figures.Count(len(list)))
	}
	if h.list.err != nil {
		rows = append(rows, h.Styles.Row(width).Put(draw.Danger, " ! ").Fit(draw.Danger, draw.SafeLine(h.list.err.Error()), width-4).To(width).String())
	}
	if len(list) == 0 && h.list.err == nil {
		rows = append(rows, h.Styles.Row(width).Put(draw.Muted, " nothing was decided yet").To(width).String())
	}
	for i := h.top; i < min(h.top+height, len(list)); i++ {
		rows = append(rows, h.sheets.Row(list[i], width, list[i].ID == h.at))
	}
	return h.Frames().Framed(h.Whole(), f, 0, rows)
}
