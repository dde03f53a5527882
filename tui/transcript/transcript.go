// Package transcript is the screen with what was said and done in one session, the
// newest last: what its agent wrote down, beside what is on record of it. The two come
// together in a story.Conversation; where the agent's file cannot be read, the record
// tells alone.
//
// The broker hands it out in parts. The screen asks for the newest one when it is
// opened, for others when somebody looks there or searches, and for what is new each
// second and whenever something happened in the session (reading.go). An answer to an
// older question has another number and does not count.
//
// A transcript may be long, so only what is on the screen is laid out. The place is an
// entry and a row of it, not a number of rows: what comes above or below does not move
// the reader. Who is at the end follows it (entries.go). How an entry is drawn is in
// entry.go, the search in find.go.
//
// All of it is text of agents and tools. It is drawn through packages that make it
// safe, and the record decides what is said of a call: a file that tells of another
// call or of another verdict is shown beside it, as a warning.
//
// Nothing is decided here. A call that waits leads to its card. Open transcript.go
// first, then reading.go.
package transcript

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/desk"
)

// Broker is what the screen needs of it: a part of a session's transcript. have is
// what the screen has already; the answer says when it does not fit that any more. It
// reads files and may take time, so it is called in a command. An error says why
// nothing can be shown, and nothing that was read is lost by it.
type Broker interface {
	Transcript(ctx context.Context, sessionID string, part story.TranscriptPart, have story.TranscriptSpan) (story.Transcript, error)
}

// Screen is the transcript of one session. The parts that it embeds are made anew at
// each opening.
type Screen struct {
	*desk.Desk
	broker Broker
	reading
	list entries
	find finding
}

// New makes the screen.
func New(d *desk.Desk, b Broker) *Screen { return &Screen{Desk: d, broker: b} }

// Opens shows the transcript of a session, at its end. Nothing of another one stays.
func (t *Screen) Opens(on desk.Subject) tea.Cmd {
	// Answers for the session that was shown before have another number.
	t.reading = reading{session: on.Session, gen: t.gen + 1, want: story.NewestPart}
	t.list = entries{paint: painter{t.Desk}, follow: true}
	t.find = finding{}
	return nil
}

// Subject is the session. Speaks says that a message can be written to it from here.
func (t *Screen) Subject() desk.Subject { return desk.Subject{Session: t.session, Speaks: true} }

// Update takes parts of the transcript, news and the mouse.
func (t *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case partMsg:
		return t.came(msg)
	case desk.Settle:
		return t.settle()
	case desk.News:
		t.heard(msg.List)
	case desk.Tick:
		t.due = true
	case tea.MouseMsg:
		t.mouse(msg)
	}
	return nil
}
