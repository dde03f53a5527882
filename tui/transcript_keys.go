package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
)

func (m *model) transcriptKey(msg tea.KeyMsg) tea.Cmd {
	t := &m.tr
	_, height := m.room()
	at, ok := t.byKey[t.at]
	t.find.older = false
	switch {
	case key.Matches(msg, m.keys.Transcript):
		return m.Back()
	case key.Matches(msg, m.keys.Filter):
		m.prompt = &prompt{purpose: askLine, what: "/", help: "enter keeps · esc forgets", text: []rune(t.find.text), typed: m.searchFor(t.at)}
	case key.Matches(msg, m.keys.FindNext, m.keys.FindBack):
		return m.findAgain(key.Matches(msg, m.keys.FindBack))
	case key.Matches(msg, m.keys.Top):
		m.transcriptTop()
	case key.Matches(msg, m.keys.Bottom):
		m.transcriptEnd()
	case !ok:
	case key.Matches(msg, m.keys.UnfoldAll):
		t.unfoldAll()
	case key.Matches(msg, m.keys.Open) && t.items[at].waits():
		return m.toCard(t.items[at].Call.ID)
	case key.Matches(msg, m.keys.Open, m.keys.Unfold):
		t.items[at].open, t.items[at].rows = !t.items[at].open, nil
		t.follow, t.reveal = t.follow && !t.items[at].open, true
	case key.Matches(msg, m.keys.Down):
		m.entryDown(at)
	case key.Matches(msg, m.keys.Up):
		m.entryUp(at)
	case key.Matches(msg, m.keys.PageDown):
		m.scrollTranscript(max(1, height/2))
	case key.Matches(msg, m.keys.PageUp):
		m.scrollTranscript(-max(1, height/2))
	case key.Matches(msg, m.keys.Copy):
		return m.copyEntry(t.items[at])
	}
	return nil
}

// transcriptTop goes to the beginning; what is between is read when it is looked at.
func (m *model) transcriptTop() {
	t := &m.tr
	t.follow = false
	if !t.tell.AtStart() {
		t.want = story.OldestPart
		t.gen++ // what is under way is of no use
		t.asking = false
	} else if len(t.items) > 0 {
		t.at, t.reveal = t.items[0].Key, true
	}
	t.top, t.offset = 0, 0
}

func (m *model) transcriptEnd() {
	t := &m.tr
	t.follow = true
	if !t.tell.AtEnd() {
		t.want = story.NewestPart
		t.gen++
		t.asking = false
	}
}

func (t *transcript) unfoldAll() {
	t.all = !t.all
	for _, it := range t.items {
		it.open, it.rows = t.all, nil
	}
	t.offset, t.reveal = 0, true
}

// entryDown goes to the next entry, after the selected one's last row was on the screen.
func (m *model) entryDown(at int) {
	t := &m.tr
	width, height := m.room()
	rows := -t.offset
	for i := t.top; i <= at; i++ {
		rows += m.entryHeight(i, width)
	}
	if rows > height {
		m.scrollTranscript(1)
		return
	}
	if at+1 < len(t.items) {
		t.at, t.reveal = t.items[at+1].Key, true
	}
	t.follow = t.tell.AtEnd() && at+2 >= len(t.items) && m.rowsBelow(width, height) <= height
}

func (m *model) entryUp(at int) {
	t := &m.tr
	t.follow = false
	if at == t.top && t.offset > 0 || at < t.top {
		m.scrollTranscript(-1)
		return
	}
	if at > 0 {
		t.at, t.reveal = t.items[at-1].Key, true
	}
}

// waits reports whether the entry is a call that waits for an answer here.
func (it *item) waits() bool {
	return it.OnRecord && it.Call != nil && it.Call.State == broker.Pending
}

// toCard goes to the card of a call that waits.
func (m *model) toCard(id string) tea.Cmd {
	c := m.Board.Cards[id]
	if c == nil {
		return m.Say(draw.Muted, "this call is no longer waiting")
	}
	if m.Board.Place(c) < 0 {
		m.filterBy(board.Filter{})
	}
	m.selected, m.went = id, id
	m.screen, m.focus = screenMain, paneQueue
	return m.openCall()
}

// copyEntry puts what an entry says on the clipboard: of a call that gave something back,
// that.
func (m *model) copyEntry(it *item) tea.Cmd {
	switch {
	case it.Ran != nil && it.Ran.Output != "" && (it.open || it.Call == nil):
		return m.copyWords("output", it.Ran.Output)
	case it.By == agents.SaidCall && it.Large:
		return m.Say(draw.Muted, "its input is too large to be kept here")
	case it.By == agents.SaidCall:
		return m.CopyCall(*it.Call)
	case it.Text != "":
		return m.copyWords("text", it.Text)
	}
	return m.Say(draw.Muted, "there is nothing to copy in this entry")
}

func (m *model) copyWords(what, text string) tea.Cmd {
	if len(text) > copyMost {
		return m.Say(draw.Warn, "too large to copy through the terminal: "+figures.Size(len(text)))
	}
	return tea.Batch(m.Beside(tty.ClipboardSequence(text)), m.Say(draw.OK, "sent the "+what+" to the clipboard ("+figures.Size(len(text))+")"))
}

func (m *model) mouseTranscript(l layout, msg tea.MouseMsg, step int) {
	t := &m.tr
	if step != 0 {
		m.scrollTranscript(step * wheelRows)
		return
	}
	width, _ := m.room()
	row := msg.Y - l.detail.Y - 1
	if row < 0 {
		return
	}
	row += t.offset
	for i := t.top; i < len(t.items); i++ {
		if row -= m.entryHeight(i, width); row < 0 {
			t.at, t.follow = t.items[i].Key, false
			return
		}
	}
}
