package tui

import (
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// Windows narrower than stackBelow have their panes one above the other. Below
// leastWidth × leastHeight no call can be judged, so none can be decided.
const (
	stackBelow  = 72
	leastWidth  = 40
	leastHeight = 12
	tallStack   = 24 // rows of a stacked body that leave room for the sessions
)

// layout says where everything stands. An area without height is not drawn.
type layout struct {
	draw.Frames
	body                    draw.Area
	strip                   draw.Area // below the body
	sessions, queue, detail draw.Area
}

func (m *model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

func (m *model) layout() layout {
	l := layout{Frames: draw.NewFrames(m.Styles, m.Board.Health.Frozen, m.width < stackBelow)}
	top := 1 + len(m.banners())
	if m.Board.Health.Frozen {
		top++
	}
	l.body = draw.Area{X: 0, Y: top, W: m.width, H: max(0, m.height-top-1)}
	if s, ok := m.open().(desk.Strip); ok {
		h := s.Strip(l.body.W, l.body.H)
		l.body.H -= h
		l.strip = draw.Area{X: 0, Y: top + l.body.H, W: m.width, H: h}
	}
	switch {
	case m.screen != screenMain:
		l.detail = l.body
	case m.tooSmall():
		l.queue = l.body
		if m.focus == paneSessions {
			l.sessions, l.queue = l.body, draw.Area{}
		}
	case l.Stacked:
		m.stacked(&l)
	default:
		m.spread(&l)
	}
	return l
}

// spread puts the sessions to the left of queue and call. The queue's height does not
// follow its length: a call must not move while it is being read.
func (m *model) spread(l *layout) {
	b := l.body
	side := min(max(b.W*22/100, 22), 32)
	l.sessions = draw.Area{X: b.X, Y: b.Y, W: side, H: b.H}
	l.queue = draw.Area{X: b.X + side, Y: b.Y, W: b.W - side, H: b.H}
	if m.Board.Rows() == 0 {
		return
	}
	l.queue.H = min(max(b.H*3/10, 3), 12) + 2
	l.detail = draw.Area{X: l.queue.X, Y: b.Y + l.queue.H, W: l.queue.W, H: b.H - l.queue.H}
}

// stacked puts the panes one above the other; in a low window the sessions take the
// queue's place while they have the focus.
func (m *model) stacked(l *layout) {
	b := l.body
	if b.H >= tallStack {
		l.sessions = draw.Area{X: b.X, Y: b.Y, W: b.W, H: 6}
		b.Y, b.H = b.Y+6, b.H-6
	}
	l.queue = b
	if m.Board.Rows() > 0 {
		l.queue.H = 1 + min(max(b.H/4, 2), 8)
		l.detail = draw.Area{X: b.X, Y: b.Y + l.queue.H, W: b.W, H: b.H - l.queue.H}
	}
	if m.focus == paneSessions && l.sessions.H == 0 {
		l.sessions, l.queue = l.queue, draw.Area{}
	}
}

// room is the room for the call of the current screen.
func (m *model) room() (width, height int) {
	l := m.layout()
	return l.Inner(l.detail, 1)
}

// listRows is how many cards the queue shows at once.
func (m *model) listRows() int {
	l := m.layout()
	_, h := l.Inner(l.queue, 0)
	return h
}
