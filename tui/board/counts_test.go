package board

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// drawnSession is any session that the counts may differ for.
func drawnSession(t *rapid.T) broker.Session {
	is := func(what string) bool { return rapid.Bool().Draw(t, what) }
	s := broker.Session{
		ID:    fmt.Sprint("s", rapid.IntRange(0, 3).Draw(t, "id")),
		State: rapid.SampledFrom([]broker.SessionState{broker.SessionActive, broker.SessionStopped, broker.SessionFinished}).Draw(t, "state"),
	}
	s.Frozen, s.Observed = is("frozen"), is("observed")
	if is("alarm") {
		s.Alarm = &broker.Alarm{At: time.Unix(int64(rapid.IntRange(0, 9).Draw(t, "alarm at")), 0)}
	}
	if is("asks") {
		s.Asks = &broker.Asks{Text: "which one?"}
	}
	return s
}

// drawnRequest is any call that the counts may differ for.
func drawnRequest(t *rapid.T) broker.Request {
	r := tuitest.ToolCall("Bash", map[string]string{"command": "make"})
	r.ID = fmt.Sprint("r", rapid.IntRange(0, 3).Draw(t, "call"))
	r.Held = rapid.SampledFrom([]string{"", "all frozen"}).Draw(t, "held")
	if rapid.Bool().Draw(t, "put off") {
		r.Checkpoint = &broker.Checkpoint{}
	}
	if rapid.Bool().Draw(t, "ended") {
		r.State, r.Outcome = broker.Expired, &broker.Outcome{State: broker.Expired, At: tuitest.Noon}
	}
	return r
}

// TestCountsAreOfNow: whatever changed, the counts that keys and the header go by are those of the
// sessions and calls as they are, also before the sessions are sorted again.
func TestCountsAreOfNow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBoard()
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				b.Reset(broker.Snapshot{Sessions: []broker.Session{drawnSession(t)}, Requests: []broker.Request{drawnRequest(t)}}, tuitest.Noon)
			case 1:
				b.Tidy()
			case 2, 3, 4:
				r := drawnRequest(t)
				b.Apply(broker.Update{Request: &r}, tuitest.Noon)
			default:
				s := drawnSession(t)
				b.Apply(broker.Update{Session: &s}, tuitest.Noon)
			}
			b.compareCounts(t)
		}
	})
}

func (b *Board) compareCounts(t *rapid.T) {
	var living, frozen, observed, alarmed, elsewhere, held int
	for _, s := range b.Sessions {
		living += one(s.Open())
		frozen += one(s.Frozen && !s.State.Ended())
		observed += one(s.Observed && !s.State.Ended())
		alarmed += one(s.Alarm != nil)
	}
	for _, id := range b.Roster {
		elsewhere += one(b.Sessions[id].Asks != nil && !b.Sessions[id].State.Ended())
	}
	for _, c := range b.Waiting {
		held += one(c.Held() && !c.PutOff())
	}
	got := []int{b.Living(), b.FrozenSessions(), b.ObservedSessions(), len(b.Alarmed()), len(b.Elsewhere()), b.HeldCalls()}
	if want := []int{living, frozen, observed, alarmed, elsewhere, held}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("living, frozen, observed, alarmed, elsewhere, held: %v are told of, and there are %v", got, want)
	}
	for _, s := range append(b.Alarmed(), b.Elsewhere()...) {
		if b.Sessions[s.ID] != s {
			t.Fatalf("what is told of %s is not how it is now", s.ID)
		}
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
