package transcript

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// View draws the entries in sight, from the row that settle has found.
func (t *Screen) View(_, _ int) []string {
	width, height := t.Inner()
	f := draw.Caption{Title: "Transcript of " + t.Board.Label(t.session), Right: t.right()}
	f.Note, f.NoteInk = t.note(t.Width - draw.Cells(f.Title) - draw.Cells(f.Right) - edges)
	f.Below, f.BelowInk = t.source()
	// A line that is being written is not shown, since half of it is no entry.
	if t.unread > 0 && t.tell.AtEnd() {
		f.BelowRight = "a line is being written"
	}
	rows := make([]string, 0, height)
	if text, i := t.empty(); text != "" {
		p := t.Styles.Paper(width)
		p.Say(i, text)
		rows = p.Rows
	}
	rows = t.drawn(rows, height)
	if width == draw.LeastPaper { // the bar has no room beside them
		rows = draw.Narrowed(rows, width-1)
	}
	return t.Framed(f, rows, 0)
}

// drawn adds the rows of the entries that are in sight, each behind a bar that shows
// the selected one.
func (t *Screen) drawn(rows []string, height int) []string {
	l := &t.list
	for i, skip := l.top, l.offset; i < len(l.items) && len(rows) < height; i, skip = i+1, 0 {
		bar := t.Styles.Row(1).Put(draw.Text, " ").String()
		if l.items[i].Key == l.at {
			bar = t.Styles.Row(1).Put(draw.Key, "▌").String()
		}
		list := l.rows(i)
		for _, r := range list[min(skip, len(list)):] {
			rows = append(rows, bar+t.highlighted(r, t.find.words))
		}
	}
	return rows
}

// empty says why there is nothing to show; safe to draw.
func (t *Screen) empty() (string, draw.Ink) {
	switch {
	case t.err != nil && len(t.list.items) == 0:
		return "cannot show the transcript: " + draw.SafeLine(t.err.Error()), draw.Warn
	case len(t.list.items) > 0:
		return "", draw.Text
	case !t.known:
		return "reading …", draw.Muted
	case t.noFile != "":
		return "No transcript file" + t.reason() + ", and hooks reported nothing.", draw.Muted
	}
	return "nothing is written there yet", draw.Muted
}

// reason is why the agent's file was not read, in brackets; "" when there is none.
// Safe to draw. That there is no file needs no reason.
func (t *Screen) reason() string {
	// The broker's own words for "no file" say nothing that the sentence does not say.
	why := strings.TrimPrefix(t.noFile, broker.ErrNoTranscript.Error()+": ")
	if why == noSuchFile || why == noFileNamed {
		return ""
	}
	return " (" + draw.SafeLine(why) + ")"
}

// What the broker says when there is no file.
const (
	noSuchFile  = "there is no such file"
	noFileNamed = "its agent named none"
)

// source says where what is on the screen comes from; safe to draw. A path is cut at
// its beginning, as its end tells more.
func (t *Screen) source() (string, draw.Ink) {
	switch {
	case t.err != nil && len(t.list.items) > 0:
		return "cannot be read on: " + draw.SafeLine(t.err.Error()), draw.Warn
	case t.noFile != "" && len(t.list.items) == 0:
		return "", draw.Muted
	case t.noFile != "":
		return "No transcript file; showing what hooks reported" + t.reason(), draw.Warn
	}
	path, room := draw.SafeLine(t.path), t.Width-8
	if draw.Cells(path) > room {
		path = "…" + draw.Tail(t.path, room-1)
	}
	return path, draw.Muted
}

// edges is what frame and blanks around title, note and right text take, cells.
const edges = 12

// note is the session's model, turns and cost, as far as its agent says: as much as
// has room. What a runner was told comes before what stands in the file.
func (t *Screen) note(room int) (string, draw.Ink) {
	if t.find.older {
		return "/" + draw.SafeLine(t.find.text) + " · searching what is older …", draw.Key
	}
	name, spent, whole := t.tell.Model, t.tell.Spent, t.tell.Whole
	turns := 0
	if s := t.Board.Sessions[t.session]; s != nil && s.Run != nil {
		name, turns = cmp.Or(name, s.Run.Model), s.Run.Turns
		// What the runner heard from the agent is whole, while the file may have been
		// read in part only.
		if s.Run.Cost > 0 || s.Run.Usage.Input+s.Run.Usage.Output > 0 {
			spent, whole = story.Spent{Cost: s.Run.Cost, Usage: s.Run.Usage}, true
		}
	}
	var parts []string // the least telling first
	if name != "" {
		parts = append(parts, draw.SafeLine(name))
	}
	if turns > 0 {
		parts = append(parts, figures.Plural(turns, "turn"))
	}
	if cost := spentWords(spent, whole); cost != "" {
		parts = append(parts, cost)
	}
	for len(parts) > 1 && draw.Cells(strings.Join(parts, " · ")) > room {
		parts = parts[1:]
	}
	return strings.Join(parts, " · "), draw.Muted
}

// spentWords are dollars and tokens in few letters: of the whole session, or of what
// is read of it.
func spentWords(s story.Spent, whole bool) string {
	var parts []string
	if s.Cost > 0 {
		parts = append(parts, figures.Money(s.Cost))
	}
	u := s.Usage
	if in := u.Input + u.CacheRead + u.CacheWrite; in+u.Output > 0 {
		parts = append(parts, figures.Tokens(in)+" tokens in, "+figures.Tokens(u.Output)+" out")
	}
	if len(parts) > 0 && !whole {
		parts = append(parts, "as far as read")
	}
	return strings.Join(parts, ", ")
}

// right says where in the transcript the screen is, and that there is more. Numbers
// are of what is read, and it says so while that is not all.
func (t *Screen) right() string {
	at, ok := t.list.selected()
	switch {
	case !t.known || !ok:
		return ""
	case t.list.follow && t.tell.AtEnd() && t.Stacked && t.noFile != "": // no room below to say it
		return "from hooks"
	case t.list.follow && t.tell.AtEnd():
		return "following"
	case t.list.news > 0:
		return "▼ " + figures.Count(t.list.news) + " new"
	}
	text := fmt.Sprintf("%s of %s", figures.Count(at+1), figures.Count(len(t.list.items)))
	if !t.tell.AtStart() || !t.tell.AtEnd() {
		text += " read"
	}
	if !t.tell.AtEnd() || t.list.below(t.list.height) > t.list.height {
		text = "▼ " + text
	}
	return text
}
