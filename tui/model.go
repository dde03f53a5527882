package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/aoctl/aoctl/tui/tty"
)

// screen is what fills the window.
type screen int

// The screens.
const (
	screenMain       screen = iota
	screenFull              // the drawn call alone
	screenHistory           // what was decided
	screenPast              // one decided call
	screenRules             // the rules
	screenTokens            // tokens
	screenFiles             // rules files of projects
	screenFile              // one of them
	screenBytes             // the exact bytes of one call
	screenEvents            // all that happened in one session
	screenTranscript        // what its agent wrote down of it
	screenSession           // all about one managed session
	screenHelp
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
	ctx     context.Context //nolint:containedctx // commands get nothing else to learn that the console ends
	console console
	opts    Options
	out     *tty.Output // nil in tests
	st      *draw.Styles
	keys    keyMap

	width, height int
	at            time.Time // the clock, as drawn
	screen        screen
	focus         pane
	board         *board.Board

	selected string // id of the selected card
	top      int    // first listed card on the screen
	scroll   int    // first row of the call on the screen
	session  string // id of the selected session
	sessTop  int    // first row of the sessions on the screen

	guard    guard.Guard
	went     string        // id of the card that the key just pressed moved to
	makeCode func() string // makes the code of a dangerous card
	note     note
	attempts attempts
	prompt   *prompt // what is being typed or asked, nil when nothing is

	edit    *edit // lies over the screen, nil when no input is being edited
	editGen int
	drafts  map[string]string // edited texts by the digest of the call as it was asked
	instead guard.Drawn       // a card that e was pressed on, whose agent takes no other input
	exec    func(run *editRun, done func(error) tea.Msg) tea.Cmd

	compose    *compose // lies below the panes, nil when no message is being written
	launch     *launch  // lies over the screen, nil when no session is being started
	composeGen int
	enter      sendKey           // that sends a message or starts a session
	unsent     map[string]string // messages that were written and not sent, by session
	unstarted  *launch           // the form as it was left, nil when it has nothing
	newest     string            // id of the session that was started here last, until it is listed
	textKeys   text.AreaKeys
	launchKeys launchKeys
	about      about
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
	tl          timeline
	tr          transcript
	summaries   map[string]callview.Summary // of decided calls, by id
	pastScroll  int
	bytesOf     broker.Request // whose bytes are shown
	bytesFrom   screen         // where esc leads from there
	bytesScroll int
	helpScroll  int
	helpFrom    screen // where esc leads from the help
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
	m := &model{ctx: ctx, console: c, opts: o, st: st, keys: defaultKeyMap(), board: board.NewBoard(), makeCode: guard.NewCode, editorKeys: defaultEditorKeys(), ruleKeys: defaultRuleKeys(), askKeys: defaultAskKeys(), textKeys: text.DefaultAreaKeys(), launchKeys: defaultLaunchKeys()}
	m.exec = func(run *editRun, done func(error) tea.Msg) tea.Cmd { return tea.Exec(run, done) }
	m.at = o.Now()
	m.attention.muted = map[string]bool{}
	m.guard.Awake(m.at)
	return m
}

// Init starts the clock, the subscription and the first look at what was decided.
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.watch(), m.tick(), m.loadHistory())
}

// card is the selected card, nil when there is none.
func (m *model) card() *board.Card {
	c := m.board.Cards[m.selected]
	if m.board.Place(c) < 0 {
		return nil
	}
	return c
}

// drawnCard is the card whose call is on the screen, whole or in part: the only one
// that a decision may be about.
func (m *model) drawnCard() *board.Card {
	if m.screen != screenMain && m.screen != screenFull || m.tooSmall() || m.editor != nil || m.edit != nil || m.launch != nil || m.composeCovers() {
		return nil
	}
	return m.card()
}

// formOpen reports whether something that is written or asked takes every key.
func (m *model) formOpen() bool {
	return m.prompt != nil || m.editor != nil || m.edit != nil || m.compose != nil || m.launch != nil
}

// selectRow selects the card at place i of the list, or the one nearest to it.
func (m *model) selectRow(i int) {
	n := m.board.Rows()
	if n == 0 {
		m.selected = ""
		return
	}
	m.selected = m.board.Row(min(max(i, 0), n-1)).Req.ID
}

// say puts a sentence of ours in the last line.
func (m *model) say(i draw.Ink, text string) tea.Cmd { return m.sayFor(i, text, noteFor) }

// sayFor is say for another time than the usual one.
func (m *model) sayFor(i draw.Ink, text string, d time.Duration) tea.Cmd {
	m.noteGen++
	m.note = note{ink: i, text: text}
	gen := m.noteGen
	return tea.Tick(d, func(time.Time) tea.Msg { return noteEndMsg{gen} })
}

// sayFitting is say with the first of the texts that the window has room for; the last
// one is taken when none fits.
func (m *model) sayFitting(i draw.Ink, texts ...string) tea.Cmd { return m.say(i, m.fitting(texts...)) }

// fitting is the first of the texts that the last line has room for, else the last one.
func (m *model) fitting(texts ...string) string {
	for _, t := range texts {
		if draw.Cells(t) <= m.width-2 {
			return t
		}
	}
	return texts[len(texts)-1]
}

// noteFor is how long a sentence stays.
const noteFor = 6 * time.Second
