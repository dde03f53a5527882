// Package sheet keeps calls laid out. To lay a call out takes time, and every key press draws it
// again: so a sheet is made once for a width, and made anew when something about the call changed.
// The card of a call that waits, and the screen of a decided one, both get theirs here.
//
// With it goes what both need around a call: what led to it and came of it (asked of the broker
// while the call is drawn), and how comparisons are drawn (the view: side by side or not, how many
// unchanged lines), with the keys that change that.
package sheet

import (
	"bytes"
	"context"
	"os"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
)

// Broker tells what led to a call.
type Broker interface {
	Story(ctx context.Context, id string) (story.Story, error)
}

// Sheets are calls laid out.
type Sheets struct {
	*desk.Desk
	broker    Broker
	home      string // the user's folder
	docs      map[drawn]*callview.Doc
	stories   stories
	summaries map[string]callview.Summary // of decided calls, by id
	View      callview.DiffView           // how comparisons are drawn
}

// Key says which sheet it is.
type Key struct {
	ID    string // of the call
	Width int    // cells
	Kind  string // what it is about: a call as it waits, how it ended …
	Form  int    // which state of a question's form; 0 without one
}

// drawn is a sheet's key with what else stands on it.
type drawn struct {
	Key
	code  string // that allows the call
	retry bool   // it lets the next try of a late one pass
}

// kept is how many sheets are kept.
const kept = 16

// New makes an empty heap of sheets.
func New(d *desk.Desk, b Broker) *Sheets {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // folders are drawn whole then
	}
	return &Sheets{Desk: d, broker: b, home: home}
}

// Clear forgets all sheets.
func (s *Sheets) Clear() { s.docs = nil }

// Forget forgets the sheets of one call.
func (s *Sheets) Forget(id string) {
	for k := range s.docs {
		if k.ID == id {
			delete(s.docs, k)
		}
	}
}

// Get is the sheet of that key, made when there is none.
func (s *Sheets) Get(k Key, lay func() *callview.Doc) *callview.Doc {
	key := drawn{Key: k}
	if c := s.Board.Cards[k.ID]; c != nil {
		key.code, key.retry = s.code(c.Req)
	}
	if d, ok := s.docs[key]; ok {
		return d
	}
	if s.docs == nil || len(s.docs) >= kept {
		s.docs = map[drawn]*callview.Doc{}
	}
	d := lay()
	s.docs[key] = d
	return d
}

// code is what allows a dangerous call on its card, and whether it lets the next try of a late one
// pass. Another input of the same call has another code, and a call that cannot be allowed now has none.
func (s *Sheets) code(r broker.Request) (code string, retry bool) {
	c := s.Board.Cards[r.ID]
	if c == nil || c.Held() || s.Board.MachineOf(c).Out() || !bytes.Equal(c.Req.ToolInput, r.ToolInput) {
		return "", false
	}
	return c.Code, c.Late()
}

// Around gathers what a call is drawn with beyond itself.
func (s *Sheets) Around(r broker.Request) callview.Around {
	session := s.Board.Sessions[r.SessionID]
	if session != nil && s.Board.InOneProcess(session) {
		alone := *session
		alone.Pane = "" // it may be another session's
		session = &alone
	}
	a := callview.Around{
		Session: session, Label: s.Board.Label(r.SessionID), Loc: s.At.Location(),
		View: s.View, Story: s.stories.known[r.ID], Home: s.home, Framed: true,
	}
	a.Code, a.Retry = s.code(r)
	if r.State == broker.Pending && r.Assessment != nil && s.rulesAllow(session) {
		a.Off = s.Book.SwitchedOff(r.Assessment.Off, s.At, s.Called)
	}
	return a
}

// rulesAllow reports whether rules may allow calls of a session now. A call that waits was judged before
// an alarm, or before the log came into doubt.
func (s *Sheets) rulesAllow(session *broker.Session) bool {
	h := s.Board.Health
	return h.LogBroken == "" && h.LogUnread == "" && h.StoreErr == "" && (session == nil || session.Alarm == nil)
}

// Story is what is known of what led to a call, and of what came of it.
func (s *Sheets) Story(id string) story.Story { return s.stories.known[id] }

// Update takes what the broker tells.
func (s *Sheets) Update(msg tea.Msg) {
	if msg, ok := msg.(storyMsg); ok {
		s.came(msg)
	}
}
