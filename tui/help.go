package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

const (
	helpKeyWidth = 11 // cells of a key's name
	helpTwice    = 96 // cells from which the help screen has two columns
	helpGap      = 4  // cells between them
)

// helpRows is the help screen's text.
func (m *model) helpRows(width int) []string {
	if width < helpTwice {
		p := m.Styles.Paper(width)
		m.helpKeys(p, m.helpGroups())
		m.helpRules(p)
		return p.Rows
	}
	groups := m.helpGroups()
	half := (width - helpGap) / 2
	left, right := m.Styles.Paper(half), m.Styles.Paper(width-half-helpGap)
	m.helpKeys(left, groups[:3])
	m.helpKeys(right, groups[3:])
	m.helpRules(right)
	rows := make([]string, max(len(left.Rows), len(right.Rows)))
	for i := range rows {
		rows[i] = left.RowAt(i) + draw.Spaces(helpGap) + right.RowAt(i)
	}
	return rows
}

func (m *model) helpKeys(p *draw.Paper, groups []helpGroup) {
	for _, g := range groups {
		p.Blank()
		p.Say(draw.Title, g.title)
		for _, b := range g.keys {
			m.helpKey(p, b)
		}
	}
}

func (m *model) helpKey(p *draw.Paper, b key.Binding) {
	h := b.Help()
	p.SayBehind(draw.Key, m.calledAs(b), helpKeyWidth, draw.Text, h.Desc)
}

// helpGroups are all keys. A key of the table of screens that no group names stands with those that
// show something.
func (m *model) helpGroups() []helpGroup {
	groups := m.keys.FullHelp(m.helpOf(desk.Rules))
	named := map[string]bool{}
	for _, g := range groups {
		for _, b := range g.keys {
			named[b.Help().Key] = true
		}
	}
	for _, o := range table {
		if name := o.key.Help().Key; name != "" && !named[name] {
			groups[lookGroup].keys = append(groups[lookGroup].keys, o.key)
		}
	}
	return groups
}

// helpOf are the keys that a screen has for itself, after the one that opens it.
func (m *model) helpOf(name string) []key.Binding {
	moves := map[string]bool{}
	for _, k := range desk.Moves("", nil) {
		moves[k.Help().Key] = true
	}
	list := []key.Binding{openerKey(name)}
	for _, k := range m.rooms[name].Keys() {
		if k.Help().Key != "" && !moves[k.Help().Key] {
			list = append(list, k.Binding)
		}
	}
	return list
}

// helpRules tells what stands between a key and a decision, and which console this is.
func (m *model) helpRules(p *draw.Paper) {
	p.Blank()
	p.Say(draw.Title, "Before a key decides")
	for _, text := range []string{
		"It acts on the call that is drawn, once that has been on the screen for half a second.",
		"Keys that repeat, come in a burst or are pasted never decide.",
		"Allowing waits until the last line of the call was on the screen.",
		"Calls that may destroy or leak what cannot be taken back are allowed by typing two digits, each one by itself.",
		"Marked calls are allowed together when each was on the screen, whole; y confirms.",
		`What is not plainly printable is drawn as a sign: \x1b, \u{202e}, ⇥ for a tab, ␠×40 for 40 blanks.`,
	} {
		p.SayBehind(draw.Faint, "·", 2, draw.Text, text)
	}
	socket := m.Board.Health.Socket
	if socket == "" {
		socket = m.opts.Socket
	}
	p.Blank()
	p.SayBehind(draw.Label, "version", helpKeyWidth, draw.Text, draw.SafeLine(m.opts.Version))
	p.Write(draw.Fixed(draw.Label, "socket", helpKeyWidth), draw.Text, socket)
	if tcp := m.Board.Health.TCP; tcp != "" {
		p.Write(draw.Fixed(draw.Label, "tcp", helpKeyWidth), draw.Text, tcp)
	}
	m.helpConfig(p)
}

// help is the screen with all keys.
type help struct {
	*model
	top int
}

// Opens begins at the top.
func (h *help) Opens(desk.Subject) tea.Cmd {
	h.top = 0
	return nil
}

// Subject is nothing.
func (h *help) Subject() desk.Subject { return desk.Subject{} }

// Keys scroll.
func (h *help) Keys() []desk.Key {
	return desk.Moves("scroll", func(msg tea.KeyMsg) tea.Cmd {
		width, height := h.Inner()
		h.top = desk.Scrolled(msg, h.top, len(h.helpRows(width)), height)
		return nil
	})
}

// Update keeps the place.
func (h *help) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseMsg:
		steps, _ := desk.Wheel(msg)
		h.top += steps * desk.WheelRows
	case desk.Settle:
		width, height := h.Inner()
		h.top = max(0, min(h.top, len(h.helpRows(width))-height))
	}
	return nil
}

// View draws the rows in sight.
func (h *help) View(_, _ int) []string {
	width, height := h.Inner()
	rows := h.helpRows(width)
	f := draw.Caption{Title: "Keys"}
	if len(rows) > height {
		f.Right = desk.Position(h.top, height, len(rows))
	}
	return h.Framed(f, rows, h.top)
}
