package tui

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
	frames
	body                    area
	compose                 area // below the body
	sessions, queue, detail area
}

func (m *model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

func (m *model) layout() layout {
	l := layout{frames: newFrames(m.st, m.board.Health.Frozen, m.width < stackBelow)}
	top := 1 + len(m.banners())
	if m.board.Health.Frozen {
		top++
	}
	l.body = area{0, top, m.width, max(0, m.height-top-1)}
	if m.compose != nil {
		h := composeHeight(l.body.h)
		l.body.h -= h
		l.compose = area{0, top + l.body.h, m.width, h}
	}
	switch {
	case m.screen != screenMain:
		l.detail = l.body
	case m.tooSmall():
		l.queue = l.body
		if m.focus == paneSessions {
			l.sessions, l.queue = l.body, area{}
		}
	case l.stacked:
		m.stack(&l)
	default:
		m.spread(&l)
	}
	return l
}

// spread puts the sessions to the left of queue and call. The queue's height does not
// follow its length: a call must not move while it is being read.
func (m *model) spread(l *layout) {
	b := l.body
	side := min(max(b.w*22/100, 22), 32)
	l.sessions = area{b.x, b.y, side, b.h}
	l.queue = area{b.x + side, b.y, b.w - side, b.h}
	if m.board.Rows() == 0 {
		return
	}
	l.queue.h = min(max(b.h*3/10, 3), 12) + 2
	l.detail = area{l.queue.x, b.y + l.queue.h, l.queue.w, b.h - l.queue.h}
}

// stack puts the panes one above the other; in a low window the sessions take the
// queue's place while they have the focus.
func (m *model) stack(l *layout) {
	b := l.body
	if b.h >= tallStack {
		l.sessions = area{b.x, b.y, b.w, 6}
		b.y, b.h = b.y+6, b.h-6
	}
	l.queue = b
	if m.board.Rows() > 0 {
		l.queue.h = 1 + min(max(b.h/4, 2), 8)
		l.detail = area{b.x, b.y + l.queue.h, b.w, b.h - l.queue.h}
	}
	if m.focus == paneSessions && l.sessions.h == 0 {
		l.sessions, l.queue = l.queue, area{}
	}
}

// room is the room for the call of the current screen.
func (m *model) room() (width, height int) {
	l := m.layout()
	return l.inner(l.detail, 1)
}

// listRows is how many cards the queue shows at once.
func (m *model) listRows() int {
	l := m.layout()
	_, h := l.inner(l.queue, 0)
	return h
}
