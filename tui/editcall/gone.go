package editcall

import tea "github.com/charmbracelet/bubbletea"

// news looks whether the call of an open edit still waits. While a decision is on its
// way, its answer says so instead.
func (x *Screen) news() tea.Cmd {
	e := x.edit
	if e == nil || e.gone != "" || e.state == editSending {
		return nil
	}
	switch c := x.Board.Cards[e.card.ID]; {
	// The board forgets cards that nobody can decide about any more.
	case c == nil:
		return x.hasGone("is no longer waiting")
	case c.Req.State.Terminal():
		return x.hasGone(x.Book.Ended(c.Req))
	}
	return nil
}

// hasGone notes that there is nothing left to allow, and keeps the text in a file.
func (x *Screen) hasGone(how string) tea.Cmd {
	e := x.edit
	if e == nil || e.gone != "" {
		return nil
	}
	e.gone = how
	if e.state == editOpen {
		return nil // the editor is still at it
	}
	return x.keepGone()
}

// keepGone writes the text of a call that ended to a file. Who spent minutes on a text
// must find it again.
func (x *Screen) keepGone() tea.Cmd {
	e := x.edit
	keep, folder, id, name, text, at, gen := x.setup.Editor.Keep, x.setup.Editor.Folder, e.card.ID, e.form.file, e.text, x.At, e.gen
	return func() tea.Msg {
		path, err := keep(folder, id, name, text, at)
		return keptMsg{gen: gen, path: path, err: err}
	}
}

// wasKept notes where the text is, or why it is nowhere.
func (x *Screen) wasKept(msg keptMsg) {
	if e := x.edit; e != nil && e.gen == msg.gen {
		e.kept = "your text is in " + msg.path
		if msg.err != nil {
			e.kept = msg.err.Error()
		}
	}
}
