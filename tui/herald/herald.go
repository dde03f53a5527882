// Package herald calls the operator: by the terminal's bell or notification, and by
// one of the desktop. It tells once of each call when it begins to wait and again when
// half its time is over, at most once a second however many come, not while the
// terminal has the focus, and not for muted sessions. Alarms ring whatever is muted.
// What is told holds nothing of an agent's but plain letters.
//
// A call passes like this: Announce or Remind note it, tell gathers what is due into
// one sentence, and calls that were answered in the meantime are left out of it. An
// agent that asks without end rings no more often than one that asks once.
package herald

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
)

const (
	bellGap    = time.Second     // at most one bell in this time
	desktopGap = 5 * time.Second // at most one notification of the desktop in this time
)

// New makes one that tells by the terminal, and by the desktop when show is not nil.
// With turns it also rings when a session's turn ends.
func New(d *desk.Desk, notify tty.Notify, turns bool, show func(ctx context.Context, text string) error) *Herald {
	return &Herald{Desk: d, notify: notify, turnsToo: turns, show: show, muted: map[string]bool{}, turns: map[string]*turn{}}
}

// Herald decides when to call the operator: for each call once when it begins to wait
// and again when half its time is over, not while they look at the console, and not
// for sessions that they muted. It belongs to the goroutine of the screen.
type Herald struct {
	*desk.Desk
	notify tty.Notify                                   // how the terminal tells it; 0 for not at all
	show   func(ctx context.Context, text string) error // tells it on the desktop; nil for not at all

	turnsToo bool             // the end of a turn rings
	turns    map[string]*turn // those that run, by session id

	bell, desktop waiting
	focused       bool            // the terminal says that it has the focus
	muted         map[string]bool // by session id
	showing       bool            // a notification of the desktop is on its way
	failed        bool            // that was told once
}

// waiting gathers what is to be told, so that a flood is told at once.
type waiting struct {
	due  []news
	last time.Time
}

// news is a call to be told of.
type news struct {
	id    string
	again bool // it waits for half its time already
}

// add notes n. Only the first few can matter to the text, but all are counted.
func (w *waiting) add(n news) { w.due = append(w.due, n) }

// take is what is to be told now: nothing within gap of the last time.
func (w *waiting) take(now time.Time, gap time.Duration) []news {
	if len(w.due) == 0 || now.Sub(w.last) < gap {
		return nil
	}
	due := w.due
	w.due, w.last = nil, now
	return due
}

// arrived is a call of which the operator is to be told. Who looks at the console is
// not called.
func (h *Herald) arrived(c *board.Card, again bool) {
	if h.focused || h.muted[c.Req.SessionID] {
		return
	}
	n := news{c.Req.ID, again}
	if h.notify != 0 {
		h.bell.add(n)
	}
	if h.show != nil {
		h.desktop.add(n)
	}
}

// Announce tells that these cards began to wait.
func (h *Herald) Announce(cards ...*board.Card) tea.Cmd {
	for _, c := range cards {
		h.arrived(c, false)
	}
	return h.tell()
}

// Remind tells once of each call whose time is half over, and of what had to wait. It
// is called each second.
func (h *Herald) Remind() tea.Cmd {
	for _, c := range h.Board.Waiting {
		since, whole := c.Span()
		if !c.Reminded && !c.PutOff() && h.At.Sub(since) >= whole/2 {
			c.Reminded = true
			h.arrived(c, true)
		}
	}
	return h.tell()
}

// tell rings and notifies of what is due. Only one notification of the desktop is
// under way at a time.
func (h *Herald) tell() tea.Cmd {
	var cmds []tea.Cmd
	if text := h.newsText(h.bell.take(h.At, bellGap)); text != "" {
		cmds = append(cmds, h.Beside(h.notify.Sequence(text)))
	}
	if !h.showing {
		if text := h.newsText(h.desktop.take(h.At, desktopGap)); text != "" {
			cmds = append(cmds, h.showOnDesktop(text))
		}
	}
	return tea.Batch(cmds...)
}

// newsText tells of the calls among due that still wait; "" when none does. It holds
// nothing of an agent's but plain letters.
func (h *Herald) newsText(due []news) string {
	var one *board.Card
	n, again := 0, false
	seen := make(map[string]bool, len(due))
	for _, d := range due {
		c := h.Board.Cards[d.id]
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
		return "aoctl: " + tty.Bare(one.Req.ToolName) + " still waits in " + tty.Bare(h.Board.Label(one.Req.SessionID))
	}
	return "aoctl: " + tty.Bare(one.Req.ToolName) + " waits in " + tty.Bare(h.Board.Label(one.Req.SessionID))
}

// Ring tells of something that no mute and no focus keeps back.
func (h *Herald) Ring(text string) tea.Cmd {
	if h.notify == 0 || h.At.Sub(h.bell.last) < bellGap {
		return nil
	}
	h.bell.last = h.At
	return h.Beside(h.notify.Sequence(text))
}

// LooksAt notes whether the console has the focus. Who looks has seen what was due.
func (h *Herald) LooksAt(focused bool) {
	h.focused = focused
	if focused {
		h.bell.due, h.desktop.due = nil, nil
	}
}

// showOnDesktop notifies the desktop in a command, since that starts a program.
func (h *Herald) showOnDesktop(text string) tea.Cmd {
	ctx, show := h.Ctx, h.show
	h.showing = true
	return func() tea.Msg { return desktopMsg{show(ctx, text)} }
}

// shown takes what became of it. A desktop that cannot be notified is told once and
// not each time.
func (h *Herald) shown(msg desktopMsg) tea.Cmd {
	h.showing = false
	if msg.err == nil || h.failed || h.Ctx.Err() != nil {
		return nil
	}
	h.failed = true
	return h.Say(draw.Warn, "the desktop was not notified: "+draw.SafeLine(msg.err.Error()))
}

// Muted reports whether calls of a session are not announced.
func (h *Herald) Muted(session string) bool { return h.muted[session] }

// Mute says that calls of a session are no longer announced, or are again. It is
// forgotten when the console ends.
func (h *Herald) Mute(session string) tea.Cmd {
	label := h.Board.Label(session)
	if h.muted[session] {
		delete(h.muted, session)
		return h.Say(draw.OK, label+" rings again")
	}
	h.muted[session] = true
	return h.Say(draw.Warn, label+" is muted: it rings no bell; M rings again", label+" is muted")
}

// Update takes what became of a notification of the desktop.
func (h *Herald) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(desktopMsg); ok {
		return h.shown(msg)
	}
	return nil
}

type desktopMsg struct{ err error } // the desktop was notified
