package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
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

// wantStory asks what led to the call on the screen, and goes on asking for the end of
// one that may still run.
func (m *model) wantStory() tea.Cmd {
	r := m.storyCall()
	if r == nil || m.stories.asking == r.ID {
		return nil
	}
	s, known := m.stories.known[r.ID]
	if known && (!mayRun(r) || s.Ran != nil || m.At.Sub(m.stories.asked) < storyAgain) {
		return nil
	}
	m.stories.asking, m.stories.asked = r.ID, m.At
	ctx, c, id := m.Ctx, m.console, r.ID
	return func() tea.Msg {
		s, err := c.Story(ctx, id)
		return storyMsg{id: id, story: s, err: err}
	}
}

// mayRun reports whether the call may have an end of its own.
func mayRun(r *broker.Request) bool {
	return r.State == broker.Allowed || r.State == broker.Answered
}

// storyCall is the call on the screen whose story is drawn; nil when there is none.
func (m *model) storyCall() *broker.Request {
	if m.screen != screenPast {
		return m.drawnRequest()
	}
	list := m.past()
	if len(list) == 0 {
		return nil
	}
	return &list[m.pastAt(list)]
}

func (m *model) storyCame(msg storyMsg) {
	if m.stories.asking == msg.id {
		m.stories.asking = ""
	}
	if msg.err != nil { // the call itself is drawn all the same
		msg.story = m.stories.known[msg.id]
	}
	if m.stories.known == nil || len(m.stories.known) >= storiesKept {
		m.stories.known = map[string]story.Story{}
	}
	m.stories.known[msg.id] = msg.story
	m.docs.forget(msg.id)
	for _, unfolded := range []bool{false, true} {
		m.docs.forget(pastID(msg.id, unfolded))
		m.docs.forget("alarm " + pastID(msg.id, unfolded))
	}
}

// pastID is the id under which the decided call id is kept laid out.
func pastID(id string, unfolded bool) string {
	if unfolded {
		return "unfolded " + id
	}
	return "past " + id
}

// stopLines is stopTold for the sessions pane.
func (m *model) stopLines(s *broker.Session, width int, chosen bool) []string {
	if words.StopTold(s) == "" {
		return nil
	}
	lines := make([]string, 0, stopRows)
	for _, text := range [stopRows]string{"each call is refused", "until its user speaks"} {
		if width <= len("until its user speaks") {
			text = strings.NewReplacer(" is", "", "its ", "").Replace(text)
		}
		lines = append(lines, m.Styles.Row(width).Choose(chosen).Put(draw.Text, " ").Fit(draw.Muted, text, width-1).To(width).String())
	}
	return lines
}

// stopRows is how many rows stopLines has, if any.
const stopRows = 2
