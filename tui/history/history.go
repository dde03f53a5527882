// Package history is what was decided: the list, newest first, under the numbers of all that was
// decided; and one decided call, with how it ended and what came of it.
//
// The broker tells the last some hundred decisions when it is asked: when the console starts and each
// time that the list is opened. What is decided after that the board hears of by itself, and it
// stands in front (list.go). What is older is read from the broker's record, in pages, as far as
// somebody scrolls (record.go).
//
// A filter leaves only calls with all its words (filter.go). It is asked of every call, so the record
// is read on until the screen is full or nothing is left; the head says how many calls passed, and
// of how many.
package history

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/sheet"
)

// Broker is what the screens need of it.
type Broker interface {
	History(ctx context.Context, limit int) ([]broker.Request, error)
	Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error)
	Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error)
}

// Rules does something about the rule that decided a call, or makes one for calls like it.
type Rules struct {
	Open, Make, Revoke func(broker.Request) tea.Cmd
}

// kept is how many decided calls the broker is asked for at once.
const kept = 500

var makeRule = desk.Bind("A", "a rule for calls like this one", "A")

var revoke = desk.Bind("x", "switch the rule off that allowed this; calls like it ask again", "x")

// Screen is the list.
type Screen struct {
	*desk.Desk
	broker  Broker
	sheets  *sheet.Sheets
	list    *List
	rules   Rules
	numbers numbers
	filter  filter
	known   map[string]traits // of calls in the list, by id
	record  record
	asking  bool              // the broker, for what was decided
	shown   []*broker.Request // what is listed
	lately  int               // calls in the list, before the filter
	at      string            // id of the selected call
	row     int               // where it is listed
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

// New makes the screen of the list.
func New(d *desk.Desk, b Broker, s *sheet.Sheets, l *List, r Rules) *Screen {
	return &Screen{Desk: d, broker: b, sheets: s, list: l, rules: r}
}

// Opens begins with the newest, and lists all.
func (h *Screen) Opens(desk.Subject) tea.Cmd {
	h.at, h.row, h.top, h.filter = "", 0, 0, filter{}
	return h.load()
}

func (h *Screen) load() tea.Cmd {
	h.asking = true
	ctx, b := h.Ctx, h.broker
	return func() tea.Msg {
		told, err := b.History(ctx, kept)
		return historyMsg{list: told, err: err}
	}
}

func (h *Screen) came(msg historyMsg) {
	h.asking = false
	h.list.came(msg)
	if msg.err == nil {
		h.record.forget()
	}
	h.relist()
}

// relist lists what passes the filter.
func (h *Screen) relist() {
	lately := h.list.all()
	if len(h.known) > 2*len(lately) {
		h.known = nil
	}
	h.lately, h.shown = len(lately), lately[:0]
	for _, r := range lately {
		if h.passes(r) {
			h.shown = append(h.shown, r)
		}
	}
	h.shown = append(h.shown, h.record.found...)
}

// filterBy lists only the calls that pass what was typed.
func (h *Screen) filterBy(text string) {
	f := readFilter(text)
	if f.text == h.filter.text {
		return
	}
	h.filter, h.top, h.row = f, 0, 0
	if !f.active() {
		h.known = nil
	}
	h.record.again()
	h.relist()
}

// place is where the selected call is listed.
func (h *Screen) place() int {
	if i := slices.IndexFunc(h.shown, func(r *broker.Request) bool { return r.ID == h.at }); i >= 0 {
		return i
	}
	return max(0, min(h.row, len(h.shown)-1)) // it is no longer listed: what took its place
}

// selected is the selected call, nil when none is listed.
func (h *Screen) selected() *broker.Request {
	if len(h.shown) == 0 {
		return nil
	}
	return h.shown[h.place()]
}

// Subject is the selected call.
func (h *Screen) Subject() desk.Subject {
	if r := h.selected(); r != nil {
		return desk.Subject{Session: r.SessionID, Call: r}
	}
	return desk.Subject{}
}

// Keys move, filter, and lead to the call and to its rule.
func (h *Screen) Keys() []desk.Key {
	list := append(desk.Moves("move", h.move),
		desk.Key{Binding: desk.Enter("the call, how it ended and what came of it"), Short: "show", Do: h.onCall(func(r broker.Request) tea.Cmd {
			return h.Open(desk.Decided, desk.Subject{Session: r.SessionID, Call: &r})
		})},
		desk.Key{Binding: desk.Filter("list only calls that have these words; tool:Bash, session:shop, by:you and denied look in one place"), Short: "filter", Do: h.askFilter},
		desk.Key{Binding: makeRule, Short: h.rule(), Do: h.onCall(h.rules.Make)},
		desk.Key{Binding: revoke, Short: h.switchOff(), Do: h.onCall(h.rules.Revoke)},
	)
	if h.filter.active() {
		list = append(list, desk.Key{Binding: desk.Bind("esc", "list all calls again", "esc", "q"), Do: h.unfilter})
	}
	return list
}

// rule is what the key line says of the key that makes one; "" when a rule decided the selected call already.
func (h *Screen) rule() string {
	if r := h.selected(); r != nil && !byRule(r) {
		return makesRule
	}
	return ""
}

// makesRule is what the key line says of makeRule.
const makesRule = "rule…"

// switchOff is what the key line says of the key for the rule; "" when none decided the selected call.
func (h *Screen) switchOff() string {
	if r := h.selected(); r != nil && byRule(r) {
		return switchOff
	}
	return ""
}

func (h *Screen) askFilter(tea.KeyMsg) tea.Cmd {
	help := "enter keeps · esc shows all"
	if h.Width >= wideHelp {
		help = "words, tool:Bash, session:shop, by:you, denied · " + help
	}
	h.Read(desk.Line{Lead: "/", Help: help, Text: h.filter.text, Typed: h.filterBy})
	return nil
}

// wideHelp is the least width, in cells, in which the line for the filter says what can be typed.
const wideHelp = 110

func (h *Screen) unfilter(tea.KeyMsg) tea.Cmd {
	h.filterBy("")
	return nil
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
	_, height := h.area()
	h.goTo(desk.Moved(msg, h.place(), len(h.shown), height))
	return nil
}

// goTo selects the call at a place of the list.
func (h *Screen) goTo(at int) {
	if n := len(h.shown); n > 0 {
		h.at = h.shown[max(0, min(at, n-1))].ID
	}
}

// Update takes what the broker tells, and the mouse.
func (h *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case desk.Start:
		return h.load()
	case historyMsg:
		h.came(msg)
	case olderMsg:
		h.olderCame(msg)
	case statsMsg:
		h.statsCame(msg)
	case tea.MouseMsg:
		h.mouse(msg)
	case desk.Settle:
		return h.settle()
	}
	return nil
}

// settle lists what there is, keeps the selection, and asks for what is missing.
func (h *Screen) settle() tea.Cmd {
	h.relist()
	at := h.place()
	if len(h.shown) > 0 {
		h.at, h.row = h.shown[at].ID, at
	}
	_, height := h.area()
	h.top = desk.Window(h.top, at, height, len(h.shown))
	return tea.Batch(h.wantStats(), h.wantCalls(height))
}

// wantCalls asks for calls that the screen lacks, of which height are drawn: what was decided since,
// when the board could not keep all of it, and older ones.
func (h *Screen) wantCalls(height int) tea.Cmd {
	o := &h.record
	switch {
	case h.asking || !h.list.heard:
	case h.list.behind() && h.list.err == nil: // or it would be asked for ever
		return h.load()
	case !o.loading && !o.whole && !o.full() && len(h.shown) < h.top+2*height:
		return h.readOn()
	}
	return nil
}

func (h *Screen) mouse(msg tea.MouseMsg) {
	steps, click := desk.Wheel(msg)
	if click {
		width, _ := h.area()
		h.goTo(h.top + msg.Y - 1 - len(h.above(width)))
		return
	}
	h.goTo(h.place() + steps)
}
