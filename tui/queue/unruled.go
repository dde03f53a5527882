package queue

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// mostFolders is how many projects are remembered: more nobody works in.
const mostFolders = 256

// unruled is the line above the drawn call that says of a project without rules how to say once what
// its agents may do. The broker looks at each folder once; the rules are those that the console knows.
type unruled struct {
	*desk.Desk
	broker interface {
		ProjectAt(ctx context.Context, dir string) broker.Project
	}
	known map[string]broker.Project // by folder, as sessions and calls name it; the zero one while it is asked for
	later map[string]bool           // paths of projects that the operator wants no line about
	book  *words.Book               // the rules that about knows
	about map[string]bool           // by path: a rule is about the project
	every bool                      // a rule holds everywhere
	path  string                    // the project that the line is about now; "" for none

	offered map[string]string // by session: the call with which it was said that its agent accepts edits
	accepts string            // the session of which the line says that now; "" for none
}

// shown reports whether there is a line.
func (u *unruled) shown() bool { return u.path != "" || u.accepts != "" }

// acceptsEdits says whether the line offers to follow an agent that accepts edits by itself in this
// session. It is the person's word, so it is offered, once, with the first edit that waits; modes that
// accept anything are nobody's word about edits, and are not followed.
func (u *unruled) acceptsEdits(r *broker.Request) {
	if r.Mode != "acceptEdits" || r.Assessment == nil || u.offered[r.SessionID] != "" && u.offered[r.SessionID] != r.ID {
		return
	}
	var does effects.Set
	for _, d := range r.Assessment.Does {
		does |= effects.Of(d.Effect)
	}
	if !does.Has(effects.Edit) || !does.Within(effects.Of(effects.Look, effects.Edit)) {
		return
	}
	if u.offered == nil || len(u.offered) >= mostFolders {
		u.offered = map[string]string{}
	}
	u.offered[r.SessionID], u.accepts = r.ID, r.SessionID
}

// projectMsg brings what is known of a folder.
type projectMsg struct {
	dir     string
	project broker.Project
}

// settle says whether the line is drawn with card c, and has its folder looked at.
func (u *unruled) settle(c *board.Card) tea.Cmd {
	u.path, u.accepts = "", ""
	if c == nil || c.Late() || c.Dialog() != "" || c.Req.SessionID == "" || u.Book.Problem != "" {
		return nil
	}
	if u.acceptsEdits(&c.Req); u.accepts != "" {
		return nil
	}
	// The banner names the same key, for what it says.
	if u.Proposed {
		return nil
	}
	dir := u.Board.Folder(c.Req.SessionID, &c.Req)
	p, asked := u.known[dir]
	if !asked {
		return u.ask(dir)
	}
	if p.Path != "" && !u.later[p.Path] && !u.ruled(p.Path) {
		u.path = p.Path
	}
	return nil
}

// ask has a folder looked at.
func (u *unruled) ask(dir string) tea.Cmd {
	if u.known == nil || len(u.known) >= mostFolders {
		u.known = map[string]broker.Project{}
	}
	u.known[dir] = broker.Project{}
	ctx, b := u.Ctx, u.broker
	return func() tea.Msg { return projectMsg{dir, b.ProjectAt(ctx, dir)} }
}

// came takes the answer in.
func (u *unruled) came(msg projectMsg) { u.known[msg.dir] = msg.project }

// notNow keeps the line away from a project.
func (u *unruled) notNow(path string) {
	if u.later == nil {
		u.later = map[string]bool{}
	}
	u.later[path] = true
}

// ruled reports whether a rule is about the project. There may be thousands of rules and this is asked
// for every frame, so it is found out once for each book.
func (u *unruled) ruled(path string) bool {
	if u.book != u.Book {
		u.book, u.about, u.every = u.Book, map[string]bool{}, false
		for _, r := range u.Book.Rules {
			u.every = u.every || r.Scope == (rules.Scope{}) && r.Source == ""
		}
	}
	is, known := u.about[path]
	if !known {
		is = u.Book.About(path)
		u.about[path] = is
	}
	return is
}

// view draws the line: the longest one that has room.
func (u *unruled) view(width int) string {
	if u.accepts != "" {
		return u.viewAccepts(width)
	}
	name, key, own := words.Project(u.path), u.Called("p"), ""
	if u.every {
		own = " of its own"
	}
	r := u.Styles.Row(width)
	lead := " " + name + " has no rules" + own + " yet · "
	for _, tail := range []string{" say once what its agents may do (" + key + " twice: not now)", " say once what its agents may do", " sets them"} {
		if draw.Cells(lead+key+tail) <= width {
			return r.Put(draw.Muted, lead).Put(draw.Key, key).Put(draw.Muted, tail).To(width).String()
		}
	}
	return r.Put(draw.Text, " ").Put(draw.Key, key).Put(draw.Text, " ").Fit(draw.Muted, "sets rules for "+name, width-r.Width).To(width).String()
}

// viewAccepts is the line about an agent that accepts edits by itself. The rule that A makes holds for the
// session: it does not end when the agent goes back to another mode, so the line says how long.
func (u *unruled) viewAccepts(width int) string {
	r, key := u.Styles.Row(width), u.Called("A")
	lead := " " + u.Board.Label(u.accepts) + " accepts edits by itself · "
	for _, tail := range []string{" lets aoctl do so until the session ends, whatever mode comes later", " lets aoctl do so until the session ends", " until it ends"} {
		if draw.Cells(lead+key+tail) <= width {
			return r.Put(draw.Muted, lead).Put(draw.Key, key).Put(draw.Muted, tail).To(width).String()
		}
	}
	return r.Put(draw.Text, " ").Put(draw.Key, key).Put(draw.Text, " ").Fit(draw.Muted, "accepts edits until it ends", width-r.Width).To(width).String()
}
