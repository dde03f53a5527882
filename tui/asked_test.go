package tui

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

// prompt adds what a session's user, or its agent, said.
func (f *fakeConsole) prompt(session, text string, fromAgent bool) {
	f.storyMu.Lock()
	defer f.storyMu.Unlock()
	data, _ := json.Marshal(story.UserData{Text: text, FromAgent: fromAgent})
	seq := int64(len(f.moments) + 1)
	f.moments = append(f.moments, story.Moment{Event: broker.Event{Seq: seq, Type: broker.EventUser, SessionID: session, Data: data}})
}

// The row of the selected session says what its user asked last; a later prompt takes its place, and
// what the agent says to itself does not.
func TestSelectedSessionSaysWhatWasAsked(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		synctest.Test(t, func(t *testing.T) {
			one := broker.Session{ID: "s1", Name: "api", Agent: "claude", State: broker.SessionActive, StartedAt: time.Now(), LastSeenAt: time.Now()}
			two := one
			two.ID, two.Name = "s2", "web"
			c := newFake([]broker.Session{one, two})
			c.prompt("s1", "\n fix\x1b[2J the tests\nand then clean up", false)
			c.prompt("s1", "<task-notification>x</task-notification>", true)
			c.prompt("s2", "write docs", false)
			g := newRig(t, c, width, 24)
			g.press("3")
			g.shows(`fix\x1b[2J the`)
			for _, other := range []string{"write docs", "clean up"} {
				if strings.Contains(g.view(), other) {
					t.Errorf("the screen has %q:\n%s", other, g.view())
				}
			}
			c.prompt("s1", "now the linter", false)
			c.tell(one)
			g.wait(3 * time.Second)
			g.shows("now the linter")
			g.press("j")
			g.shows("write docs")
		})
	}
}

// tell tells the watchers of a session.
func (f *fakeConsole) tell(s broker.Session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions[s.ID] = s
	for _, w := range f.watches {
		w <- broker.Update{Session: &s}
	}
}
