package tui

import (
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/words"
)

func (m *model) transcriptView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	t := &m.tr
	f := draw.Caption{Title: "Transcript of " + m.Board.Label(t.session), Focus: true}
	f.Note, f.NoteInk = m.transcriptNote()
	f.Right = m.transcriptRight(width, height)
	f.Below, f.BelowInk = m.transcriptSource()
	if t.unread > 0 && t.tell.AtEnd() {
		f.BelowRight = "a line is being written"
	}
	rows := make([]string, 0, height)
	if text, i := t.empty(); text != "" {
		p := m.Styles.Paper(width)
		p.Say(i, text)
		rows = p.Rows
	}
	for i, skip := t.top, t.offset; i < len(t.items) && len(rows) < height; i, skip = i+1, 0 {
		bar := m.Styles.Row(1).Put(draw.Text, " ").String()
		if t.items[i].Key == t.at {
			bar = m.Styles.Row(1).Put(draw.Key, "▌").String()
		}
		list := m.entryRows(i, width)
		for _, r := range list[min(skip, len(list)):] {
			rows = append(rows, bar+m.highlighted(r, t.find.words))
		}
	}
	if width == draw.LeastPaper { // the bar has no room beside them
		rows = draw.Narrowed(rows, width-1)
	}
	return l.Framed(a, f, 1, rows[:min(len(rows), height)])
}

// empty says why there is nothing to show; safe to draw.
func (t *transcript) empty() (string, draw.Ink) {
	switch {
	case t.err != nil && len(t.items) == 0:
		return "the transcript cannot be read: " + draw.SafeLine(t.err.Error()), draw.Warn
	case len(t.items) > 0:
		return "", draw.Text
	case !t.known:
		return "reading …", draw.Muted
	case t.noFile != "":
		return "nothing is known of this session's talk: " + t.reason(), draw.Muted
	}
	return "nothing is written there yet", draw.Muted
}

// reason is why the agent's file was not read; safe to draw.
func (t *transcript) reason() string {
	why := strings.TrimPrefix(t.noFile, broker.ErrNoTranscript.Error()+": ")
	return draw.SafeLine(why)
}

// transcriptSource says where what is on the screen comes from; safe to draw.
func (m *model) transcriptSource() (string, draw.Ink) {
	t := &m.tr
	switch {
	case t.err != nil && len(t.items) > 0:
		return "cannot be read on: " + draw.SafeLine(t.err.Error()), draw.Warn
	case t.noFile != "":
		return "what its hooks told; no file of its agent: " + t.reason(), draw.Warn
	}
	path, room := draw.SafeLine(t.path), m.width-8
	if draw.Cells(path) > room {
		path = "…" + safe.Tail(t.path, room-1)
	}
	return path, draw.Muted
}

// transcriptNote is the session's model, turns and cost, as far as its agent says.
func (m *model) transcriptNote() (string, draw.Ink) {
	t := &m.tr
	if t.find.older {
		return "/" + draw.SafeLine(t.find.text) + " · searching what is older …", draw.Key
	}
	name, spent, whole := t.tell.Model, t.tell.Spent, t.tell.Whole
	var parts []string
	turns := 0
	if s := m.Board.Sessions[t.session]; s != nil && s.Run != nil {
		if s.Run.Model != "" && name == "" {
			name = s.Run.Model
		}
		turns = s.Run.Turns
		if s.Run.Cost > 0 || s.Run.Usage.Input+s.Run.Usage.Output > 0 {
			spent, whole = story.Spent{Cost: s.Run.Cost, Usage: s.Run.Usage}, true
		}
	}
	if name != "" {
		parts = append(parts, draw.SafeLine(name))
	}
	if turns > 0 {
		parts = append(parts, figures.Plural(turns, "turn"))
	}
	if cost := spentWords(spent); cost != "" {
		if !whole {
			cost += " in what is read"
		}
		parts = append(parts, "agent says "+cost)
	}
	return strings.Join(parts, " · "), draw.Muted
}

// spentWords are dollars and tokens in few letters.
func spentWords(s story.Spent) string {
	var parts []string
	if s.Cost > 0 {
		parts = append(parts, words.Cost(s.Cost))
	}
	u := s.Usage
	if in := u.Input + u.CacheRead + u.CacheWrite; in+u.Output > 0 {
		parts = append(parts, words.Tokens(in)+" in "+words.Tokens(u.Output)+" out")
	}
	return strings.Join(parts, ", ")
}

// transcriptRight says where in the transcript the screen is, and that there is more.
func (m *model) transcriptRight(width, height int) string {
	t := &m.tr
	at, ok := t.byKey[t.at]
	switch {
	case !t.known || !ok:
		return ""
	case t.follow && t.tell.AtEnd():
		return "following"
	case t.news > 0:
		return "▼ " + figures.Count(t.news) + " new"
	}
	text := fmt.Sprintf("%s of %s", figures.Count(at+1), figures.Count(len(t.items)))
	if !t.tell.AtStart() || !t.tell.AtEnd() {
		text += " read"
	}
	if !t.tell.AtEnd() || m.rowsBelow(width, height) > height {
		text = "▼ " + text
	}
	return text
}

// entryRows is entry i laid out. Calls that wait are laid out each time: what is to be
// said of them changes without the log.
func (m *model) entryRows(i, width int) []string {
	it := m.tr.items[i]
	if it.rows == nil || it.width != width || it.waits() {
		d := &callview.Doc{Paper: *m.Styles.Paper(max(width-1, 1))}
		if i > 0 && (it.By == agents.SaidUser || it.By == agents.SaidAgent) {
			d.Rows = append(d.Rows, draw.Spaces(d.Width))
		}
		m.entry(d, it)
		it.rows, it.width = d.Rows, width
	}
	return it.rows
}
