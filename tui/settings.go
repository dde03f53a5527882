package tui

// settingsBanners tell of settings files that would switch a gate off, one row each.
func (m *model) settingsBanners() []string {
	var rows []string
	list := m.board.health.Settings
	for i, s := range list {
		if i == alarmsShown {
			return append(rows, plural(len(list)-i, "more settings file")+" of that kind")
		}
		told := "settings that can switch hooks off are in " + safeLine(s.File) + " (" + safeLine(s.Why) + "); look at them before an agent starts there"
		if s.Kept {
			told = "settings that can switch hooks off came into " + safeLine(s.File) + " (" + safeLine(s.Why) + "); kept out; look at them"
		}
		rows = append(rows, told)
	}
	return rows
}
