// Package queue is the first screen of the console: the calls that wait, the sessions beside them,
// and the selected call, which is the one that a key decides. It lies at the bottom of the stack of
// screens and is never closed.
//
// Its parts, each with a state of its own: arrangement (which pane has the keys, and where they all
// stand), list (which call is selected, and how the rows are drawn), roster (the sessions pane),
// reader (the drawn call: how far it is scrolled, the files that it would change, and whether its end
// was on the screen), the question's form, and marks.
//
// How a decision is made: Keys gives each deciding key to the guard first (Press), then to a judge
// here, which has the last word on what that key does on this card now (a dangerous one takes a
// code, a held one cannot be allowed, one that was not read to the end neither). What may act is
// held for some milliseconds and then sent to the broker, about the call that was drawn and no
// other. The row says "allow…" until the broker's own word takes the card away.
//
// Arrivals never move the selection. A selected card that ends by itself gives its place to the next
// one, and the last line says what ended it.
package queue

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/herald"
	"github.com/aoctl/aoctl/tui/orders"
	"github.com/aoctl/aoctl/tui/question"
	"github.com/aoctl/aoctl/tui/sheet"
)

// Broker takes the decisions, and knows what was asked of a session.
type Broker interface {
	Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error)
	DecideAll(ctx context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error)
	Defer(ctx context.Context, id string, by broker.Actor) (broker.Request, error)
	Extend(ctx context.Context, id string, by broker.Actor) (broker.Request, error)
	Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error)
	ProjectAt(ctx context.Context, dir string) broker.Project
}

// Setup is what the screen takes beside the broker.
type Setup struct {
	Sheets *sheet.Sheets
	Orders *orders.Orders
	Herald *herald.Herald

	NewCode  func() string                     // makes the code of a dangerous card
	ReadFile func(path string) ([]byte, error) // what a call would change
	Stamp    func(path string) string          // differs when the file does
	Now      func() time.Time
	Hooked   func() []string // the agents with hooks of aoctl
	Quiet    Quiet
}

// Quiet is a line that stands above the drawn call while nothing that matters more does.
type Quiet interface {
	Shown() bool
	View(width int) string
}

// pane is a part of the screen that keys move in.
type pane int

// The panes, in the order in which tab visits them.
const (
	paneQueue pane = iota
	paneDetail
	paneSessions
	paneCount
)

// Screen is the first screen.
type Screen struct {
	*desk.Desk
	setup Setup

	arrangement
	list   list
	roster roster
	reader reader
	stray  stray
	marks  marks
	sender sender
	form   *question.Form

	unruled   unruled     // the line about a project without rules
	instead   guard.Drawn // a card that e was pressed on, whose agent takes no other input
	denying   denial      // the card that a reason is being written for
	savedRule string      // id of the rule that the editor saved last
}

// New makes the screen.
func New(d *desk.Desk, b Broker, s Setup) *Screen {
	q := &Screen{Desk: d, setup: s}
	q.list = list{Desk: d, sheets: s.Sheets, newcomer: newcomer{Desk: d, look: s.Hooked}, line: s.Quiet}
	q.roster = roster{Desk: d, muted: s.Herald.Muted, asked: asked{Desk: d, broker: b}}
	q.arrangement = arrangement{Desk: d, sessions: &q.roster}
	q.unruled = unruled{Desk: d, broker: b}
	q.form = question.New(d, q)
	q.reader = reader{Desk: d, sheets: s.Sheets, setup: &q.setup, form: q.form}
	q.marks = marks{Desk: d, broker: b, cursor: &q.list, reader: &q.reader}
	q.sender = sender{Desk: d, broker: b, orders: s.Orders, list: &q.list, reader: &q.reader}
	return q
}

// Opens shows the calls of a session, or the card of a call; with neither it shows what it did.
func (q *Screen) Opens(on desk.Subject) tea.Cmd {
	q.full = false
	switch {
	case on.Call != nil:
		return q.showCall(on.Call.ID)
	case on.Session != "":
		q.focus = paneQueue
		q.list.filterBy(board.Filter{SessionID: on.Session})
	}
	return nil
}

// Update takes the broker's answers, its news, and the mouse.
func (q *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case desk.Settle:
		return q.settle()
	case desk.News:
		return q.newsCame(msg)
	case desk.Start:
		return q.list.newcomer.ask()
	case hookedMsg:
		q.list.newcomer.known, q.list.newcomer.hooked = true, msg.agents
	case desk.Tick:
		q.Board.ExpireLate(q.At)
		cmd := tea.Batch(q.keepPlace(), q.list.newcomer.again())
		if c := q.DrawnCard(); q.inSight(c) {
			cmd = tea.Batch(cmd, q.reader.watchFiles(c))
		}
		return cmd
	case tea.MouseMsg:
		q.mouse(msg)
	case desk.Allowed:
		q.list.passed(msg.ID)
	case desk.Launched:
		if msg.Err == nil {
			q.roster.newest, q.stray.news = msg.Session.ID, true
		}
	case desk.RuleSaved:
		if msg.Err == nil {
			q.savedRule = msg.Saved.Rule.ID
		}
	case decidedMsg:
		return q.sender.decided(msg)
	case markedMsg:
		return q.marks.decided(msg)
	case deferredMsg:
		return q.sender.deferred(msg)
	case moreTimeMsg:
		return q.sender.moreTime(msg)
	case askedMsg:
		q.roster.asked.came(msg)
	case projectMsg:
		q.unruled.came(msg)
	case desk.NotNow:
		q.unruled.notNow(msg.Project)
	default:
		return q.reader.update(msg)
	}
	return nil
}

