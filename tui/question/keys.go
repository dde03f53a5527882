package question

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// The keys of a form, while it is open.
var (
	Pick    = desk.Bind("space", "pick what the cursor is on", " ")
	Digit   = desk.Bind("1–9", "pick this option", "1", "2", "3", "4", "5", "6", "7", "8", "9")
	Other   = desk.Bind("o", "answer in your own words", "o")
	Next    = desk.Bind("enter", "on to the next question; on the last step: send the answers", "enter")
	Back    = desk.Bind("esc", "back to the question before; from the first one out of the form, which keeps its answers", "esc", "h", "left", "shift+tab")
	Decline = desk.Bind("D", "decline to answer; asks for a reason first", "D")
)

const alreadySent = "already sent; waiting for the record"

// Help are the keys for the help screen.
func Help() []key.Binding { return []key.Binding{Pick, Digit, Other, Next, Back, Decline} }

// Keys are the keys of the form on card c while it is open; none while it is not.
func (f *Form) Keys(c *board.Card) []desk.Key {
	if !f.place.InForm(c) {
		return nil
	}
	looked := func(do func(tea.KeyMsg) tea.Cmd) func(tea.KeyMsg) tea.Cmd {
		return func(msg tea.KeyMsg) tea.Cmd {
			if f.Guard.Burst() || f.Guard.Deaf(f.At) && !f.Guard.Own {
				return f.Say(draw.Warn, f.LookFirst(msg))
			}
			return do(msg)
		}
	}
	pick := looked(func(msg tea.KeyMsg) tea.Cmd {
		if c.Ask.Overview() {
			return nil
		}
		return f.pick(c, msg)
	})
	list := []desk.Key{
		{Binding: Next, Do: func(tea.KeyMsg) tea.Cmd { return f.next(c) }},
		{Binding: Back, Do: looked(func(tea.KeyMsg) tea.Cmd { f.back(c); return nil })},
		{Binding: Pick, Do: pick},
		{Binding: Other, Do: pick},
		{Binding: Digit, Do: pick},
		{Binding: desk.Up, Do: pick},
		{Binding: desk.Down, Do: pick},
	}
	if c.Sending != "" {
		for i := range list {
			list[i].Why = alreadySent
		}
	}
	decline := desk.Key{Binding: Decline, Decides: true, Do: func(msg tea.KeyMsg) tea.Cmd { return f.decline(c, msg) }}
	return append(f.named(c), append(list, decline)...)
}

// named are the keys that the key line names, in its order.
func (f *Form) named(c *board.Card) []desk.Key {
	next := "next"
	if c.Ask.Last() {
		next = "send"
	}
	first := desk.Key{Name: "enter", Short: next}
	switch {
	case c.Held():
		first = f.LiftKey()
	case c.Ask.Unread():
		first = desk.Key{Name: "ctrl+d", Short: "read on"}
	}
	pick, other := desk.Key{Name: "space", Short: "pick"}, desk.Key{Name: "o", Short: "other"}
	decline, back, help := desk.Key{Name: "D", Short: "decline"}, desk.Key{Name: "esc", Short: "back"}, desk.Key{Name: "?", Short: "help"}
	switch {
	case c.Ask.Overview():
		return []desk.Key{first, decline, back, help}
	case c.Ask.Unread():
		return []desk.Key{first, pick, other, decline, back, help}
	}
	return []desk.Key{first, pick, other, decline, back, {Name: "j k", Short: "move"}, help}
}
