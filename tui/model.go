package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/external"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/herald"
	"github.com/aoctl/aoctl/tui/history"
	"github.com/aoctl/aoctl/tui/orders"
	"github.com/aoctl/aoctl/tui/sheet"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/words"
)

// screen is what fills the window.
type screen int

// The screens.
const (
	screenMain screen = iota
	screenFull        // the drawn call alone
)

// pane is a part of the main screen that keys move in.
type pane int

// The panes, in the order in which tab visits them.
const (
	paneQueue pane = iota
	paneDetail
	paneSessions
	paneCount
)

// model is the whole console. Update changes it in place and View only reads it.
type model struct {
	*desk.Desk
	console  console
	opts     Options
	out      *tty.Output // nil in tests
	keys     keyMap
	chosen   chosen                 // by the operator, in place of those
	rooms    map[string]desk.Screen // every screen, by its name in the table
	roomList []desk.Screen          // the same, in the order of the table
	stack    []desk.Screen          // those that are open; the last one is drawn

	width, height int
	screen        screen
	focus         pane

	selected string // id of the selected card
	top      int    // first listed card on the screen
	scroll   int    // first row of the call on the screen
	session  string // id of the selected session
	sessTop  int    // first row of the sessions on the screen

	went     string        // id of the card that the key just pressed moved to
	makeCode func() string // makes the code of a dangerous card
	note     note
	attempts attempts
	prompt   *prompt // what is being typed or asked, nil when nothing is

	instead guard.Drawn // a card that e was pressed on, whose agent takes no other input
	outside *external.Editor

	newest string // id of the session that was started here last, until it is listed

	askKeys   askKeys
	askedOf   guard.Drawn // the card whose form keys are for, zero when there is none
	savedRule string      // id of the rule that the editor saved last

	sheets      *sheet.Sheets
	past        *history.List
	herald      *herald.Herald
	orders      *orders.Orders
	beating     bool      // a beatMsg is under way
	awakeAt     time.Time // the doubt whose end is going to be drawn
	quitAsked   time.Time
	newsMissing bool      // the broker's channel was closed and not opened again yet
	lostAt      time.Time // since when

	watchGen, tickGen, noteGen, quitGen int
	watchWait                           time.Duration
	watchedAt                           time.Time
	updates                             <-chan broker.Update
}

// note is a sentence in place of the key line, for some seconds or until a key.
type note struct {
	ink  draw.Ink
	text string // safe to draw
}

func newModel(ctx context.Context, c console, o Options, st *draw.Styles) *model {
	m := &model{console: c, opts: o, keys: defaultKeyMap(), makeCode: guard.NewCode, askKeys: defaultAskKeys()}
	m.chosen = chooseKeys(o.Keys)
	m.outside = external.NewEditor(o.Editor, o.EditFolder, o.Foreground, o.Input, o.Output)
	m.Desk = &desk.Desk{
		Root: m, Ctx: ctx, Board: board.NewBoard(), Guard: new(guard.Guard), Styles: st, Book: words.NewBook(broker.RuleBook{}), Operator: o.Operator, At: o.Now(),
	}
	m.herald, m.orders = herald.New(m.Desk, o.Notify, o.Desktop), orders.New(m.Desk, c)
	m.rooms = openers(m)
	m.Guard.Awake(m.At)
	return m
}

// Init starts the clock, the subscription and the first look at what was decided.
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.watch(), m.tick(), m.broadcast(desk.Start{}))
}

// card is the selected card, nil when there is none.
func (m *model) card() *board.Card {
	c := m.Board.Cards[m.selected]
	if m.Board.Place(c) < 0 {
		return nil
	}
	return c
}

// drawnCard is the card whose call is on the screen, whole or in part: the only one
// that a decision may be about.
func (m *model) drawnCard() *board.Card {
	if m.covering() != nil || m.stripCovers() || m.screen != screenMain && m.screen != screenFull || m.tooSmall() {
		return nil
	}
	return m.card()
}

// formOpen reports whether something that is written or asked takes every key.
func (m *model) formOpen() bool {
	w, ok := m.open().(desk.Writer)
	return ok && w.Writes() || m.prompt != nil
}

// selectRow selects the card at place i of the list, or the one nearest to it.
func (m *model) selectRow(i int) {
	n := m.Board.Rows()
	if n == 0 {
		m.selected = ""
		return
	}
	m.selected = m.Board.Row(min(max(i, 0), n-1)).Req.ID
}

// Say puts a sentence of ours in the last line: the first of texts that has room.
func (m *model) Say(i draw.Ink, texts ...string) tea.Cmd {
	return m.sayFor(i, m.Fitting(texts...), noteFor)
}

// sayFor is Say for another time than the usual one.
func (m *model) sayFor(i draw.Ink, text string, d time.Duration) tea.Cmd {
	m.noteGen++
	m.note = note{ink: i, text: text}
	gen := m.noteGen
	return tea.Tick(d, func(time.Time) tea.Msg { return noteEndMsg{gen} })
}

// Fitting is the first of the texts that the last line has room for, else the last one.
func (m *model) Fitting(texts ...string) string {
	for _, t := range texts {
		if draw.Cells(t) <= m.width-2 {
			return t
		}
	}
	return texts[len(texts)-1]
}

// noteFor is how long a sentence stays.
const noteFor = 6 * time.Second
