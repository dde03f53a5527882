package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/external"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/tty"
	"github.com/aoctl/aoctl/tui/words"
)

// screen is what fills the window.
type screen int

// The screens.
const (
	screenMain    screen = iota
	screenFull           // the drawn call alone
	screenHistory        // what was decided
	screenPast           // one decided call
	screenRules          // the rules
	screenTokens         // tokens
	screenFiles          // rules files of projects
	screenFile           // one of them
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

	compose    *compose // lies below the panes, nil when no message is being written
	launch     *launch  // lies over the screen, nil when no session is being started
	composeGen int
	enter      sendKey           // that sends a message or starts a session
	unsent     map[string]string // messages that were written and not sent, by session
	unstarted  *launch           // the form as it was left, nil when it has nothing
	newest     string            // id of the session that was started here last, until it is listed
	textKeys   text.AreaKeys
	launchKeys launchKeys
	ending     ending

	editor     *editor // lies over the screen, nil when it is closed
	editorGen  int
	editorKeys editorKeys
	ruleKeys   ruleKeys
	askKeys    askKeys
	askedOf    guard.Drawn // the card whose form keys are for, zero when there is none
	rb         rulebook

	history     []broker.Request
	historyErr  error
	historyAt   string // id of the selected decided call
	historyRow  int    // where it is listed
	historyTop  int
	unfolded    bool // the output of the decided call on the screen
	stories     stories
	summaries   map[string]callview.Summary // of decided calls, by id
	pastScroll  int
	docs        docCache
	view        callview.DiffView
	attention   attention
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
	m := &model{console: c, opts: o, keys: defaultKeyMap(), makeCode: guard.NewCode, editorKeys: defaultEditorKeys(), ruleKeys: defaultRuleKeys(), askKeys: defaultAskKeys(), textKeys: text.DefaultAreaKeys(), launchKeys: defaultLaunchKeys()}
	m.outside = external.NewEditor(o.Editor, o.EditFolder, o.Foreground, o.Input, o.Output)
	m.Desk = &desk.Desk{
		Root: m, Ctx: ctx, Board: board.NewBoard(), Guard: new(guard.Guard), Styles: st, Book: words.NewBook(broker.RuleBook{}), Operator: o.Operator, At: o.Now(),
	}
	m.rb.book = m.Book
	m.rooms = openers(m)
	m.attention.muted = map[string]bool{}
	m.Guard.Awake(m.At)
	return m
}

// Init starts the clock, the subscription and the first look at what was decided.
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.watch(), m.tick(), m.loadHistory())
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
	if len(m.stack) > 0 || m.screen != screenMain && m.screen != screenFull || m.tooSmall() || m.editor != nil || m.launch != nil || m.composeCovers() {
		return nil
	}
	return m.card()
}

// formOpen reports whether something that is written or asked takes every key.
func (m *model) formOpen() bool {
	w, ok := m.open().(desk.Writer)
	return ok && w.Writes() || m.prompt != nil || m.editor != nil || m.compose != nil || m.launch != nil
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
