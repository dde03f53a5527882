package trust

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// Open is the key that opens the form.
var Open = desk.Bind("p", "what agents may do in this project without asking", "p")

// Keys tick, save and leave.
func (x *Screen) Keys() []desk.Key {
	save := desk.Key{Binding: desk.Enter("let agents do what is ticked, in this project"), Short: "save", Loosens: true, Do: x.enter}
	tick := desk.Key{Binding: desk.Space("tick what the cursor is at"), Short: "tick", Loosens: true, Do: func(tea.KeyMsg) tea.Cmd { return x.toggle(x.at) }}
	list := []desk.Key{save, tick}
	if !x.looked || x.project.Path == "" {
		list = nil
	}
	for i, c := range choices {
		list = append(list, desk.Key{Binding: desk.Bind(c.key, "tick "+c.effect.String(), c.key), Loosens: true, Do: func(tea.KeyMsg) tea.Cmd { return x.toggle(i) }})
	}
	later := desk.Key{Binding: desk.Bind("p", "not now: no line about this project until the console starts anew", "p"), Do: x.notNow}
	switch {
	case x.asked.ID != "":
		later = desk.Key{Binding: desk.Bind("p", "decline what is asked for", "p"), Short: "decline", Do: x.decline}
	case x.looked && x.project.Path != "" && !x.about():
		later.Short = "not now"
	}
	return append(append(list, later), desk.Moves("move", x.move)...)
}

// about reports whether a rule is about the project by now.
func (x *Screen) about() bool { return x.Book.About(x.project.Path) }

// toggle ticks a choice, or takes its tick away.
func (x *Screen) toggle(i int) tea.Cmd {
	if !x.looked || x.project.Path == "" || x.trial.Saving() {
		return nil
	}
	x.at, x.free = i, false
	x.ticks ^= effects.Of(choices[i].effect)
	x.trial.Changed()
	return nil
}

// move moves the cursor, or scrolls.
func (x *Screen) move(msg tea.KeyMsg) tea.Cmd {
	width, height := x.Inner()
	if key.Matches(msg, desk.Up, desk.Down) {
		x.at, x.free = desk.Moved(msg, x.at, len(choices), height), false
		return nil
	}
	rows, _ := x.rows(width, height)
	x.top, x.free = desk.Scrolled(msg, x.top, len(rows), height), true
	return nil
}

// scroll moves the text by so many rows.
func (x *Screen) scroll(by int) {
	if by != 0 {
		x.top, x.free = x.top+by, true
	}
}

// decline says no to what a terminal asks for.
func (x *Screen) decline(tea.KeyMsg) tea.Cmd {
	id := x.asked.ID
	x.asked = broker.Proposal{}
	return tea.Batch(x.Back(), x.Say(draw.Muted, "declined: nothing was granted"), x.asks.answer(id, nil))
}

// notNow leaves, and has the first screen be quiet about a project that has no rules.
func (x *Screen) notNow(tea.KeyMsg) tea.Cmd {
	path := x.project.Path
	if path == "" || x.about() {
		return x.Back()
	}
	return tea.Batch(x.Back(),
		x.Say(draw.Muted, "not now: "+x.name()+" asks as before; "+x.Called("p")+" opens the form again", "not now"),
		func() tea.Msg { return desk.NotNow{Project: path} })
}
