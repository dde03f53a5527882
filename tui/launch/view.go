package launch

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

// rows lays the form out. from and to are the rows that must be on the screen: the
// cursor's, or those of the field that has the focus.
func (x *Screen) rows(width int) (rows []string, from, to int) {
	f := x.form
	p := x.Styles.Paper(width)
	if f.problem != "" {
		p.SayBehind(draw.Danger, "!", 2, draw.Danger, "nothing was started: "+f.problem)
	}
	if f.hint != "" {
		p.SayBehind(draw.Warn, "!", 2, draw.Warn, f.hint)
	}
	for part := range fieldCount {
		start := len(p.Rows)
		cursor := f.write(p, part)
		if part == f.focus {
			from, to = start, len(p.Rows)
			// In a long prompt the cursor's own row must be seen, not all of its
			// field.
			if cursor >= start {
				from, to = cursor, cursor+1
			}
		}
	}
	return p.Rows, from, to
}

// write draws a field, and says on which row the cursor is, -1 where that does not
// matter.
func (f *form) write(p *draw.Paper, part field) (cursor int) {
	focused := part == f.focus && !f.starting
	switch part {
	case fieldFolder:
		f.folder.Write(p, text.Label("folder", focused), focused)
		f.writeFolders(p)
	case fieldAgent:
		f.writeAgents(p, focused)
	case fieldPrompt:
		start := len(p.Rows)
		cursor := f.prompt.Write(p, text.Label("prompt", focused), focused)
		// An empty prompt shows that there is room for several lines.
		for len(p.Rows) < start+promptLeast {
			p.Rows = append(p.Rows, draw.Spaces(p.Width))
		}
		if focused {
			return cursor
		}
	case fieldName:
		writeOptional(p, "name", &f.name, focused, "the folder's")
	case fieldModel:
		writeOptional(p, "model", &f.model, focused, "the agent's own choice")
	case fieldCount:
	}
	return -1
}

// writeOptional draws a field that may stay empty: what then holds stands in its
// place.
func writeOptional(p *draw.Paper, name string, l *text.Line, focused bool, otherwise string) {
	if focused || !l.Blank() {
		l.Write(p, text.Label(name, focused), focused)
		return
	}
	p.Add(text.LabelRow(p, name, focused).Put(draw.Faint, otherwise))
}

// writeAgents draws the agent; while it has the focus, also why no other can be started here.
func (f *form) writeAgents(p *draw.Paper, focused bool) {
	r := text.LabelRow(p, "agent", focused)
	for i, name := range agents {
		if i == f.agent {
			r.Put(draw.Key, "[").Put(draw.Bold, name).Put(draw.Key, "]")
			continue
		}
		// Names that have no room are left out; only the chosen one matters.
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

// writeFolders lists what the typed folder may become, the first of them by their last
// names.
func (f *form) writeFolders(p *draw.Paper) {
	if len(f.folders) == 0 {
		return
	}
	var names []string
	for i, path := range f.folders {
		if i == foldersShown {
			names = append(names, "and "+figures.Count(len(f.folders)-i)+" more")
			break
		}
		names = append(names, draw.SafeLine(filepath.Base(path)+"/"))
	}
	p.SayBehind(draw.Text, "", text.LabelWidth, draw.Muted, strings.Join(names, "  "))
}

// settle keeps the cursor on the screen.
func (x *Screen) settle() {
	f := x.form
	if f == nil {
		return
	}
	width, height := x.Inner()
	rows, from, to := x.rows(width)
	f.top = min(f.top, from)
	// A field that is higher than the room shows its beginning.
	if to > f.top+height {
		f.top = min(from, to-height)
	}
	f.top = max(0, min(f.top, len(rows)-height))
}

// View draws the rows in sight.
func (x *Screen) View(_, _ int) []string {
	c := draw.Caption{Title: "New session", Note: "managed by aoctl, in the background"}
	if x.form == nil {
		return x.Framed(c, nil, 0)
	}
	width, height := x.Inner()
	rows, _, _ := x.rows(width)
	if x.form.starting {
		c.Note = "starting …"
	}
	top := max(0, min(x.form.top, len(rows)-height))
	if len(rows) > height {
		c.Right = fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, len(rows))), figures.Count(len(rows)))
	}
	return x.Framed(c, rows, top)
}
