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
func (h *help) helpRows(width int) []string {
	if width < helpTwice {
		p := h.Styles.Paper(width)
		h.helpKeys(p, h.groups())
		h.helpRules(p)
		return p.Rows
	}
	groups := h.groups()
	half := (width - helpGap) / 2
	left, right := h.Styles.Paper(half), h.Styles.Paper(width-half-helpGap)
	h.helpKeys(left, groups[:3])
	h.helpKeys(right, groups[3:])
	h.helpRules(right)
	rows := make([]string, max(len(left.Rows), len(right.Rows)))
	for i := range rows {
		rows[i] = left.RowAt(i) + draw.Spaces(helpGap) + right.RowAt(i)
	}
	return rows
}

func (h *help) helpKeys(p *draw.Paper, groups []helpGroup) {
	for _, g := range groups {
		p.Blank()
		p.Say(draw.Title, g.title)
		for _, b := range g.keys {
			h.helpKey(p, b)
		}
	}
}

func (h *help) helpKey(p *draw.Paper, b key.Binding) {
	key := b.Help()
	p.SayBehind(draw.Key, h.chosen.call(key.Key), helpKeyWidth, draw.Text, key.Desc)
}

// groups are all keys, by what they are for.
func (h *help) groups() []helpGroup { return helpGroups(h.helpOf(desk.Rules)) }

// helpOf are the keys that a screen has for itself, after the one that opens it.
func (h *help) helpOf(name string) []key.Binding {
	moves := map[string]bool{}
	for _, k := range desk.Moves("", nil) {
		moves[k.Help().Key] = true
	}
	list := []key.Binding{openerKey(name)}
	for _, k := range h.rooms[name].Keys() {
		if k.Help().Key != "" && !moves[k.Help().Key] {
			list = append(list, k.Binding)
		}
	}
	return list
}

// helpRules tells what stands between a key and a decision, and which console this is.
func (h *help) helpRules(p *draw.Paper) {
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
	socket := h.Board.Health.Socket
	if socket == "" {
		socket = h.opts.Socket
	}
	p.Blank()
	p.SayBehind(draw.Label, "version", helpKeyWidth, draw.Text, draw.SafeLine(h.opts.Version))
	p.Write(draw.Fixed(draw.Label, "socket", helpKeyWidth), draw.Text, socket)
	if tcp := h.Board.Health.TCP; tcp != "" {
		p.Write(draw.Fixed(draw.Label, "tcp", helpKeyWidth), draw.Text, tcp)
	}
	h.config(p)
}

// config tells on the help screen what the settings file does.
func (h *help) config(p *draw.Paper) {
	c := h.opts.Config
	if c.File == "" {
		return
	}
	p.Write(draw.Fixed(draw.Label, "settings", helpKeyWidth), draw.Text, c.at(c.File))
	if c.Problem != "" {
		p.SayBehind(draw.Label, "", helpKeyWidth, draw.Danger, draw.SafeLine(c.Problem))
		p.SayBehind(draw.Label, "", helpKeyWidth, draw.Text, draw.SafeLine(c.Cure))
		p.SayBehind(draw.Label, "", helpKeyWidth, draw.Text, "Nothing of it holds. It is read when the console starts.")
		return
	}
	for _, s := range c.Settings {
		p.Write(draw.Fixed(draw.Label, "", helpKeyWidth), draw.Text, s)
	}
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
