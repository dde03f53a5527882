package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/draw"
)

// transcript is the screen with what was said and done in one session, the newest last.
// Only what is on the screen is laid out: the place is an entry and a row of it.
type transcript struct {
	session string
	from    screen // where esc leads
	tell    story.Conversation
	noFile  string // why the agent's file was not read
	path    string
	unread  int64 // bytes at the file's end that are no whole line yet
	known   bool
	err     error
	gen     int

	asking bool                 // for a part
	due    bool                 // it is time to look again
	want   story.TranscriptPart // to be read anew, "" when what is there is to be gone on with

	items  []*item
	byKey  map[string]int
	all    bool // all are unfolded
	at     string
	follow bool // stay at the end
	reveal bool // bring the selected entry into sight
	top    int  // the entry in the first row, and which row of it
	offset int
	news   int // entries that came at the end while the reader was elsewhere

	find finding
}

// item is an entry and how it is drawn.
type item struct {
	story.Entry

	open  bool
	rows  []string // nil before it was laid out
	width int      // for which rows hold
}

type transcriptMsg struct {
	gen int
	got story.Transcript
	err error
}

func (m *model) openTranscript(id string) tea.Cmd {
	m.tr = transcript{session: id, from: m.screen, gen: m.tr.gen + 1, want: story.NewestPart, follow: true}
	m.screen = screenTranscript
	return nil
}

// settleTranscript keeps the place, and asks for what is missing on the screen and for
// what is new.
func (m *model) settleTranscript() tea.Cmd {
	t := &m.tr
	if m.screen != screenTranscript {
		return nil
	}
	width, height := m.room()
	m.placeTranscript(width, height)
	if t.asking {
		return nil
	}
	part := t.want
	switch {
	case t.err != nil && !t.due:
		return nil
	case part != "":
	case t.find.older && !t.tell.AtStart():
		part = story.EarlierPart
	case !t.tell.AtStart() && m.rowsAbove(width, height) < height:
		part = story.EarlierPart
	case !t.tell.AtEnd() && m.rowsBelow(width, 2*height) < height:
		part = story.LaterPart
	case t.due && t.tell.AtEnd():
		part = story.LaterPart
	default:
		return nil
	}
	if part == story.LaterPart || part == t.want {
		t.due = false
	}
	t.asking = true
	ctx, c, gen, session, have := m.Ctx, m.console, t.gen, t.session, t.tell.Span()
	return func() tea.Msg {
		got, err := c.Transcript(ctx, session, part, have)
		return transcriptMsg{gen: gen, got: got, err: err}
	}
}

func (m *model) transcriptCame(msg transcriptMsg) tea.Cmd {
	t := &m.tr
	if msg.gen != t.gen {
		return nil
	}
	t.asking, t.err, t.known = false, msg.err, true
	if msg.err != nil {
		t.due, t.find.older = false, false // do not ask again before the next tick
		return nil
	}
	t.want = ""
	if t.noFile, t.path = msg.got.NoFile, msg.got.Path; msg.got.Part != story.EarlierPart {
		t.unread = max(0, msg.got.Size-msg.got.Span.To)
	}
	if msg.got.Same {
		t.tell.Add(msg.got)
		return nil
	}
	last := ""
	if n := len(t.items); n > 0 && msg.got.Part == story.LaterPart {
		last = t.items[n-1].Key
	}
	t.tell.Add(msg.got)
	t.took()
	if msg.got.Part == story.OldestPart && len(t.items) > 0 {
		t.at, t.top, t.offset = t.items[0].Key, 0, 0
	}
	if i, ok := t.byKey[last]; ok && !t.follow {
		t.news += len(t.items) - 1 - i
	}
	if msg.got.Anew {
		t.follow, t.find.older, t.news = true, false, 0
		return m.Say(draw.Warn, "the file is another one now: this is its end")
	}
	return m.foundMore()
}

// took takes over the entries as they are now: the layout of those that did not change,
// what is unfolded, and the place.
func (t *transcript) took() {
	topKey := ""
	if t.top < len(t.items) {
		topKey = t.items[t.top].Key
	}
	old, was := t.items, t.byKey
	t.items, t.byKey = make([]*item, len(t.tell.Entries)), make(map[string]int, len(t.tell.Entries))
	for i, e := range t.tell.Entries {
		it := &item{Entry: e, open: t.all}
		if j, ok := was[e.Key]; ok {
			it.open = old[j].open
			if sameEntry(&old[j].Entry, &e) {
				it.rows, it.width = old[j].rows, old[j].width
			}
		}
		t.items[i], t.byKey[e.Key] = it, i
	}
	if i, ok := t.byKey[topKey]; ok {
		t.top = i
	}
}

