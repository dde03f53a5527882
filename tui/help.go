package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/queue"
)

const (
	helpKeyWidth = 11 // cells of a key's name
	helpTwice    = 96 // cells from which the help screen has two columns
	helpGap      = 4  // cells between them
)

// text is the help screen's text.
func (h *help) text(width int) []string {
	groups := h.groups()
	if h.find != "" || width < helpTwice {
		p := h.Styles.Paper(width)
		h.helpKeys(p, groups)
		if h.find == "" {
			h.helpRules(p)
		}
		return p.Rows
	}
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
		for _, b := range g.only(h, strings.Fields(strings.ToLower(h.find))) {
			h.helpKey(p, b)
		}
	}
}

func (h *help) helpKey(p *draw.Paper, b key.Binding) {
	key := b.Help()
	p.SayBehind(draw.Key, h.chosen.call(key.Key), helpKeyWidth, draw.Text, key.Desc)
}

// groups are all keys, by what they are for: what the screen below has itself comes first. While
// words are looked for, only what has them.
func (h *help) groups() []helpGroup {
	groups := helpGroups(h.helpOf(desk.Rules))
	if below := h.below(); below != h.first() {
		here := helpGroup{title: "On this screen"}
		for _, k := range below.Keys() {
			if k.Help().Desc != "" && !moves(k.Binding) {
				here.keys = append(here.keys, k.Binding)
			}
		}
		groups = append([]helpGroup{here}, groups...)
	}
	if h.Board.Fleet.Many() {
		groups = append(groups, helpGroup{"On a machine", queue.MachineKeys()})
	}
	if h.find == "" {
		return groups
	}
	words := strings.Fields(strings.ToLower(h.find))
	return slices.DeleteFunc(groups, func(g helpGroup) bool { return len(g.only(h, words)) == 0 })
}

// only are the keys of a group that have all words, in what they are called and do.
func (g helpGroup) only(h *help, words []string) []key.Binding {
	return slices.DeleteFunc(slices.Clone(g.keys), func(b key.Binding) bool {
		text := strings.ToLower(h.chosen.call(b.Help().Key) + " " + b.Help().Desc)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
}

// helpOf are the keys that a screen has for itself, after the one that opens it.
func (h *help) helpOf(name string) []key.Binding {
	list := []key.Binding{openerKey(name)}
	for _, k := range h.rooms[name].Keys() {
		if k.Help().Key != "" && !moves(k.Binding) {
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
	top  int
	find string // words that are looked for
}

// Opens begins at the top.
func (h *help) Opens(desk.Subject) tea.Cmd {
	h.top, h.find = 0, ""
	return nil
}

// Subject is nothing.
func (h *help) Subject() desk.Subject { return desk.Subject{} }

// Keys scroll, and look for words.
func (h *help) Keys() []desk.Key {
	find := desk.Key{Binding: desk.Filter("only keys that have these words"), Short: "find", Do: func(tea.KeyMsg) tea.Cmd {
		h.Read(desk.Line{Lead: "/", Help: "enter keeps · esc shows all", Text: h.find, Typed: func(words string) { h.top, h.find = 0, words }})
		return nil
	}}
	return append([]desk.Key{find}, h.Scrolls(&h.top, h.length)...)
}

// Update keeps the place.
func (h *help) Update(msg tea.Msg) tea.Cmd {
	h.Scroll(msg, &h.top, h.length)
	return nil
}

func (h *help) length() int {
	width, _ := h.Inner()
	return len(h.text(width))
}

// View draws the rows in sight.
func (h *help) View(_, _ int) []string {
	width, height := h.Inner()
	rows := h.text(width)
	f := draw.Caption{Title: "Keys", Right: desk.Position(h.top, height, len(rows))}
	if h.find != "" {
		f.Note = "/" + draw.SafeLine(h.find)
	}
	if len(rows) == 0 {
		rows = []string{h.Styles.Row(width).Put(draw.Muted, "no key has these words").To(width).String()}
	}
	return h.Framed(f, rows, h.top)
}
