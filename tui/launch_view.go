package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/text"
)

const (
	promptLeast  = 3 // rows that an empty prompt takes
	foldersShown = 6
)

// launchRows lays the form out. from and to are the rows that must be on the screen: the
// cursor's, or those of the field that has the focus.
func (m *model) launchRows(width int) (rows []string, from, to int) {
	f := m.launch
	p := m.Styles.Paper(width)
	if f.problem != "" {
		p.SayBehind(draw.Danger, "!", 2, draw.Danger, "nothing was started: "+f.problem)
	}
	if f.hint != "" {
		p.SayBehind(draw.Warn, "!", 2, draw.Warn, f.hint)
	}
	for field := range launchFieldCount {
		start := len(p.Rows)
		cursor := m.writeLaunch(p, field)
		if field == f.focus {
			from, to = start, len(p.Rows)
			if cursor >= start {
				from, to = cursor, cursor+1
			}
		}
	}
	return p.Rows, from, to
}

// writeLaunch draws a field, and says on which row the cursor is, -1 where that does not
// matter.
func (m *model) writeLaunch(p *draw.Paper, field launchField) (cursor int) {
	f := m.launch
	focused := field == f.focus && !f.starting
	switch field {
	case launchFolder:
		f.folder.Write(p, text.Label("folder", focused), focused)
		m.writeFolders(p)
	case launchAgent:
		m.writeAgents(p, focused)
	case launchPrompt:
		start := len(p.Rows)
		cursor := f.prompt.Write(p, text.Label("prompt", focused), focused)
		for len(p.Rows) < start+promptLeast {
			p.Rows = append(p.Rows, draw.Spaces(p.Width))
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
func (m *model) writeOptional(p *draw.Paper, name string, l *text.Line, focused bool, otherwise string) {
	if focused || !l.Blank() {
		l.Write(p, text.Label(name, focused), focused)
		return
	}
	p.Add(text.LabelRow(p, name, focused).Put(draw.Faint, otherwise))
}

// writeAgents draws the agent, and those that cannot be started here.
func (m *model) writeAgents(p *draw.Paper, focused bool) {
	r := text.LabelRow(p, "agent", focused)
	for i, name := range launchAgents {
		if i == m.launch.agent {
			r.Put(draw.Key, "[").Put(draw.Bold, name).Put(draw.Key, "]")
			continue
		}
		if r.Width+1+draw.Cells(name) > p.Width {
			break
		}
		r.Put(draw.Faint, " "+name)
	}
	p.Add(r)
	if focused {
		p.SayBehind(draw.Text, "", text.LabelWidth, draw.Muted, onlyWatched)
	}
}

// writeFolders lists what the typed folder may become.
func (m *model) writeFolders(p *draw.Paper) {
	list := m.launch.folders
	if len(list) == 0 {
		return
	}
	var names []string
	for i, path := range list {
		if i == foldersShown {
			names = append(names, "and "+figures.Count(len(list)-i)+" more")
			break
		}
		names = append(names, draw.SafeLine(filepath.Base(path)+"/"))
	}
	p.SayBehind(draw.Text, "", text.LabelWidth, draw.Muted, strings.Join(names, "  "))
}

// settleLaunch keeps the cursor on the screen.
func (m *model) settleLaunch() {
	f := m.launch
	if f == nil {
		return
	}
	l := m.layout()
	width, height := l.Inner(l.body, 1)
	rows, from, to := m.launchRows(width)
	f.top = min(f.top, from)
	if to > f.top+height {
		f.top = min(from, to-height)
	}
	f.top = max(0, min(f.top, len(rows)-height))
}

func (m *model) launchView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	rows, _, _ := m.launchRows(width)
	f := draw.Caption{Title: "New session", Focus: true, Note: "held by aoctl, in the background"}
	if m.launch.starting {
		f.Note = "starting …"
	}
	top := max(0, min(m.launch.top, len(rows)-height))
	if len(rows) > height {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, len(rows))), figures.Count(len(rows)))
	}
	return l.Framed(a, f, 1, rows[min(top, len(rows)):min(top+height, len(rows))])
}
