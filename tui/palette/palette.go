// Package palette finds an action by words: what is typed narrows the list of all that
// keys do here, and enter does the chosen one. It opens over any screen and is closed
// before it acts, so that the action is about the screen below.
//
// A key that decides, or changes a rule at once, is not pressed from here: enter must
// not allow anything, and what it would be about was not on the screen while this list
// was. It says which key does it.
//
// The list is made from the bindings that the key line and the help use, so an action
// cannot be missing here.
package palette

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/text"
)

// Item is something that can be done. Its texts are ours and safe to draw.
type Item struct {
	Key, Name string // what its key is called here; its name in the settings file, "" for none
	Does      string // a sentence
	Decides   bool   // only its own key does it
	Do        func() tea.Cmd
}

// has reports whether the item has all words, in its name, its key or its sentence.
func (i Item) has(words []string) bool {
	text := strings.ToLower(i.Name + " " + i.Key + " " + i.Does)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Screen is the list and what is typed.
type Screen struct {
	*desk.Desk
	items func() []Item // of the screen below
	all   []Item
	typed text.Line
	edit  text.Keys
	at    int
	top   int
}

// mostTyped is how many characters of words may be typed: the list below them keeps its room.
const mostTyped = 200

// New makes the screen; items are what can be done on the screen below.
func New(d *desk.Desk, items func() []Item) *Screen {
	return &Screen{Desk: d, items: items, edit: text.DefaultKeys()}
}

// Opens lists everything. The items are asked for once, when the list opens.
func (p *Screen) Opens(desk.Subject) tea.Cmd {
	p.all, p.typed, p.at, p.top = p.items(), text.Line{Most: mostTyped}, 0, 0
	return nil
}

// Subject is nothing.
func (p *Screen) Subject() desk.Subject { return desk.Subject{} }

// Keys are named in the key line.
func (p *Screen) Keys() []desk.Key {
	return []desk.Key{
		{Binding: desk.Enter("do it"), Short: "do it"},
		{Binding: desk.Bind("↑ ↓", "choose", "up", "down"), Short: "choose"},
	}
}

// Writes is always so: words are typed here.
func (p *Screen) Writes() bool { return true }

// Write takes a key.
func (p *Screen) Write(msg tea.KeyMsg, _ bool) tea.Cmd {
	n := len(p.found())
	switch msg.String() {
	case "esc", "ctrl+c":
		return p.Back()
	case "enter":
		return p.enter()
	case "up", "ctrl+p":
		p.at = desk.Turned(p.at, -1, n)
		return nil
	case "down", "ctrl+n":
		p.at = desk.Turned(p.at, 1, n)
		return nil
	}
	changed, refused := p.typed.Edit(msg, p.edit)
	if refused != "" {
		return p.Say(draw.Warn, refused)
	}
	if changed {
		p.at, p.top = 0, 0
	}
	return nil
}

// found are the items that have what was typed.
func (p *Screen) found() (list []Item) {
	words := strings.Fields(strings.ToLower(p.typed.String()))
	for _, i := range p.all {
		// No words are in every item, so an empty line lists all.
		if i.has(words) {
			list = append(list, i)
		}
	}
	return list
}

// enter does the chosen item on the screen below, or says which key does it.
func (p *Screen) enter() tea.Cmd {
	list := p.found()
	if p.at >= len(list) {
		return p.Say(draw.Muted, "nothing here has these words")
	}
	i := list[p.at]
	// The list closes first: what is done is about the screen below it.
	if closed := p.Back(); i.Decides {
		return tea.Batch(closed, p.Say(draw.Text, i.Key+": "+i.Does, i.Key+" does that: press it there"))
	}
	return i.Do()
}

// Update keeps the place.
func (p *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case desk.Settle:
		width, height := p.Inner()
		n := len(p.found())
		p.at = max(0, min(p.at, n-1))
		p.top = desk.Window(p.top, p.at, max(1, height-len(p.head(width))), n)
	case tea.MouseMsg:
		steps, _ := desk.Wheel(msg)
		p.at += steps
	}
	return nil
}

// keyWidth is how wide the column of keys is, cells.
const keyWidth = 12

// View draws what is typed, and below it what was found.
func (p *Screen) View(_, _ int) []string {
	width, height := p.Inner()
	list := p.found()
	rows := p.head(width)
	for i, to := p.top, min(len(list), p.top+max(0, height-len(rows))); i < to; i++ {
		rows = append(rows, p.row(list[i], i == p.at, width))
	}
	f := draw.Caption{Title: "Actions"}
	if len(list) == 0 {
		rows = append(rows, p.Styles.Row(width).Put(draw.Muted, "nothing has these words").To(width).String())
	}
	return p.Framed(f, rows, 0)
}

// head is what is typed, and the row below it.
func (p *Screen) head(width int) []string {
	paper := p.Styles.Paper(width)
	p.typed.Write(paper, draw.Fixed(draw.Key, ":", 1), true)
	return append(paper.Rows, draw.Spaces(width))
}

// row is one item; those that only their own key does are fainter.
func (p *Screen) row(i Item, chosen bool, width int) string {
	r := p.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	does := draw.Text
	if i.Decides {
		does = draw.Muted
	}
	r.Put(draw.Key, bar).Fit(draw.Key, i.Key, keyWidth).To(keyWidth + 2)
	return r.Fit(does, i.Does, max(0, width-r.Width)).To(width).String()
}
