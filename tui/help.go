package tui

import "github.com/charmbracelet/bubbles/key"

const (
	helpKeyWidth = 11 // cells of a key's name
	helpTwice    = 96 // cells from which the help screen has two columns
	helpGap      = 4  // cells between them
)

// helpRows is the help screen's text.
func (m *model) helpRows(width int) []string {
	if width < helpTwice {
		p := m.st.paper(width)
		m.helpKeys(p, m.keys.FullHelp())
		m.helpRules(p)
		return p.rows
	}
	groups := m.keys.FullHelp()
	half := (width - helpGap) / 2
	left, right := m.st.paper(half), m.st.paper(width-half-helpGap)
	m.helpKeys(left, groups[:3])
	m.helpKeys(right, groups[3:])
	m.helpRules(right)
	rows := make([]string, max(len(left.rows), len(right.rows)))
	for i := range rows {
		rows[i] = rowOr(left, i) + spaces(helpGap) + rowOr(right, i)
	}
	return rows
}

func rowOr(p *paper, i int) string {
	if i < len(p.rows) {
		return p.rows[i]
	}
	return spaces(p.width)
}

func (m *model) helpKeys(p *paper, groups []helpGroup) {
	for _, g := range groups {
		p.blank()
		p.say(inkTitle, g.title)
		for _, b := range g.keys {
			m.helpKey(p, b)
		}
	}
}

func (m *model) helpKey(p *paper, b key.Binding) {
	h := b.Help()
	p.sayBehind(inkKey, h.Key, helpKeyWidth, inkText, h.Desc)
}

// helpRules tells what stands between a key and a decision, and which console this is.
func (m *model) helpRules(p *paper) {
	p.blank()
	p.say(inkTitle, "Before a key decides")
	for _, text := range []string{
		"It acts on the call that is drawn, once that has been on the screen for half a second.",
		"Keys that repeat, come in a burst or are pasted never decide.",
		"Allowing waits until the last line of the call was on the screen.",
		"Calls that may destroy or leak what cannot be taken back are allowed by typing two digits, each one by itself.",
		"Marked calls are allowed together when each was on the screen, whole; y confirms.",
		`What is not plainly printable is drawn as a sign: \x1b, \u{202e}, ⇥ for a tab, ␠×40 for 40 blanks.`,
	} {
		p.sayBehind(inkFaint, "·", 2, inkText, text)
	}
	socket := m.board.health.Socket
	if socket == "" {
		socket = m.opts.Socket
	}
	p.blank()
	p.sayBehind(inkLabel, "version", helpKeyWidth, inkText, safeLine(m.opts.Version))
	p.write(fixed(inkLabel, "socket", helpKeyWidth), inkText, socket)
	if tcp := m.board.health.TCP; tcp != "" {
		p.write(fixed(inkLabel, "tcp", helpKeyWidth), inkText, tcp)
	}
	m.helpConfig(p)
}

func (m *model) helpView(l layout, a area) []string {
	width, height := l.inner(a, 1)
	rows := m.helpRows(width)
	top := max(0, min(m.helpScroll, len(rows)-height))
	f := caption{title: "Keys", focus: true}
	if len(rows) > height {
		f.right = position(top, height, &doc{paper: paper{rows: rows}})
	}
	return m.frame(l, a, f, 1, rows[min(top, len(rows)):min(top+height, len(rows))])
}
