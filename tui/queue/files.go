package queue

import (
	"maps"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

type (
	filesMsg struct { // what a call would change, and the call compared with it
		key      guard.Drawn
		files    map[string]change.File
		sections []change.Section
	}
	dressedMsg struct { // the same sections with their colours
		key      guard.Drawn
		of, list []change.Section
	}
	filesMovedMsg struct{ key guard.Drawn } // a file is not what it was when it was read
)

// update takes what was read.
func (x *reader) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case filesMsg:
		return x.filesCame(msg)
	case dressedMsg:
		x.dressedCame(msg)
	case filesMovedMsg:
		return x.filesMoved(msg)
	}
	return nil
}

// wantFiles has the files read that a call would change, once for each card, and has it
// drawn as far as it is known meanwhile.
func (x *reader) wantFiles(c *board.Card) tea.Cmd {
	if c.Files != nil {
		return nil
	}
	c.Files = map[string]change.File{}
	if path, ok := c.PlanPath(); ok {
		c.Files[path] = change.File{Wanted: true}
		x.sheets.Forget(c.Req.ID)
		return x.readTargets(c.Key(), change.Changes{}, []string{path}, c.Req.CWD)
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
	x.sheets.Forget(c.Req.ID)
	if len(paths) == 0 {
		return x.dress(c)
	}
	return x.readTargets(c.Key(), cs, paths, c.Req.CWD)
}

// readTargets reads files and compares the call with them.
func (x *reader) readTargets(key guard.Drawn, cs change.Changes, paths []string, cwd string) tea.Cmd {
	cs.Known = nil // the screen's
	read, stamp, now := x.setup.ReadFile, x.setup.Stamp, x.setup.Now
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
func (x *reader) filesCame(msg filesMsg) tea.Cmd {
	c := x.Board.Cards[msg.key.ID]
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
	x.sheets.Forget(msg.key.ID)
	if x.Guard.Drawn == msg.key {
		x.scroll = 0
		x.Guard.Doubt(x.At)
	}
	return x.dress(c)
}

// watchFiles looks whether the files of the drawn call are still what they were when
// they were read.
func (x *reader) watchFiles(c *board.Card) tea.Cmd {
	if len(c.Files) == 0 {
		return nil
	}
	for _, f := range c.Files {
		if !f.Done {
			return nil
		}
	}
	key, files, stamp := c.Key(), maps.Clone(c.Files), x.setup.Stamp
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
func (x *reader) filesMoved(msg filesMovedMsg) tea.Cmd {
	c := x.Board.Cards[msg.key.ID]
	if c == nil || c.Key() != msg.key {
		return nil
	}
	x.lookAgain(msg.key)
	return x.Say(draw.Warn, c.Summary().Tool+": a file of this call changed: it is drawn anew", "a file changed: drawn anew")
}

// dress finds, off the screen's time, what changed inside lines, and their colours.
func (x *reader) dress(c *board.Card) tea.Cmd {
	if len(c.Sections) == 0 {
		return nil
	}
	ctx, key, of := x.Ctx, c.Key(), c.Sections
	return func() tea.Msg { return dressedMsg{key: key, of: of, list: change.Dressed(ctx, of)} }
}

// dressedCame shows colours where none were. Nothing moves by it.
func (x *reader) dressedCame(msg dressedMsg) {
	c := x.Board.Cards[msg.key.ID]
	if c == nil || !c.Key().SameCall(msg.key) || len(c.Sections) == 0 || &c.Sections[0] != &msg.of[0] {
		return
	}
	c.Sections = msg.list
	x.sheets.Forget(msg.key.ID)
}

// lookAgain has a call read anew, because a file of it is not what it was when the call was drawn.
func (x *reader) lookAgain(key guard.Drawn) {
	c := x.Board.Cards[key.ID]
	if c == nil || !c.Key().SameCall(key) {
		return
	}
	c.Unread()
	c.Changed = true
	delete(x.Board.Marks, key.ID)
	x.sheets.Forget(key.ID)
}
