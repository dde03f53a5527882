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

// The keys that change how comparisons are drawn.
var (
	Sides = desk.Bind("v", "old and new beside each other, or one below the other", "v")
	More  = desk.Bind("+", "more unchanged lines around a change", "+", "=")
	Less  = desk.Bind("-", "fewer of them", "-")
)

// Keys change how comparisons are drawn. What is in the first row stays there.
func (s *Sheets) Keys(of Drawn) []desk.Key {
	why := ""
	if d := of.LayOut(); d == nil || len(d.Anchors) == 0 {
		why = "there is no comparison here"
	}
	step := func(by int) func(tea.KeyMsg) tea.Cmd {
		return func(tea.KeyMsg) tea.Cmd { return s.step(of, by) }
	}
	return []desk.Key{
		{Binding: Sides, Why: why, Do: func(tea.KeyMsg) tea.Cmd { return s.sides(of) }},
		{Binding: More, Why: why, Do: step(1)},
		{Binding: Less, Why: why, Do: step(-1)},
	}
}

func (s *Sheets) step(of Drawn, by int) tea.Cmd {
	v, ok := s.View.Step(by)
	switch {
	case !ok && by > 0:
		return s.Say(draw.Muted, "all unchanged lines are drawn already")
	case !ok:
		return s.Say(draw.Muted, "no unchanged line is drawn already")
	}
	s.redraw(of, v)
	if n := v.Context(); n >= 0 {
		return s.Say(draw.Muted, figures.Plural(n, "unchanged line")+" around each change")
	}
	return s.Say(draw.Muted, "all unchanged lines")
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
