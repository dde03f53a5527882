package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
)

const (
	bellGap    = time.Second     // at most one bell in this time
	desktopGap = 5 * time.Second // at most one notification of the desktop in this time
)

// attention decides when to call the operator: for each call once when it begins to wait
// and again when half its time is over, not while they look at the console, and not for
// sessions that they muted.
type attention struct {
	bell, desktop herald
	focused       bool            // the terminal says that it has the focus
	muted         map[string]bool // by session id
	showing       bool            // a notification of the desktop is on its way
	failed        bool            // that was told once
}

// herald gathers what is to be told, so that a flood is told at once.
type herald struct {
	due  []news
	last time.Time
}

// news is a call to be told of.
type news struct {
	id    string
	again bool // it waits for half its time already
}

// add notes n. Only the first few can matter to the text, but all are counted.
func (h *herald) add(n news) { h.due = append(h.due, n) }

// take is what is to be told now: nothing within gap of the last time.
func (h *herald) take(now time.Time, gap time.Duration) []news {
	if len(h.due) == 0 || now.Sub(h.last) < gap {
		return nil
	}
	due := h.due
	h.due, h.last = nil, now
	return due
}

// arrived is a call of which the operator is to be told.
func (m *model) arrived(c *board.Card, again bool) {
	a := &m.attention
	if a.focused || a.muted[c.Req.SessionID] {
		return
	}
	n := news{c.Req.ID, again}
	if m.opts.Notify != 0 {
		a.bell.add(n)
	}
	if m.opts.Desktop != nil {
		a.desktop.add(n)
	}
}

// announce tells that these cards began to wait.
func (m *model) announce(cards ...*board.Card) tea.Cmd {
	for _, c := range cards {
		m.arrived(c, false)
	}
	return m.call()
}

// remind tells once of each call whose time is half over, and of what had to wait.
func (m *model) remind() tea.Cmd {
	for _, c := range m.Board.Waiting {
		since, whole := c.Span()
		if !c.Reminded && !c.PutOff() && m.At.Sub(since) >= whole/2 {
			c.Reminded = true
			m.arrived(c, true)
		}
	}
	return m.call()
}

// call rings and notifies of what is due.
func (m *model) call() tea.Cmd {
	a := &m.attention
	var cmds []tea.Cmd
	if text := m.newsText(a.bell.take(m.At, bellGap)); text != "" {
		cmds = append(cmds, m.Beside(m.opts.Notify.Sequence(text)))
	}
	if !a.showing {
		if text := m.newsText(a.desktop.take(m.At, desktopGap)); text != "" {
			cmds = append(cmds, m.showOnDesktop(text))
		}
	}
	return tea.Batch(cmds...)
}

// newsText tells of the calls among due that still wait; "" when none does. It holds
// nothing of an agent's but plain letters.
func (m *model) newsText(due []news) string {
	var one *board.Card
	n, again := 0, false
	seen := make(map[string]bool, len(due))
	for _, d := range due {
		c := m.Board.Cards[d.id]
		if c == nil || c.Late() || c.Sending != "" || seen[d.id] {
			continue
		}
		seen[d.id] = true
		one, again = c, d.again
		n++
	}
	switch {
	case n == 0:
		return ""
	case n > 1:
		return "aoctl: " + figures.Count(n) + " calls wait"
	case again:
		return "aoctl: " + tty.Bare(one.Req.ToolName) + " still waits in " + tty.Bare(m.Board.Label(one.Req.SessionID))
	}
	return "aoctl: " + tty.Bare(one.Req.ToolName) + " waits in " + tty.Bare(m.Board.Label(one.Req.SessionID))
}

// ring tells of something that no mute and no focus keeps back.
func (m *model) ring(text string) tea.Cmd {
	if m.opts.Notify == 0 || m.At.Sub(m.attention.bell.last) < bellGap {
		return nil
	}
	m.attention.bell.last = m.At
	return m.Beside(m.opts.Notify.Sequence(text))
}

// looksAt notes whether the console has the focus. Who looks has seen what was due.
func (m *model) looksAt(focused bool) {
	a := &m.attention
	a.focused = focused
	if focused {
		a.bell.due, a.desktop.due = nil, nil
	}
}

func (m *model) showOnDesktop(text string) tea.Cmd {
	ctx, show := m.Ctx, m.opts.Desktop
	m.attention.showing = true
	return func() tea.Msg { return desktopMsg{show(ctx, text)} }
}

func (m *model) desktopShown(msg desktopMsg) tea.Cmd {
	a := &m.attention
	a.showing = false
	if msg.err == nil || a.failed || m.Ctx.Err() != nil {
		return nil
	}
	a.failed = true
	return m.Say(draw.Warn, "the desktop was not notified: "+draw.SafeLine(msg.err.Error()))
}

// mutedWord tells of a muted session beside the name of its agent, or in its place where
// there is no room for both.
func mutedWord(agent string, room int) string {
	if both := agent + " · muted"; draw.Cells(both) <= room {
		return both
	}
	return "muted"
}

// mute takes M: calls of this session are no longer announced, or are again.
func (m *model) mute() tea.Cmd {
	s := m.pointed()
	if s == nil {
		return m.sayNoSession()
	}
	muted, label := m.attention.muted, m.Board.Label(s.ID)
	if muted[s.ID] {
		delete(muted, s.ID)
		return m.Say(draw.OK, label+" rings again")
	}
	muted[s.ID] = true
	return m.Say(draw.Warn, label+" is muted: it rings no bell; M rings again", label+" is muted")
}
