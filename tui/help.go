package tui

import (
	"github.com/charmbracelet/bubbles/key"

	"github.com/aoctl/aoctl/tui/callview"
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
		p := m.st.Paper(width)
		m.helpKeys(p, m.keys.FullHelp())
		m.helpRules(p)
		return p.Rows
	}
	groups := m.keys.FullHelp()
	half := (width - helpGap) / 2
	left, right := m.st.Paper(half), m.st.Paper(width-half-helpGap)
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
	p.SayBehind(draw.Key, h.Key, helpKeyWidth, draw.Text, h.Desc)
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
	socket := m.board.Health.Socket
	if socket == "" {
		socket = m.opts.Socket
	}
	p.Blank()
	p.SayBehind(draw.Label, "version", helpKeyWidth, draw.Text, draw.SafeLine(m.opts.Version))
	p.Write(draw.Fixed(draw.Label, "socket", helpKeyWidth), draw.Text, socket)
	if tcp := m.board.Health.TCP; tcp != "" {
		p.Write(draw.Fixed(draw.Label, "tcp", helpKeyWidth), draw.Text, tcp)
	}
	m.helpConfig(p)
}

func (m *model) helpView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	rows := m.helpRows(width)
	top := max(0, min(m.helpScroll, len(rows)-height))
	f := draw.Caption{Title: "Keys", Focus: true}
	if len(rows) > height {
		f.Right = position(top, height, &callview.Doc{Paper: draw.Paper{Rows: rows}})
	}
	return l.Framed(a, f, 1, rows[min(top, len(rows)):min(top+height, len(rows))])
}
