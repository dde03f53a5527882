package suggest

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// Open is the key that opens the screen.
var Open = desk.Bind("P", "rules that would have saved your last decisions, one key each", "P")

// Keys save, put away, take back and move.
func (x *Screen) Keys() []desk.Key {
	var list []desk.Key
	if len(x.list) > 0 {
		list = append(list,
			desk.Key{Binding: desk.Enter("let this rule hold from now on"), Short: "save", Loosens: true, Do: x.enter},
			desk.Key{Binding: desk.Bind("x", "not this one: it is not shown again until the console starts anew", "x"), Short: "not this one", Do: x.not},
		)
	}
	back := desk.Key{Binding: desk.Bind("u", "take back the rule that was saved here last", "u"), Short: "take back", Do: x.takeBack}
	if len(x.made) == 0 {
		back.Short, back.Why = "", "nothing was saved here that could be taken back"
	}
	return append(append(list, back), desk.Moves("", x.move)...)
}

// move selects another suggestion.
func (x *Screen) move(msg tea.KeyMsg) tea.Cmd {
	_, height := x.Inner()
	x.choose(desk.Moved(msg, x.at, len(x.list), height))
	return nil
}

// not puts the selected one away.
func (x *Screen) not(tea.KeyMsg) tea.Cmd {
	s, ok := x.selected()
	if !ok || x.trial.Saving() {
		return nil
	}
	x.line.not[says(s.Rule)] = true
	x.takeIn(x.version)
	return x.Say(draw.Muted, "not shown again until the console starts anew: "+words.RuleSays(s.Rule, x.Board, x.At), "not shown again until the console starts anew")
}