// sameEntry reports whether two states of an entry are drawn alike.
func sameEntry(a, b *story.Entry) bool {
	if a.By != b.By || a.Text != b.Text || a.Whose != b.Whose || a.OnRecord != b.OnRecord || a.Large != b.Large || a.Retold != b.Retold || (a.InFile == nil) != (b.InFile == nil) || (a.Ran == nil) != (b.Ran == nil) || (a.Call == nil) != (b.Call == nil) {
		return false
	}
	if a.Ran != nil && (a.Ran.Output != b.Ran.Output || a.Ran.Failed != b.Ran.Failed || a.Ran.DurationMS != b.Ran.DurationMS) {
		return false
	}
	return a.Call == nil || a.Call.State == b.Call.State && string(a.Call.ToolInput) == string(b.Call.ToolInput) &&
		(a.Call.Checkpoint == nil) == (b.Call.Checkpoint == nil) && a.Call.Held == b.Call.Held
}

// newsForTranscript looks again at once when something happened in the session.
func (m *model) newsForTranscript(list []broker.Update) {
	for _, u := range list {
		if u.Session != nil && u.Session.ID == m.tr.session || u.Request != nil && u.Request.SessionID == m.tr.session {
			m.tr.due = true
		}
	}
}

// height is how many rows entry i has at a width.
func (m *model) entryHeight(i, width int) int { return len(m.entryRows(i, width)) }

// placeTranscript finds the first row on the screen: the same one as before, whatever was
// added around it, unless it follows the end or an entry is to be brought into sight.
func (m *model) placeTranscript(width, height int) {
	t := &m.tr
	n := len(t.items)
	if n == 0 {
		t.top, t.offset = 0, 0
		return
	}
	if t.follow {
		t.at, t.news, t.reveal = t.items[n-1].Key, 0, false
		m.endAt(n-1, width, height)
		return
	}
	t.top = max(0, min(t.top, n-1))
	t.offset = max(0, min(t.offset, m.entryHeight(t.top, width)-1))
	at, ok := t.byKey[t.at]
	if !ok {
		at, t.at = t.top, t.items[t.top].Key
	}
	if t.reveal {
		m.bring(at, width, height)
		t.reveal = false
	}
	if m.rowsBelow(width, height) < height {
		m.endAt(n-1, width, height)
	}
}

// bring scrolls as little as possible until entry i is on the screen, or its beginning.
func (m *model) bring(i, width, height int) {
	t := &m.tr
	if i < t.top || i == t.top && t.offset > 0 || m.entryHeight(i, width) >= height {
		t.top, t.offset = i, 0
		return
	}
	rows := -t.offset
	for j := t.top; j <= i; j++ {
		if rows += m.entryHeight(j, width); rows > height {
			m.endAt(i, width, height)
			return
		}
	}
}

// endAt puts the last row of entry i at the foot of the screen.
func (m *model) endAt(i, width, height int) {
	t := &m.tr
	rows := 0
	for ; i >= 0; i-- {
		if rows += m.entryHeight(i, width); rows >= height {
			t.top, t.offset = i, rows-height
			return
		}
	}
	t.top, t.offset = 0, 0
}

// rowsBelow counts the rows from the first one on the screen to the end, up to some more
// than most; rowsAbove those before it.
func (m *model) rowsBelow(width, most int) int {
	t := &m.tr
	rows := -t.offset
	for i := t.top; i < len(t.items) && rows <= most; i++ {
		rows += m.entryHeight(i, width)
	}
	return rows
}

func (m *model) rowsAbove(width, most int) int {
	t := &m.tr
	rows := t.offset
	for i := t.top - 1; i >= 0 && rows <= most; i-- {
		rows += m.entryHeight(i, width)
	}
	return rows
}

// scrollTranscript moves by rows; the selection stays on the screen.
func (m *model) scrollTranscript(by int) {
	t := &m.tr
	if len(t.items) == 0 {
		return
	}
	width, height := m.room()
	t.follow = false
	t.offset += by
	for t.offset < 0 && t.top > 0 {
		t.top--
		t.offset += m.entryHeight(t.top, width)
	}
	t.offset = max(0, t.offset)
	for t.top < len(t.items)-1 && t.offset >= m.entryHeight(t.top, width) {
		t.offset -= m.entryHeight(t.top, width)
		t.top++
	}
	if m.rowsBelow(width, height) <= height {
		m.endAt(len(t.items)-1, width, height)
		t.follow = by > 0 && t.tell.AtEnd()
	}
	first, last := m.onScreen(width, height)
	if at := t.byKey[t.at]; at < first || at > last {
		at = first
		if by < 0 {
			at = last
		}
		t.at = t.items[at].Key
	}
}

// onScreen are the first and the last entry of which a row is on the screen.
func (m *model) onScreen(width, height int) (first, last int) {
	t := &m.tr
	rows := -t.offset
	for last = t.top; last < len(t.items)-1; last++ {
		if rows += m.entryHeight(last, width); rows >= height {
			break
		}
	}
	return t.top, last
}
