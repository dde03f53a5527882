package queue

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// move takes a key that moves: in the list, among the sessions, or in the drawn call.
func (q *Screen) move(msg tea.KeyMsg) tea.Cmd {
	c := q.DrawnCard()
	switch {
	case key.Matches(msg, desk.PageDown, desk.PageUp), q.full, q.focus == paneDetail && !q.onSessions():
		q.scroll(msg)
	case key.Matches(msg, desk.Bottom) && q.focus == paneQueue && c != nil && locked(c): // read on first
		q.reader.scroll = len(q.drawnDoc().Rows)
	case q.onSessions():
		q.roster.move(func(at, n int) int { return desk.Moved(msg, at, n, 0) })
	default:
		q.list.goTo(desk.Moved(msg, q.list.place(), q.Board.Rows(), 0))
	}
	return nil
}

// scroll moves in the drawn call.
func (q *Screen) scroll(msg tea.KeyMsg) {
	if c := q.DrawnCard(); c != nil {
		d, height := q.Sheet(c)
		q.reader.scroll = desk.Scrolled(msg, q.reader.scroll, len(d.Rows), height)
	}
}

// goToPane goes to the pane, or the screen, of a digit.
func (q *Screen) goToPane(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "1":
		q.goTo(paneQueue)
	case "2":
		if q.DrawnCard() == nil {
			return decider{q}.sayNone()
		}
		q.focus = paneDetail
	case "3":
		q.goTo(paneSessions)
	case "4":
		return q.Open(desk.History, desk.Subject{})
	case "5":
		return q.Open(desk.Rules, desk.Subject{})
	}
	return nil
}

// goOn selects the next call that waits, in the list.
func (q *Screen) goOn() tea.Cmd {
	at, n := q.list.next()
	if n == 0 {
		return q.Say(draw.Muted, "nothing waits")
	}
	q.goTo(paneQueue)
	q.list.goTo(at)
	return nil
}

// openCall gives the drawn call the whole screen, or goes to the calls of a session.
func (q *Screen) openCall() tea.Cmd {
	on := q.chosen()
	switch {
	case q.onSessions() && isFold(q.roster.selected):
		q.roster.turn()
	case q.onSessions() && machineIn(q.roster.selected) != "":
		openMachine(q, machineIn(q.roster.selected))
	case q.onSessions() && q.Board.Held(on):
		return q.Open(desk.Managed, desk.Subject{Session: on})
	// Where nothing waits, enter may have been meant for a call that just went. A filter would hide what comes.
	case q.focus == paneSessions && !q.full && on != "":
		q.list.filterBy(board.Filter{SessionID: on})
		q.focus = paneQueue
	case q.DrawnCard() == nil:
		return decider{q}.sayNone()
	default:
		q.full, q.fullOf = true, q.list.selected
	}
	return nil
}

// showCall goes to the card of a call, which there is.
func (q *Screen) showCall(id string) tea.Cmd {
	if q.Board.Place(q.Board.Cards[id]) < 0 {
		q.list.filterBy(board.Filter{})
	}
	q.list.selected, q.list.went = id, id
	q.focus = paneQueue
	if q.Small {
		return decider{q}.sayNone()
	}
	q.full, q.fullOf = true, id
	return nil
}

// mouse scrolls and selects. It never decides.
func (q *Screen) mouse(msg tea.MouseMsg) {
	step, click := desk.Wheel(msg)
	if step == 0 && !click {
		return
	}
	l := q.layout()
	switch {
	case l.detail.Has(msg.X, msg.Y):
		q.reader.scroll += step * desk.WheelRows
		if click && !q.full {
			q.focus = paneDetail
		}
	case l.queue.Has(msg.X, msg.Y):
		if click {
			q.focus = paneQueue
		}
		q.list.mouse(l, msg, step)
	case l.sessions.Has(msg.X, msg.Y):
		if click {
			q.focus = paneSessions
		}
		q.roster.mouse(l, msg, step)
	}
}
