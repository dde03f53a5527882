package sheet

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// Drawn is a call on the screen: how it is laid out now, and the first row in sight.
type Drawn struct {
	LayOut func() *callview.Doc
	Top    *int
}

// The keys that change how much of a call is drawn, and how.
var (
	Sides = desk.Bind("v", "old and new beside each other, or one below the other", "v")
	More  = desk.Bind("+", "more of the call: all that is known of it, more unchanged lines around a change", "+", "=")
	Less  = desk.Bind("-", "less of it", "-")
)

// Keys change how much of a call is drawn, and how. What is in the first row stays there.
func (s *Sheets) Keys(of Drawn) []desk.Key {
	none, plain := "", ""
	switch d := of.LayOut(); {
	case d == nil:
		none = "there is no call here"
		plain = none
	case len(d.Anchors) == 0:
		plain = "there is no comparison here"
	}
	step := func(by int) func(tea.KeyMsg) tea.Cmd {
		return func(tea.KeyMsg) tea.Cmd { return s.step(of, by) }
	}
	return []desk.Key{
		{Binding: Sides, Why: plain, Do: func(tea.KeyMsg) tea.Cmd { return s.sides(of) }},
		{Binding: More, Why: none, Do: step(1)},
		{Binding: Less, Why: none, Do: step(-1)},
	}
}

func (s *Sheets) step(of Drawn, by int) tea.Cmd {
	if len(of.LayOut().Anchors) == 0 {
		return s.unfold(of, by > 0)
	}
	v, ok := s.View.Step(by)
	switch {
	case !ok && by > 0:
		return s.Say(draw.Muted, "all unchanged lines are drawn already")
	case !ok:
		return s.Say(draw.Muted, "no unchanged line is drawn already")
	}
	s.redraw(of, v)
	if n := v.Context(of.LayOut().Width); n >= 0 {
		return s.Say(draw.Muted, figures.Plural(n, "unchanged line")+" around each change")
	}
	return s.Say(draw.Muted, "all unchanged lines")
}

// unfold is step for a card without comparisons.
func (s *Sheets) unfold(of Drawn, on bool) tea.Cmd {
	v, ok := s.View.Unfold(on)
	switch {
	case !ok && on:
		return s.Say(draw.Muted, "all that is known of the call is drawn already")
	case !ok:
		return s.Say(draw.Muted, "the card is folded already")
	}
	s.redraw(of, v)
	if on {
		return s.Say(draw.Muted, "all that is known of the call; - folds it")
	}
	return nil
}

func (s *Sheets) sides(of Drawn) tea.Cmd {
	v := s.View
	v.Sides = !v.Sides
	s.redraw(of, v)
	switch width := of.LayOut().Width; {
	case v.Sides && width < callview.LeastPair:
		return s.Say(draw.Warn,
			fmt.Sprintf("old and new beside each other take %d columns, and here are %d: a wider window, or enter", callview.LeastPair, width),
			fmt.Sprintf("side by side takes %d columns, not %d", callview.LeastPair, width))
	case v.Sides:
		return s.Say(draw.Muted, "old and new beside each other")
	}
	return s.Say(draw.Muted, "old and new one below the other")
}

// redraw lays everything out for v and leaves the line in the first row where it is.
func (s *Sheets) redraw(of Drawn, v callview.DiffView) {
	top := of.LayOut().AnchorAt(*of.Top)
	s.View = v
	s.Clear()
	if top != nil {
		*of.Top = of.LayOut().RowOf(*top) + max(0, *of.Top-top.Row)
	}
}
