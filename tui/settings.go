package tui

import (
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// settingsBanners tell of settings files that would switch a gate off, one row each.
func (m *model) settingsBanners() []string {
	var rows []string
	list := m.Board.Health.Settings
	for i, s := range list {
		file := foreign(s.File)
		if i == alarmsShown {
			return append(rows, figures.Plural(len(list)-i, "more settings file")+" of that kind")
		}
		told := "settings that can switch hooks off are in " + file + " (" + foreign(s.Why) + "); look at them before an agent starts there"
		if s.Kept {
			told = "settings that can switch hooks off came into " + file + " (" + foreign(s.Why) + "); kept out; look at them"
		}
		rows = append(rows, told)
	}
	return rows
}

// foreignMost is how much of a foreign text a sentence of ours in one row cites, cells.
const foreignMost = 40

// foreign is a text from outside within a sentence of ours: marked, and so short that
// the sentence stays ours.
func foreign(text string) string { return "«" + safe.Head(text, foreignMost) + "»" }
