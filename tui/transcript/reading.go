package transcript

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/draw"
)

// reading is what is read of a session's transcript, and what is asked for. At most
// one question is under way. One that is no longer wanted is not stopped; its answer
// has an old number.
type reading struct {
	session string
	tell    story.Conversation
	noFile  string // why the agent's file was not read
	path    string
	unread  int64 // bytes at the file's end that are no whole line yet
	known   bool
	err     error

	gen    int                  // of what is asked for
	asking bool                 // for a part
	due    bool                 // it is time to look again
	want   story.TranscriptPart // to be read anew, "" when what is there is to be gone on with
}

// partMsg brings a part of a transcript; gen is the number of the question.
type partMsg struct {
	gen int
	got story.Transcript
	err error
}

// settle keeps the place, and asks for what is missing on the screen and for what is
// new.
func (t *Screen) settle() tea.Cmd {
	t.list.settle(t.Inner())
	part := t.nextPart()
	if part == "" {
		return nil
	}
	// A look for what is new has been made now; others do not count for that.
	if part == story.LaterPart || part == t.want {
		t.due = false
	}
	t.asking = true
	ctx, c, gen, session, have := t.Ctx, t.broker, t.gen, t.session, t.tell.Span()
	return func() tea.Msg {
		got, err := c.Transcript(ctx, session, part, have)
		return partMsg{gen: gen, got: got, err: err}
	}
}

// nextPart is the part to ask for next, "" when there is none. After an error it waits for the
// next tick, so that a file that cannot be read is not asked for with every frame.
func (t *Screen) nextPart() story.TranscriptPart {
	height := t.list.height
	switch {
	case t.asking, t.err != nil && !t.due:
		return ""
	case t.want != "":
		return t.want
	case t.find.older && !t.tell.AtStart():
		return story.EarlierPart
	// A screenful more than is shown is kept ready above.
	case !t.tell.AtStart() && t.list.above(height) < height:
		return story.EarlierPart
	case !t.tell.AtEnd() && t.list.below(2*height) < height:
		return story.LaterPart
	case t.due && t.tell.AtEnd():
		return story.LaterPart
	}
	return ""
}

// came takes a part that was asked for. What an older question brought is dropped.
func (t *Screen) came(msg partMsg) tea.Cmd {
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
		// The span grows even when there is nothing new: it says up to where the file
		// was read.
		t.tell.Add(msg.got)
		return nil
	}
	return t.grew(msg.got)
}

// grew takes the entries of a part that has some. It counts what came at the end while
// the reader was elsewhere, and says when the file is no longer the one that was read.
func (t *Screen) grew(got story.Transcript) tea.Cmd {
	l := &t.list
	last := ""
	if n := len(l.items); n > 0 && got.Part == story.LaterPart {
		last = l.items[n-1].Key
	}
	t.tell.Add(got)
	l.take(t.tell.Entries)
	if got.Part == story.OldestPart && len(l.items) > 0 {
		l.at, l.top, l.offset = l.items[0].Key, 0, 0
	}
	if i, ok := l.byKey[last]; ok && !l.follow {
		l.news += len(l.items) - 1 - i
	}
	// An agent may start its file anew, as after a compaction. What was read then is
	// of another file.
	if got.Anew {
		l.follow, t.find.older, l.news = true, false, 0
		return t.Say(draw.Warn, "the file is another one now: this is its end")
	}
	return t.foundMore()
}

// heard looks again at once when something happened in the session.
func (t *Screen) heard(list []broker.Update) {
	for _, u := range list {
		if u.Session != nil && u.Session.ID == t.session || u.Request != nil && u.Request.SessionID == t.session {
			t.due = true
		}
	}
}

// toStart goes to the beginning; what is between is read when it is looked at.
func (t *Screen) toStart() {
	if !t.tell.AtStart() {
		t.readAnew(story.OldestPart)
	}
	t.list.toTop(t.tell.AtStart())
}

// toEnd goes to the end, and follows it.
func (t *Screen) toEnd() {
	t.list.follow = true
	if !t.tell.AtEnd() {
		t.readAnew(story.NewestPart)
	}
}

// readAnew asks for a part that need not be next to what is there.
func (t *Screen) readAnew(part story.TranscriptPart) {
	t.want = part
	t.gen++ // what is under way is of no use
	t.asking = false
}