// Subject is the drawn call, or the selected session while its pane has the focus and shows that.
func (q *Screen) Subject() desk.Subject {
	on := desk.Subject{Speaks: true}
	if c := q.DrawnCard(); c != nil {
		on.Call, on.Drawn, on.Own = &c.Req, c.Key(), q.reader.own
		on.Session = c.Req.SessionID
	}
	if q.onSessions() {
		on.Session = q.chosen()
	}
	on.Strayed = q.stray.just(q.At)
	return on
}

// DrawnCard is the card whose call is on the screen, whole or in part: the only one that a decision
// may be about.
func (q *Screen) DrawnCard() *board.Card {
	if q.Small || q.layout().room() == 0 {
		return nil
	}
	return q.list.card()
}

// inSight reports whether c is what the guard knows to be drawn: behind another screen it is not.
func (q *Screen) inSight(c *board.Card) bool { return c != nil && c.Key() == q.Guard.Drawn }

// Send decides the call of k, if it is still the one that was drawn; for screens on top of this one.
func (q *Screen) Send(k guard.Drawn, v broker.Verdict, reason string) tea.Cmd {
	return q.sender.send(k, v, reason)
}

// newsCame keeps the place in the list, and follows what a reason is being written for.
func (q *Screen) newsCame(msg desk.News) tea.Cmd {
	q.roster.asked.news(msg.List)
	for _, u := range msg.List {
		if u.Request != nil {
			q.denying.news(*u.Request, q.Book)
		}
	}
	return q.keepPlace()
}

// keepPlace says what ended the selected card, when that is no longer listed. That a stop or a new
// rule did is known already while that itself is being told.
func (q *Screen) keepPlace() tea.Cmd {
	q.stray.news = true
	ended := q.list.keep()
	if q.focus != paneSessions && q.Board.Rows() == 0 && ended.SessionID != "" {
		q.roster.selected = ended.SessionID // keys are about it still
	}
	o := ended.Outcome
	switch {
	case o == nil:
	case q.Told() && (o.By.Kind == broker.ByStop || q.justSaved(o.By)):
	case o.By.Kind != broker.ByOperator || o.By.ID != q.Operator.ID || o.By.PID != q.Operator.PID:
		return decider{q}.sayEnded(ended)
	}
	return nil
}

// justSaved reports whether a call was ended by the rule that was saved last; which calls those are
// is said when it is saved.
func (q *Screen) justSaved(a broker.Actor) bool {
	return a.Kind == broker.ByRule && a.ID != "" && a.ID == q.savedRule
}

// settle brings selection and scrolling in line with what is going to be drawn.
func (q *Screen) settle() tea.Cmd {
	q.list.keep()
	q.leaveGone()
	look := q.unruled.settle(q.list.card())
	q.line = q.unruled.shown() || q.setup.Quiet.Shown() || reachLine(q.Desk, q.list.card(), q.Width) != ""
	l := q.layout()
	q.list.settle(l, !q.full && !q.Small)
	wanted := q.roster.settle(l, q.onSessions())
	if q.stray.drawn(q.Subject().Session, q.At) {
		q.Guard.Doubt(q.At)
	}
	c := q.DrawnCard()
	width, height := l.Inner(l.detail, 1)
	own := q.list.went != "" && c != nil && q.list.went == c.Req.ID
	q.list.went = ""
	return tea.Batch(look, wanted, q.reader.settle(c, own, width, height), q.setup.Sheets.Want(q.Subject().Call))
}

// leaveGone closes the whole screen of a call that was decided or has ended. The next call comes up
// where it is listed: in the same place it would look like the same call, still to be decided.
func (q *Screen) leaveGone() {
	if q.full && q.list.selected != q.fullOf {
		q.full, q.focus = false, paneQueue
	}
}

// View draws the screen.
func (q *Screen) View(_, _ int) []string {
	l := q.layout()
	if q.full {
		return q.detailView(l, l.detail)
	}
	right, call := q.list.view(l, l.queue, q.focus == paneQueue && !q.onSessions()), q.detailView(l, l.detail)
	if l.line.H > 0 {
		call = append([]string{q.lineView(l.line.W)}, call...)
	}
	if l.beside {
		right = beside(right, call)
	} else {
		right = append(right, call...)
	}
	left := q.roster.view(l, l.sessions)
	if l.Stacked || len(left) == 0 || len(right) == 0 {
		return append(left, right...)
	}
	return beside(left, right)
}

// lineView draws the line above the call. What keeps keys from acting comes first, then what an agent
// does by itself; and whoever has decided that much by hand has seen that the project has no rules.
func (q *Screen) lineView(width int) string {
	if far := reachLine(q.Desk, q.list.card(), width); far != "" {
		return far
	}
	if q.unruled.accepts != "" || !q.setup.Quiet.Shown() {
		return q.unruled.view(width)
	}
	return q.setup.Quiet.View(width)
}

// beside puts the rows of two panes of one height beside each other.
func beside(left, right []string) []string {
	rows := make([]string, len(left))
	for i := range rows {
		rows[i] = left[i] + right[i]
	}
	return rows
}
