package tui

import (
	"maps"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

// wantFiles has the files read that a call would change, once for each card, and has it
// drawn as far as it is known meanwhile.
func (m *model) wantFiles(c *board.Card) tea.Cmd {
	if c.Files != nil {
		return nil
	}
	c.Files = map[string]change.File{}
	if path, ok := c.PlanPath(); ok {
		c.Files[path] = change.File{Wanted: true}
		m.sheets.Forget(c.Req.ID)
		return m.readTargets(c.Key(), change.Changes{}, []string{path}, c.Req.CWD)
	}
	rd := c.Read()
	if !rd.OK {
		return nil
	}
	cs := rd.Changes
	paths := cs.Targets(c.Req.CWD)
	for _, path := range paths {
		c.Files[path] = change.File{Wanted: true}
	}
	c.Sections, c.Rest = cs.Compare(c.Files, c.Req.CWD, diff.WhileDrawing), cs.Rest
	m.sheets.Forget(c.Req.ID)
	if len(paths) == 0 {
		return m.dress(c)
	}
	return m.readTargets(c.Key(), cs, paths, c.Req.CWD)
}

// readTargets reads files and compares the call with them.
func (m *model) readTargets(key guard.Drawn, cs change.Changes, paths []string, cwd string) tea.Cmd {
	cs.Known = nil // the screen's
	read, stamp, now := m.opts.ReadFile, m.opts.Stamp, m.opts.Now
	return func() tea.Msg {
		files := make(map[string]change.File, len(paths))
		for _, path := range paths {
			before := stamp(path) // a change from here on is noticed
			data, err := read(path)
			f := change.Result(data, err, now())
			f.Stamp = before
			files[path] = f
		}
		return filesMsg{key: key, files: files, sections: cs.Compare(files, cwd, diff.OffScreen)}
	}
}

// filesCame shows a call in its files. What the operator has read so far was drawn
// otherwise, so reading begins anew.
func (m *model) filesCame(msg filesMsg) tea.Cmd {
	c := m.Board.Cards[msg.key.ID]
	if c == nil || c.Key() != msg.key {
		return nil
	}
	c.Files, c.Sections = msg.files, msg.sections
	c.SeenEnd, c.Reading = false, nil
	if c.Sum.Edit {
		c.Sum.Added, c.Sum.Gone = 0, 0
		for i := range c.Sections {
			a, g := diff.Tally(c.Sections[i].Lines)
			c.Sum.Added, c.Sum.Gone = c.Sum.Added+a, c.Sum.Gone+g
		}
	}
	m.sheets.Forget(msg.key.ID)
	if m.Guard.Drawn == msg.key {
		m.scroll = 0
		m.Guard.Doubt(m.At)
	}
	return m.dress(c)
}

// watchFiles looks whether the files of the drawn call are still what they were when
// they were read.
func (m *model) watchFiles() tea.Cmd {
	c := m.drawnCard()
	if c == nil || len(c.Files) == 0 {
		return nil
	}
	for _, f := range c.Files {
		if !f.Done {
			return nil
		}
	}
	key, files, stamp := c.Key(), maps.Clone(c.Files), m.opts.Stamp
	return func() tea.Msg {
		for path, f := range files {
			if stamp(path) != f.Stamp {
				return filesMovedMsg{key}
			}
		}
		return nil
	}
}

// filesMoved draws a call anew whose file changed under it.
func (m *model) filesMoved(msg filesMovedMsg) tea.Cmd {
	c := m.Board.Cards[msg.key.ID]
	if c == nil || c.Key() != msg.key {
		return nil
	}
	m.lookAgain(msg.key)
	return m.Say(draw.Warn, c.Summary().Tool+": a file of this call changed: it is drawn anew", "a file changed: drawn anew")
}

// dress finds, off the screen's time, what changed inside lines, and their colours.
func (m *model) dress(c *board.Card) tea.Cmd {
	if len(c.Sections) == 0 {
		return nil
	}
	ctx, key, of := m.Ctx, c.Key(), c.Sections
	return func() tea.Msg { return dressedMsg{key: key, of: of, list: change.Dressed(ctx, of)} }
}

// dressedCame shows colours where none were. Nothing moves by it.
func (m *model) dressedCame(msg dressedMsg) {
	c := m.Board.Cards[msg.key.ID]
	if c == nil || !c.Key().SameCall(msg.key) || len(c.Sections) == 0 || &c.Sections[0] != &msg.of[0] {
		return
	}
	c.Sections = msg.list
	m.sheets.Forget(msg.key.ID)
}
