package sheet

import (
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	tea "github.com/charmbracelet/bubbletea"
)

const (
	storiesKept = 64
	storyAgain  = time.Second // how often one is asked for again whose call may still run
)

// storyMsg brings what led to a call, and what came of it.
type storyMsg struct {
	id    string
	story story.Story
	err   error
}

// stories are what is known of what led to calls, by request.
type stories struct {
	known  map[string]story.Story
	asking string // id; one at a time is enough for one screen
	asked  time.Time
}

// Want asks what led to call r, nil for none, which is drawn, and goes on asking for the end of one
// that may still run.
func (s *Sheets) Want(r *broker.Request) tea.Cmd {
	if r == nil || s.stories.asking == r.ID {
		return nil
	}
	told, known := s.stories.known[r.ID]
	if known && (!mayRun(r) || told.Ran != nil || s.At.Sub(s.stories.asked) < storyAgain) {
		return nil
	}
	s.stories.asking, s.stories.asked = r.ID, s.At
	ctx, c, id := s.Ctx, s.broker, r.ID
	return func() tea.Msg {
		told, err := c.Story(ctx, id)
		return storyMsg{id: id, story: told, err: err}
	}
}

// mayRun reports whether the call may have an end of its own.
func mayRun(r *broker.Request) bool {
	return r.State == broker.Allowed || r.State == broker.Answered
}

func (s *Sheets) came(msg storyMsg) {
	if s.stories.asking == msg.id {
		s.stories.asking = ""
	}
	told := msg.story
	if msg.err != nil { // the call itself is drawn all the same
		told = s.stories.known[msg.id]
	}
	s.Told(msg.id, told)
}

// Told takes in what led to a call.
func (s *Sheets) Told(id string, told story.Story) {
	if s.stories.known == nil || len(s.stories.known) >= storiesKept {
		s.stories.known = map[string]story.Story{}
	}
	s.stories.known[id] = told
	s.Forget(id)
}
