package board

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/sessionnames"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

// session takes in the whole new value of a session. The list is sorted again later,
// and only when something changed that it is sorted by.
func (b *Board) session(s broker.Session) {
	old := b.Sessions[s.ID]
	b.Sessions[s.ID] = &s
	b.changed()
	if old == nil || old.Name != s.Name || old.Machine != s.Machine || rank(old) != rank(&s) || old.Ended() != s.Ended() {
		b.unsorted = true
	}
}

// Renames reports whether s changes what the console tells of a call's origin.
func (b *Board) Renames(s broker.Session) bool {
	old := b.Sessions[s.ID]
	return old == nil || old.Name != s.Name || old.Pane != s.Pane || old.ProjectDir != s.ProjectDir
}

// Tidy sorts the sessions again when a change asks for it: once for many changes.
func (b *Board) Tidy() {
	if b.unsorted {
		b.reroster()
	}
}

// reroster sorts the sessions, living ones first, and names them. Names are made over
// all sessions of a machine, as two of one folder are told apart; they are safe to draw
// from here on.
func (b *Board) reroster() {
	b.unsorted = false
	b.changed()
	b.Roster = make([]string, 0, len(b.Sessions))
	for _, s := range slices.SortedFunc(maps.Values(b.Sessions), compareSessions) {
		b.Roster = append(b.Roster, s.ID)
	}
	b.labels = make(map[string]string, len(b.Sessions))
	for machine, list := range byMachine(b) {
		for id, label := range sessionnames.Labels(slices.Values(list)) {
			b.labels[id] = b.Fleet.Lead(machine) + draw.SafeLine(label)
		}
	}
}

// rank sorts sessions by how much they may still do.
func rank(s *broker.Session) int {
	switch s.State {
	case broker.SessionStopping:
		return 1
	case broker.SessionStopped:
		return 2
	case broker.SessionFinished, broker.SessionGone:
		return 3
	case broker.SessionActive, broker.SessionIdle:
	}
	return 0
}

// compareSessions puts running sessions first, and among equals the newest. The id
// makes the order the same each time.
func compareSessions(x, y *broker.Session) int {
	return cmp.Or(
		cmp.Compare(rank(x), rank(y)),
		y.EndedAt.Compare(x.EndedAt),
		y.StartedAt.Compare(x.StartedAt),
		cmp.Compare(x.ID, y.ID),
	)
}

// Held reports whether aoctl holds the session with this id by both ends.
func (b *Board) Held(id string) bool { return b.Sessions[id] != nil && b.Sessions[id].Run != nil }

// Label is what the session with this id is called on the screen, safe to draw. One
// that is not known goes by the end of its id.
func (b *Board) Label(id string) string {
	if l, ok := b.labels[id]; ok {
		return l
	}
	return draw.SafeLine(draw.LastOf(id, 8))
}

// Folder is the folder of the project that a session works in: what the session told of it, else where
// the call or the session is, unless that is the model's choice.
func (b *Board) Folder(session string, call *broker.Request) string {
	var s broker.Session
	if known := b.Sessions[session]; known != nil {
		s = *known
	}
	at := broker.Request{Agent: s.Agent, CWD: s.CWD}
	if call != nil {
		at = *call
	}
	return cmp.Or(s.ProjectDir, broker.FolderOf(at))
}

// LabelWith is what session s is called, also before it is listed, for drawing.
func (b *Board) LabelWith(s broker.Session) string {
	if b.Sessions[s.ID] != nil {
		return b.Label(s.ID)
	}
	all := append(byMachine(b)[s.Machine], &s)
	return b.Fleet.Lead(s.Machine) + draw.SafeLine(sessionnames.Labels(slices.Values(all))[s.ID])
}

// Status is the word for a session's state, and the moment since when.
func (b *Board) Status(s *broker.Session) (word string, since time.Time) {
	return StatusOf(s, b.Pending[s.ID])
}

// StatusOf is Status of a session of which so many calls wait.
func StatusOf(s *broker.Session, waiting int) (word string, since time.Time) {
	now := *s
	now.Pending = waiting
	word = draw.SafeLine(now.Word())
	switch {
	case s.State.UnderStop():
		return word, s.StopAskedAt
	case s.Over():
		return word, s.EndedAt
	case now.Pending > 0:
		return figures.Count(now.Pending) + " waiting", s.StartedAt
	case s.Asks != nil:
		return word, s.Asks.At
	case s.Run != nil:
		return word, turnSince(s)
	case s.State == broker.SessionIdle:
		return word, s.LastSeenAt
	}
	return word, s.StartedAt
}

// turnSince is since when, as far as that is known; else since when there is the
// session.
func turnSince(s *broker.Session) time.Time {
	switch s.Run.Turn {
	case broker.TurnStarting:
		return cmp.Or(s.Run.StartedAt, s.StartedAt)
	case broker.TurnIdle, broker.TurnDeferred, broker.TurnEnded:
		return cmp.Or(s.LastSeenAt, s.StartedAt)
	case broker.TurnWorking:
	}
	return s.StartedAt
}

// Answered reports whether s is deferred with no call left to decide: its agent hears the answers once
// s is resumed. What aoctl manages it resumes itself.
func (b *Board) Answered(s *broker.Session) bool {
	if s.Deferred == 0 || s.Run != nil {
		return false
	}
	off := b.Waiting[len(b.Waiting)-b.Waiting.PutOff():]
	return !slices.ContainsFunc(off, func(c *Card) bool { return c.Req.SessionID == s.ID })
}

// PutOffState is the word for a session whose call is put off.
const PutOffState = broker.WordPutOff
