package tui

import (
	"fmt"
	"path/filepath"
	"strings"
)

const (
	promptLeast  = 3 // rows that an empty prompt takes
	foldersShown = 6
)

// launchRows lays the form out. from and to are the rows that must be on the screen: the
// cursor's, or those of the field that has the focus.
func (m *model) launchRows(width int) (rows []string, from, to int) {
	f := m.launch
	p := m.st.paper(width)
	if f.problem != "" {
		p.sayBehind(inkDanger, "!", 2, inkDanger, "nothing was started: "+f.problem)
	}
	if f.hint != "" {
		p.sayBehind(inkWarn, "!", 2, inkWarn, f.hint)
	}
	for field := range launchFieldCount {
		start := len(p.rows)
		cursor := m.writeLaunch(p, field)
		if field == f.focus {
			from, to = start, len(p.rows)
			if cursor >= start {
				from, to = cursor, cursor+1
			}
		}
	}
	return p.rows, from, to
}

// writeLaunch draws a field, and says on which row the cursor is, -1 where that does not
// matter.
func (m *model) writeLaunch(p *paper, field launchField) (cursor int) {
	f := m.launch
	focused := field == f.focus && !f.starting
	switch field {
	case launchFolder:
		f.folder.write(p, m.label("folder", focused), focused)
		m.writeFolders(p)
	case launchAgent:
		m.writeAgents(p, focused)
	case launchPrompt:
		start := len(p.rows)
		cursor := f.prompt.write(p, m.label("prompt", focused), focused)
		for len(p.rows) < start+promptLeast {
			p.rows = append(p.rows, spaces(p.width))
		}
		if focused {
			return cursor
		}
	case launchName:
		m.writeOptional(p, "name", &f.name, focused, "the folder's")
	case launchModel:
		m.writeOptional(p, "model", &f.model, focused, "the agent's own choice")
	case launchFieldCount:
	}
	return -1
}

// writeOptional draws a field that may stay empty: what then holds stands in its place.
func (m *model) writeOptional(p *paper, name string, l *line, focused bool, otherwise string) {
	if focused || !l.blank() {
		l.write(p, m.label(name, focused), focused)
		return
	}
	p.add(m.labelRow(p, name, focused).put(inkFaint, otherwise))
}

// writeAgents draws the agent, and those that cannot be started here.
func (m *model) writeAgents(p *paper, focused bool) {
	r := m.labelRow(p, "agent", focused)
	for i, name := range launchAgents {
		if i == m.launch.agent {
			r.put(inkKey, "[").put(inkBold, name).put(inkKey, "]")
			continue
		}
		if r.width+1+cells(name) > p.width {
			break
		}
		r.put(inkFaint, " "+name)
	}
	p.add(r)
	if focused {
		p.sayBehind(inkText, "", formLabel, inkMuted, onlyWatched)
	}
}

// writeFolders lists what the typed folder may become.
func (m *model) writeFolders(p *paper) {
	list := m.launch.folders
	if len(list) == 0 {
		return
	}
	var names []string
	for i, path := range list {
		if i == foldersShown {
			names = append(names, "and "+count(len(list)-i)+" more")
			break
		}
		names = append(names, safeLine(filepath.Base(path)+"/"))
	}
	p.sayBehind(inkText, "", formLabel, inkMuted, strings.Join(names, "  "))
}

// settleLaunch keeps the cursor on the screen.
func (m *model) settleLaunch() {
	f := m.launch
	if f == nil {
		return
	}
	l := m.layout()
	width, height := l.inner(l.body, 1)
	rows, from, to := m.launchRows(width)
	f.top = min(f.top, from)
	if to > f.top+height {
		f.top = min(from, to-height)
	}
	f.top = max(0, min(f.top, len(rows)-height))
}

func (m *model) launchView(l layout, a area) []string {
	width, height := l.inner(a, 1)
	rows, _, _ := m.launchRows(width)
	f := caption{title: "New session", focus: true, note: "held by aoctl, in the background"}
	if m.launch.starting {
		f.note = "starting …"
	}
	top := max(0, min(m.launch.top, len(rows)-height))
	if len(rows) > height {
		f.right = fmt.Sprintf("%s–%s of %s", count(top+1), count(min(top+height, len(rows))), count(len(rows)))
	}
	return m.frame(l, a, f, 1, rows[min(top, len(rows)):min(top+height, len(rows))])
}
