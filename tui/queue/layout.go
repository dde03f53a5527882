package queue

import (
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// besideFrom is how wide a screen must be for the call to stand beside the list, cells.
const besideFrom = 160

// tallStack is how many rows of a stacked screen leave room for the sessions.
const tallStack = 24

// layout says where the panes stand. An area without height is not drawn.
type layout struct {
	draw.Frames
	sessions, queue, detail draw.Area
	line                    draw.Area // a row above the call, about its project
	beside                  bool      // the call stands beside the list, not below it
}

// arrangement is which pane has the keys, and where all of them stand.
type arrangement struct {
	*desk.Desk
	focus  pane
	full   bool   // the drawn call has the whole screen
	fullOf string // id of that call
	line   bool   // a line stands above the drawn call

	sessions *roster
}

// onSessions reports whether keys are about the selected session: its pane has them, or there is no
// call that they could be about and the sessions are drawn.
func (p *arrangement) onSessions() bool {
	switch {
	case p.full:
		return false
	case p.focus == paneSessions:
		return true
	}
	return p.Board.Rows() == 0 && len(p.Board.Roster) > 0 && p.layout().showsSessions()
}

// goTo goes to a pane, which is drawn then.
func (p *arrangement) goTo(to pane) { p.full, p.focus = false, to }

// next goes by panes on, or back, to one that is drawn: without a call there is no pane for it.
func (p *arrangement) next(by pane) {
	p.focus = (p.focus + by) % paneCount
	if p.focus == paneDetail && p.Board.Rows() == 0 {
		p.focus = (p.focus + by) % paneCount
	}
}

func (p *arrangement) layout() layout {
	l := layout{Frames: p.Frames()}
	whole := p.Whole()
	switch {
	case p.full:
		l.detail = whole
		return l
	case p.Small:
	case l.Stacked:
		p.stacked(&l, whole)
	default:
		p.spread(&l, whole)
	}
	if p.Board.Rows() > 0 && l.room() == 0 || p.Small {
		p.alone(&l, whole)
	} else if p.line {
		l.makeLine()
	}
	return l
}

// leastList is how many rows the list keeps, with its frame, when a line stands below it.
const leastList = 4

// makeLine makes room for a line above the call. The list gives the row where it is above the call, so
// that the call stays where it is.
func (l *layout) makeLine() {
	least := leastList
	if l.Stacked {
		least = 2 // its frame has one row
	}
	switch {
	case l.room() == 0:
	case l.beside:
		l.line = draw.Area{X: l.detail.X, Y: l.detail.Y, W: l.detail.W, H: 1}
		l.detail.Y, l.detail.H = l.detail.Y+1, l.detail.H-1
	case l.queue.H > least:
		l.queue.H--
		l.line = draw.Area{X: l.queue.X, Y: l.queue.Y + l.queue.H, W: l.queue.W, H: 1}
	}
}

// room is how many rows there are for the text of the call.
func (l layout) room() int {
	_, height := l.Inner(l.detail, 1)
	return height
}

// showsSessions reports whether there are rows for the sessions.
func (l layout) showsSessions() bool {
	_, height := l.Inner(l.sessions, 0)
	return height > 0
}

// alone gives the pane with the keys all of the room, which is too low for a call: the window is, or
// sentences above and a message below leave no more.
func (p *arrangement) alone(l *layout, whole draw.Area) {
	l.sessions, l.queue, l.detail = draw.Area{}, whole, draw.Area{}
	if p.focus == paneSessions {
		l.sessions, l.queue = whole, draw.Area{}
	}
}

// spread puts the sessions to the left of queue and call. The queue's height does not follow its
// length: a call must not move while it is being read. In a wide window the call has all rows, beside
// the list.
func (p *arrangement) spread(l *layout, b draw.Area) {
	side := min(max(b.W*22/100, 22), 32)
	if p.Board.Rows() == 0 { // no call needs the room
		side = max(side, min(p.sessions.wide()+2, b.W*3/5))
	}
	l.sessions = draw.Area{X: b.X, Y: b.Y, W: side, H: b.H}
	l.queue = draw.Area{X: b.X + side, Y: b.Y, W: b.W - side, H: b.H}
	if p.Board.Rows() == 0 {
		return
	}
	if b.W >= besideFrom {
		l.beside = true
		l.queue.W = (b.W - side) / 2
		l.detail = draw.Area{X: l.queue.X + l.queue.W, Y: b.Y, W: b.W - side - l.queue.W, H: b.H}
		return
	}
	l.queue.H = min(max(b.H*3/10, 3), 12) + 2
	l.detail = draw.Area{X: l.queue.X, Y: b.Y + l.queue.H, W: l.queue.W, H: b.H - l.queue.H}
}

// stacked puts the panes one above the other; in a low window the sessions take the queue's place
// while they have the focus.
func (p *arrangement) stacked(l *layout, b draw.Area) {
	if b.H >= tallStack {
		l.sessions = draw.Area{X: b.X, Y: b.Y, W: b.W, H: 6}
		b.Y, b.H = b.Y+6, b.H-6
	}
	l.queue = b
	if p.Board.Rows() > 0 {
		l.queue.H = 1 + min(max(b.H/4, 2), 8)
		l.detail = draw.Area{X: b.X, Y: b.Y + l.queue.H, W: b.W, H: b.H - l.queue.H}
	}
	if p.focus == paneSessions && l.sessions.H == 0 {
		l.sessions, l.queue = l.queue, draw.Area{}
	}
}
