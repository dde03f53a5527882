package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/palette"
	"github.com/aoctl/aoctl/tui/queue"
)

// doable is all that keys do on the screen below the one on top: what that screen has itself comes
// first.
func (m *model) doable() []palette.Item {
	below := m.below()
	var list []palette.Item
	add := func(b key.Binding, decides bool) {
		if len(b.Keys()) == 0 || b.Help().Desc == "" || slices.ContainsFunc(list, func(i palette.Item) bool { return i.Key == m.chosen.call(b.Help().Key) }) {
			return
		}
		msg := keyCalled(b.Keys()[0])
		list = append(list, palette.Item{
			Key: m.chosen.call(b.Help().Key), Name: nameOf(b), Does: b.Help().Desc, Decides: decides,
			Do: func() tea.Cmd { return keyboard{m}.act(msg) },
		})
	}
	for _, k := range below.Keys() {
		if k.Do != nil && !moves(k.Binding) {
			add(k.Binding, k.Decides || k.Loosens)
		}
	}
	for _, a := range actions {
		if a.Group != "" && !moves(a.Binding) && (below == m.first() || !queued(a)) {
			add(a.Binding, keyboard{m}.decides(keyCalled(a.Keys()[0])))
		}
	}
	return list
}

// act does what a key does, without being one that was pressed.
func (m keyboard) act(msg tea.KeyMsg) tea.Cmd {
	if k, ok := matching(m.topmost().Keys(), msg); ok {
		return m.do(k, msg)
	}
	if cmd, ok := m.freezeKey(msg); ok {
		return cmd
	}
	return m.rootKey(msg)
}

// moves reports whether a key only moves.
func moves(b key.Binding) bool {
	return slices.ContainsFunc(desk.Moves("", nil), func(k desk.Key) bool { return slices.Equal(k.Keys(), b.Keys()) })
}

// queued reports whether an action is one of the first screen's own.
func queued(a desk.Action) bool {
	return slices.ContainsFunc(queue.Actions(), func(q desk.Action) bool { return q.Name == a.Name })
}

// nameOf is the name of a key's action in the settings file; "" when it has none.
func nameOf(b key.Binding) string {
	for _, a := range actions {
		if slices.Equal(a.Keys(), b.Keys()) {
			return a.Name
		}
	}
	return ""
}
