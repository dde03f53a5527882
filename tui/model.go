package tui

import (
	"context"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/external"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/herald"
	"github.com/aoctl/aoctl/tui/history"
	"github.com/aoctl/aoctl/tui/jump"
	"github.com/aoctl/aoctl/tui/orders"
	"github.com/aoctl/aoctl/tui/palette"
	"github.com/aoctl/aoctl/tui/sheet"
	"github.com/aoctl/aoctl/tui/suggest"
	"github.com/aoctl/aoctl/tui/trust"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/words"
)

// model is the whole console: the stack of screens with the first row above it and the last row
// below it. Update changes it in place and View only reads it.
type model struct {
	*desk.Desk
	*line // the last row: what is said, asked and typed
	*stack

	feed    *feed // what the broker tells
	console console
	opts    Options
	out     *tty.Output // nil in tests
	height  int         // of the window, in rows
	shared  shared

	newCode  func() string // makes the code of a dangerous card
	attempts attempts
	beating  bool      // a beatMsg is under way
	awakeAt  time.Time // the doubt whose end is going to be drawn
	leaving  bool      // the broker is to change its process
}

// shared is what several screens use.
type shared struct {
	sheets  *sheet.Sheets
	past    *history.List
	herald  *herald.Herald
	orders  *orders.Orders
	jumper  *jump.Jumper
	outside *external.Editor
	rules   *pastRules
	asks    *trust.Asks           // what terminals ask the operator to grant
	quiet   *suggest.Line         // which rules would have saved the last decisions
	doable  func() []palette.Item // what keys do on the screen below the palette
}

// update takes answers for what is shared.
func (s *shared) update(msg tea.Msg) tea.Cmd {
	s.sheets.Update(msg)
	return tea.Batch(s.orders.Update(msg), s.herald.Update(msg), s.jumper.Update(msg), s.rules.update(msg), s.asks.Update(msg), s.quiet.Update(msg))
}

func newModel(ctx context.Context, c console, o Options, st *draw.Styles) *model {
	m := &model{console: c, opts: o, stack: new(stack), newCode: guard.NewCode}
	m.Desk = &desk.Desk{
		Root: m, Ctx: ctx, Board: board.NewBoard(), Guard: new(guard.Guard), Styles: st, Book: words.NewBook(broker.RuleBook{}), Operator: o.Operator, At: o.Now(),
	}
	m.line = &line{Desk: m.Desk, chosen: chooseKeys(o.Keys)}
	m.Guard.Called = m.Called
	m.feed = &feed{Desk: m.Desk, broker: c}
	m.shared = shared{
		sheets: sheet.New(m.Desk, c), past: history.NewList(m.Board), herald: herald.New(m.Desk, o.Notify, o.Turns, o.Desktop),
		orders: orders.New(m.Desk, c), jumper: jump.New(m.Desk, o.Jump),
		outside: external.NewEditor(o.Editor, o.EditFolder, o.Foreground, o.Input, o.Output),
		rules:   &pastRules{Desk: m.Desk, broker: c},
		asks:    trust.NewAsks(m.Desk, c),
		quiet:   suggest.NewLine(m.Desk, c),
		doable:  m.doable,
	}
	m.make(m)
	m.Guard.Awake(m.At)
	return m
}

// Init starts the clock, the subscription and the first look at what was decided.
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.feed.watch(), tick(), nextNotice(m.Ctx, m.opts.Notices), m.broadcast(desk.Start{}))
}

// formOpen reports whether something that is written or asked takes every key.
func (m *model) formOpen() bool { return m.prompt != nil || writes(m.open()) }

// writes reports whether s is typed in.
func writes(s desk.Screen) bool {
	w, ok := s.(desk.Writer)
	return ok && w.Writes()
}

// Busy reports whether something else than what waits is on the screen.
func (m *model) Busy() bool { return m.formOpen() || m.open() != nil }

// matches reports whether msg is the key of the action of that name.
func matches(msg tea.KeyMsg, name string) bool { return key.Matches(msg, actionKey(name)) }
