package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/guard"
)

type (
	tickMsg struct{}
	beatMsg struct{} // the program runs
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
	m.lapse()
	return m, tea.Batch(cmd, m.settle())
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return keyboard{m}.press(msg)
	case tea.MouseMsg:
		return m.updateMouse(msg)
	case tea.WindowSizeMsg, tea.FocusMsg, tea.BlurMsg, tea.ResumeMsg:
		m.windowChanged(msg)
	case tickMsg:
		return tea.Batch(tick(), m.broadcast(desk.Tick{}), m.shared.herald.Remind())
	case noticeMsg:
		return m.noticed(Notice(msg))
	case noteEndMsg:
		m.ended(msg)
	case beatMsg:
		m.beating = false
	case guard.DueMsg:
		h, ok, again := m.Guard.Release(msg.Gen, m.At)
		if ok {
			return h.Do()
		}
		return again
	case watchStartedMsg:
		return m.watchStarted(msg)
	case updatesMsg:
		return m.updatesCame(msg)
	case rewatchMsg:
		if msg.gen == m.feed.gen {
			return m.feed.watch()
		}
	default:
		return m.broadcast(msg)
	}
	return nil
}

// windowChanged takes in that the window is another one to the operator: keys that were pressed
// before are not about what it shows now.
func (m *model) windowChanged(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.FocusMsg:
		m.shared.herald.LooksAt(true)
	case tea.BlurMsg:
		m.shared.herald.LooksAt(false)
		return
	}
	m.Guard.Doubt(m.At)
}

func tick() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

// settle brings screens and guard in line with what View is going to draw, in this order: all screens
// that are drawn settle, then the guard learns which call is drawn.
func (m *model) settle() tea.Cmd {
	cmd := m.settleScreens()
	body, _ := m.layout()
	m.at(body)
	on := m.covering().Subject()
	if body.H == 0 { // a strip takes all rows
		on.Drawn = guard.Drawn{}
	}
	if m.Guard.Draws(on.Drawn, m.At) {
		m.Guard.Own = on.Own
	}
	cmd = tea.Batch(cmd, m.beat())
	if m.Guard.Since.Equal(m.awakeAt) {
		return cmd
	}
	m.awakeAt = m.Guard.Since
	return tea.Batch(cmd, tea.Tick(guard.DeafFor, func(time.Time) tea.Msg { return desk.Look{} }))
}

// settleScreens lets the screens settle that are drawn. One that has nothing left to show closes
// itself; then the one below it is drawn.
func (m *model) settleScreens() tea.Cmd {
	m.Stacked, m.Small = m.width < desk.StackBelow, desk.TooSmall(m.width, m.height)
	body, low := m.layout()
	var cmds []tea.Cmd
	for s := m.covering(); ; {
		m.at(body)
		cmds = append(cmds, s.Update(desk.Settle{}))
		below := m.covering()
		if below == s {
			break
		}
		s = below
	}
	if o, strip := m.strip(); strip != nil {
		m.at(low)
		cmds = append(cmds, o.Update(desk.Settle{}))
	}
	return tea.Batch(cmds...)
}

// beat keeps messages coming while the shown card is new: silence then means that the
// program got no time to run.
func (m *model) beat() tea.Cmd {
	if m.beating || !m.Guard.Beats(m.At) {
		return nil
	}
	m.beating = true
	return tea.Tick(guard.BeatEvery, func(time.Time) tea.Msg { return beatMsg{} })
}

// Beside writes a control sequence to the terminal between two frames.
func (m *model) Beside(sequence string) tea.Cmd {
	out := m.out
	if out == nil || sequence == "" {
		return nil
	}
	return func() tea.Msg {
		_, _ = out.Write([]byte(sequence)) // a lost bell is no error
		return nil
	}
}

// updateMouse gives the mouse to the topmost screen, in the cells of its own. It never decides.
func (m *model) updateMouse(msg tea.MouseMsg) tea.Cmd {
	if m.formOpen() || msg.Action != tea.MouseActionPress {
		return nil
	}
	body, _ := m.layout()
	msg.Y -= body.Y
	return m.topmost().Update(msg)
}
