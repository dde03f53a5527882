package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// A call that ran otherwise than it was allowed is told at once, over everything else,
// until the operator has said that it was seen.
func TestAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		s := r.c.sessions["s1"]
		s.Alarm = &broker.Alarm{Kind: broker.RanChanged, SessionID: "s1", ToolName: "Ba\x1bsh", At: time.Now(), Ran: []byte(`{"command":"x"}`)}
		r.c.mu.Lock()
		r.c.sessions["s1"] = s
		for _, w := range r.c.watches {
			w <- broker.Update{Session: &s}
		}
		r.c.mu.Unlock()
		r.wait(time.Second)
		if !strings.Contains(r.view(), `Ba\x1bsh in api: what ran was not what was allowed`) {
			t.Errorf("no banner:\n%s", r.view())
		}
		r.press("!", "n")
		r.shows("what ran was not what was allowed")
		r.press("!")
		r.shows("let rules allow in api again")
		r.press("y")
		if strings.Contains(r.view(), "what ran was not") || r.c.sessions["s1"].Alarm != nil {
			t.Errorf("the alarm is still there:\n%s", r.view())
		}
		r.press("!")
		r.shows("there is no alarm")
	})
}

// An allow that came when nobody was waiting any more is told, and its row is no plain one.
func TestUnheardAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		past := settled(bash("h1", "s1", time.Now().Add(-time.Minute), "echo hi"), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", time.Now())
		past.Unheard = true
		r.c.history = []broker.Request{past}
		r.c.publish(past)
		r.wait(time.Second)
		r.shows("was allowed by you, but nobody was waiting any more")
		r.press("h")
		r.shows("- $ echo hi")
		r.press("enter")
		r.shows("but nobody was waiting any more")
	})
}

// The card of such a call says in the history what ran instead.
func TestAlarmInHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		past := settled(bash("h1", "s1", time.Now().Add(-time.Minute), "echo hi"), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", time.Now())
		past.Alarm = &broker.Alarm{Kind: broker.RanChanged, SessionID: "s1", RequestID: "h1", ToolName: "Bash", At: time.Now(), Ran: []byte(`{"command":"echo rewritten"}`)}
		r.c.history = []broker.Request{past}
		r.press("h")
		r.shows("!")
		r.press("enter")
		r.shows("what ran was not what was allowed")
		r.shows("echo rewritten")
		r.shows("echo hi")
	})
}
