package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// viewKey changes how comparisons are drawn. What is in the first row stays there.
func (m *model) viewKey(msg tea.KeyMsg) tea.Cmd {
	width, _ := m.room()
	d := m.shownDoc(width)
	if d == nil || len(d.Anchors) == 0 {
		return m.Say(draw.Muted, "there is no comparison here")
	}
	if key.Matches(msg, m.keys.Sides) {
		return m.toggleSides(d, width)
	}
	by := 1
	if key.Matches(msg, m.keys.Less) {
		by = -1
	}
	v, ok := m.view.Step(by)
	if !ok && by > 0 {
		return m.Say(draw.Muted, "all unchanged lines are drawn already")
	}
	if !ok {
		return m.Say(draw.Muted, "no unchanged line is drawn already")
	}
	m.redraw(d, width, v)
	switch n := v.Context(); {
	case n < 0:
		return m.Say(draw.Muted, "all unchanged lines")
	default:
		return m.Say(draw.Muted, figures.Plural(n, "unchanged line")+" around each change")
	}
}

func (m *model) toggleSides(d *callview.Doc, width int) tea.Cmd {
	v := m.view
	v.Sides = !v.Sides
	m.redraw(d, width, v)
	switch {
	case v.Sides && width < callview.LeastPair:
		return m.Say(draw.Warn,
			fmt.Sprintf("old and new beside each other take %d columns, and here are %d: a wider window, or enter", callview.LeastPair, width),
			fmt.Sprintf("side by side takes %d columns, not %d", callview.LeastPair, width))
	case v.Sides:
		return m.Say(draw.Muted, "old and new beside each other")
	}
	return m.Say(draw.Muted, "old and new one below the other")
}

// shownDoc is the call on the screen, waiting or decided; nil when there is none.
func (m *model) shownDoc(width int) *callview.Doc {
	if m.screen == screenPast {
		list := m.past()
		if len(list) == 0 {
			return nil
		}
		return m.pastDoc(list[m.pastAt(list)], width)
	}
	if c := m.drawnCard(); c != nil {
		return m.doc(c, width)
	}
	return nil
}

// redraw lays everything out for v and leaves the line in the first row where it is.
func (m *model) redraw(d *callview.Doc, width int, v callview.DiffView) {
	scroll := &m.scroll
	if m.screen == screenPast {
		scroll = &m.pastScroll
	}
	top := d.AnchorAt(*scroll)
	m.view = v
	m.docs.clear()
	if top != nil {
		*scroll = m.shownDoc(width).RowOf(*top) + max(0, *scroll-top.Row)
	}
}
