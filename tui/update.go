package tui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

// Update routes what happened, then brings selection, scrolling and guard in line
// with what View is going to draw.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.At = m.opts.Now()
	m.Guard.Awake(m.At)
	if m.out != nil {
		m.Guard.Written(m.out.LastWrite())
		if t := m.out.Behind(); t.After(m.Guard.Since) {
			m.Guard.Doubt(t) // the screen may have shown an older card until then
		}
	}
	cmd := m.route(msg)
	return m, tea.Batch(cmd, m.settle())
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return m.updateKey(msg)
	case tea.MouseMsg:
		return m.updateMouse(msg)
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.Guard.Doubt(m.At)
	case tea.FocusMsg:
		m.herald.LooksAt(true)
		m.Guard.Doubt(m.At)
	case tea.BlurMsg:
		m.herald.LooksAt(false)
	case tea.ResumeMsg:
		m.Guard.Doubt(m.At)
	case tickMsg:
		return m.updateTick(msg)
	case noteEndMsg:
		if msg.gen == m.noteGen {
			m.note = note{}
		}
	case beatMsg:
		m.beating = false
	case guard.DueMsg:
		h, ok, again := m.Guard.Release(msg.Gen, m.At)
		switch {
		case ok && h.Do != nil:
			return h.Do()
		case ok:
			return m.send(h.Key, h.Verdict, "")
		}
		return again
	case quitMsg:
		if msg.gen == m.quitGen {
			return tea.Quit
		}
	default:
		return m.updateBroker(msg)
	}
	return nil
}

// updateBroker takes what came from commands.
func (m *model) updateBroker(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case watchStartedMsg:
		return m.watchStarted(msg)
	case updatesMsg:
		return m.updatesCame(msg)
	case rewatchMsg:
		if msg.gen == m.watchGen {
			return m.watch()
		}
	case decidedMsg:
		return m.decided(msg)
	case desk.Allowed:
		m.allowed(msg)
	case markedMsg:
		return m.markedDecided(msg)
	case deferredMsg:
		return m.deferred(msg)
	case moreTimeMsg:
		return m.moreTime(msg)
	case interruptedMsg:
		return m.interrupted(msg)
	case desk.Launched:
		if msg.Err == nil {
			m.newest = msg.Session.ID
		}
		return m.broadcast(msg)
	case desk.RuleSaved:
		if msg.Err == nil {
			m.savedRule = msg.Saved.Rule.ID
		}
		return m.broadcast(msg)
	case ruleSavedMsg:
		return m.ruleSaved(msg)
	case filesMsg:
		return m.filesCame(msg)
	case dressedMsg:
		m.dressedCame(msg)
	case filesMovedMsg:
		return m.filesMoved(msg)
	case jumpedMsg:
		return m.jumped(msg)
	default:
		return m.broadcast(msg)
	}
	return nil
}

func (m *model) watchStarted(msg watchStartedMsg) tea.Cmd {
	if msg.gen != m.watchGen {
		return nil
	}
	at := m.Board.Place(m.card())
	before := m.Board.Cards
	m.Board.Reset(msg.snap, m.At)
	m.Book = words.NewBook(msg.snap.Rules)
	m.sheets.Clear()
	m.newsMissing, m.watchedAt, m.updates = false, m.At, msg.updates
	m.keepPlace(at)
	var missed []*board.Card
	for _, c := range m.Board.Waiting {
		if before[c.Req.ID] == nil {
			missed = append(missed, c)
		}
	}
	return tea.Batch(nextUpdates(msg.gen, msg.updates), m.herald.Announce(missed...))
}

func (m *model) updatesCame(msg updatesMsg) tea.Cmd {
	if msg.gen != m.watchGen {
		return nil
	}
	at := m.Board.Place(m.card())
	var arrived []*board.Card
	var cmds []tea.Cmd
	for _, u := range msg.list {
		m.freezeCame(u)
		if cmd := m.alarmCame(u); cmd != nil {
			cmds = append(cmds, cmd)
		}
		if r := u.Request; r != nil && r.Unheard {
			cmds = append(cmds, m.Say(draw.Warn, m.Board.Label(r.SessionID)+": "+draw.SafeLine(r.ToolName)+" "+m.Book.Ended(*r)))
		}
		if u.Session != nil && m.Board.Renames(*u.Session) {
			m.sheets.Clear()
		}
		if u.Session != nil {
			cmds = append(cmds, m.asksCame(*u.Session), m.orders.StepsCame(*u.Session))
		}
		if c := m.Board.Apply(u, m.At); c != nil {
			arrived = append(arrived, c)
		}
		if u.Request != nil {
			m.sheets.Forget(u.Request.ID)
			m.promptNews(*u.Request)
		}
		if u.Rules != nil {
			m.Book = words.NewBook(*u.Rules)
		}
	}
	m.Board.Tidy()
	cmd := tea.Batch(append(cmds, m.keepPlace(at), m.attempted(msg.list))...)
	cmd = tea.Batch(cmd, m.broadcast(desk.News{List: msg.list}), m.herald.Announce(arrived...))
	if !msg.ended {
		return tea.Batch(cmd, nextUpdates(msg.gen, m.updates))
	}
	return tea.Batch(cmd, m.lostTouch())
}

