package transcript

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// The keys that no other screen has.
var (
	unfoldAll = desk.Bind("u", "unfold all, fold all", "u")
	findNext  = desk.Bind("n", "after /: search on, older", "n")
	findBack  = desk.Bind("N", "and back, newer", "N")
)

// HelpKeys are those keys, for the help.
func HelpKeys() []key.Binding { return []key.Binding{unfoldAll, findNext, findBack} }

// Keys are the keys of the screen. None of them decides anything.
func (t *Screen) Keys() []desk.Key {
	list := desk.Moves("move", t.move)
	return append(list,
		desk.Key{Binding: desk.Enter("unfold, fold; a call that waits: its card"), Short: "unfold", Do: t.onItem(t.open)},
		desk.Key{Binding: desk.Space("unfold, fold"), Do: t.onItem(t.toggle)},
		desk.Key{Binding: unfoldAll, Short: "all", Do: t.onItem(t.toggleAll)},
		desk.Key{Binding: desk.Filter("search"), Short: "search", Do: t.askSearch},
		desk.Key{Binding: findNext, Name: "n N", Short: "again", Do: t.again(false)},
		desk.Key{Binding: findBack, Do: t.again(true)},
		desk.Key{Binding: desk.Bottom, Name: "G", Short: "follow", Do: t.move},
		desk.Key{Binding: desk.Copy("copy the text, the command or the output"), Short: "copy", Do: t.onItem(t.copyItem)},
	)
}

// move takes the keys that move. Whoever moves no longer waits for a search.
func (t *Screen) move(msg tea.KeyMsg) tea.Cmd {
	t.find.older = false
	at, ok := t.list.selected()
	atEnd, half := t.tell.AtEnd(), max(1, t.list.height/2)
	switch {
	case key.Matches(msg, desk.Top):
		t.toStart()
	case key.Matches(msg, desk.Bottom):
		t.toEnd()
	case !ok:
	case key.Matches(msg, desk.Down):
		t.list.down(at, atEnd)
	case key.Matches(msg, desk.Up):
		t.list.up(at, atEnd)
	case key.Matches(msg, desk.PageDown):
		t.list.scroll(half, atEnd)
	case key.Matches(msg, desk.PageUp):
		t.list.scroll(-half, atEnd)
	}
	return nil
}

// onItem is a key's action on the selected entry; without one it does nothing.
func (t *Screen) onItem(do func(*item) tea.Cmd) func(tea.KeyMsg) tea.Cmd {
	return func(tea.KeyMsg) tea.Cmd {
		t.find.older = false
		if at, ok := t.list.selected(); ok {
			return do(t.list.items[at])
		}
		return nil
	}
}

// open unfolds an entry, or goes to the card of a call that waits.
func (t *Screen) open(it *item) tea.Cmd {
	if it.waits() {
		return t.Open(desk.Queue, desk.Subject{Call: it.Call})
	}
	return t.toggle(it)
}

// toggle folds or unfolds one entry.
func (t *Screen) toggle(it *item) tea.Cmd {
	t.list.toggle(it)
	return nil
}

// toggleAll folds or unfolds all entries.
func (t *Screen) toggleAll(*item) tea.Cmd {
	t.list.toggleAll()
	return nil
}

// copyItem puts what an entry says on the clipboard: of a call that gave something
// back, that when it is unfolded, else the call. The copy is whole and as the agent
// wrote it.
func (t *Screen) copyItem(it *item) tea.Cmd {
	switch {
	// Folded, a call is copied as what was asked; unfolded, as what came of it.
	case it.Ran != nil && it.Ran.Output != "" && (it.open || it.Call == nil):
		return t.Copy("output", it.Ran.Output)
	case it.By == agents.SaidCall && it.Large:
		return t.Say(draw.Muted, "its input is too large to be kept here")
	case it.By == agents.SaidCall:
		return t.CopyCall(*it.Call)
	case it.Text != "":
		return t.Copy("text", it.Text)
	}
	return t.Say(draw.Muted, "there is nothing to copy in this entry")
}

// mouse scrolls, and selects the entry that was clicked. The frame takes the first
// row.
func (t *Screen) mouse(msg tea.MouseMsg) {
	steps, click := desk.Wheel(msg)
	switch {
	case steps != 0:
		t.list.scroll(steps*desk.WheelRows, t.tell.AtEnd())
	case click && msg.Y > 0:
		t.list.click(msg.Y - 1)
	}
}
