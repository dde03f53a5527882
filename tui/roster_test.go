package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// A session that ends is folded away: keys are about no other one then.
func TestSelectedSessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		r := newRig(t, newFake([]broker.Session{
			{ID: "s1", Agent: "claude", Name: "one", State: broker.SessionActive, StartedAt: now},
			{ID: "s2", Agent: "claude", Name: "two", State: broker.SessionActive, StartedAt: now},
			{ID: "s3", Agent: "claude", Name: "three", State: broker.SessionActive, StartedAt: now},
		}), 120, 40)
		r.press("3", "j")
		id := r.m.first().Subject().Session
		if id == "" {
			t.Fatalf("no session is selected:\n%s", r.view())
		}
		ended := r.c.sessions[id]
		ended.State, ended.EndedAt = broker.SessionFinished, now
		r.tellSession(ended)
		r.shows("▌─ 1 ended ─")
		if got := r.m.first().Subject().Session; got != "" {
			t.Errorf("%s ended, and keys are about %s:\n%s", id, got, r.view())
		}
		r.press("s")
		r.shows("select a session first (3)")
	})
}