// lostTouch asks for a new snapshot: at once when the last one held for a while, else
// after a growing pause.
func (m *model) lostTouch() tea.Cmd {
	if !m.newsMissing {
		m.newsMissing, m.lostAt = true, m.At
	}
	m.watchWait = min(max(2*m.watchWait, 50*time.Millisecond), 2*time.Second)
	if m.At.Sub(m.watchedAt) > 5*time.Second {
		m.watchWait = 0
	}
	gen := m.watchGen
	return tea.Tick(m.watchWait, func(time.Time) tea.Msg { return rewatchMsg{gen} })
}

// keepPlace selects the card that took the selected one's place when that one is no
// longer listed, and says what ended it. That a stop or a new rule did is known already
// while that itself is being told. Arrivals never move the selection.
func (m *model) keepPlace(at int) tea.Cmd {
	if m.card() != nil {
		return nil
	}
	had := m.selected
	m.selectRow(max(at, 0))
	if had == "" || at < 0 {
		return nil
	}
	told := m.note.text != ""
	for i := range m.Board.Recent {
		r := m.Board.Recent[i]
		if r.Outcome != nil && told && (r.Outcome.By.Kind == broker.ByStop || m.justSaved(r.Outcome.By)) {
			continue
		}
		if r.ID == had && r.Outcome != nil && (r.Outcome.By.Kind != broker.ByOperator || r.Outcome.By.Token() != "") {
			return m.Say(draw.Warn, draw.SafeLine(r.ToolName)+": "+m.Book.Ended(r))
		}
	}
	return nil
}

func (m *model) updateTick(msg tickMsg) tea.Cmd {
	if msg.gen != m.tickGen {
		return nil
	}
	at := m.Board.Place(m.card())
	m.Board.ExpireLate(m.At)
	return tea.Batch(m.tick(), m.broadcast(desk.Tick{}), m.keepPlace(at), m.herald.Remind(), m.watchFiles())
}

// send hands a verdict to the broker and moves the cursor on.
func (m *model) send(key guard.Drawn, v broker.Verdict, reason string) tea.Cmd {
	c := m.Board.Still(key)
	if c == nil || c.Sending != "" {
		return m.Say(draw.Warn, "this call is no longer waiting: nothing was decided")
	}
	if c.Late() && v == broker.Deny {
		at := m.Board.Place(c)
		m.Board.Drop(c)
		m.selectRow(at)
		return m.Say(draw.Muted, "dismissed: it had already expired")
	}
	c.Sending = v
	delete(m.Board.Marks, key.ID)
	if m.selected == key.ID {
		m.moveOn()
	}
	return m.decide(key, v, reason)
}

// moveOn selects the next card that nobody has decided yet: the next one that waits,
// else the oldest, else a late one.
func (m *model) moveOn() {
	b := m.Board
	at := b.Place(m.card())
	for _, part := range [2][2]int{{at + 1, len(b.Shown)}, {0, len(b.Shown)}} {
		for i := part[0]; i < part[1]; i++ {
			if b.Row(i).Sending == "" {
				m.selectRow(i)
				return
			}
		}
	}
	for i := len(b.Shown); i < b.Rows(); i++ {
		if b.Row(i).Sending == "" {
			m.selectRow(i)
			return
		}
	}
}

func (m *model) decided(msg decidedMsg) tea.Cmd {
	c := m.Board.Cards[msg.key.ID]
	name := "the call"
	if c != nil {
		name = c.Summary().Tool
		if msg.err != nil {
			c.Sending = "" // else it stays until the broker's own word takes the card away
		}
	}
	switch {
	case errors.Is(msg.err, broker.ErrFrozen):
		return m.Say(draw.Warn, name+": held by a freeze; nothing was allowed", "held by a freeze")
	case errors.Is(msg.err, broker.ErrAlreadyDecided):
		return m.Say(draw.Warn, name+": too late, this call "+m.Book.Ended(msg.req))
	case errors.Is(msg.err, broker.ErrChanged), errors.Is(msg.err, broker.ErrReadAnew):
		if msg.req.ID == msg.key.ID && msg.req.State == broker.Pending {
			m.Board.Request(msg.req, m.At)
		}
		m.lookAgain(msg.key)
		if errors.Is(msg.err, broker.ErrReadAnew) {
			return m.Say(draw.Warn, name+": this card was drawn anew: look again", "drawn anew: look again")
		}
		return m.Say(draw.Warn, name+": a file of this call changed while it waited: look again", "a file changed while it waited: look again", "a file changed: look again")
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return m.Say(draw.Danger, name+": the decision could not be recorded, so the agent was told no", "not recorded: the agent was told no")
	case errors.Is(msg.err, broker.ErrStale):
		return m.Say(draw.Danger, name+": the call is not the one that was shown; nothing was decided")
	case errors.Is(msg.err, broker.ErrNotFound):
		at := m.Board.Place(m.card())
		m.Board.Drop(c)
		m.keepPlace(at)
		return m.Say(draw.Warn, name+": the broker no longer knows this call")
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return m.Say(draw.Danger, name+": "+safe.Line(msg.err.Error()))
	}
	if msg.key.Late {
		at := m.Board.Place(m.card())
		m.Board.Drop(c)
		m.keepPlace(at)
		return m.Say(draw.OK, name+": allowed late; when the agent asks again for exactly this, it passes once")
	}
	return m.toldAnswered(msg.req)
}

// lookAgain has a call read anew, because a file of it is not what it was when the
// call was drawn.
func (m *model) lookAgain(key guard.Drawn) {
	c := m.Board.Cards[key.ID]
	if c == nil || !c.Key().SameCall(key) {
		return
	}
	c.Unread()
	c.Changed = true
	delete(m.Board.Marks, key.ID)
	m.sheets.Forget(key.ID)
}
