package board

import (
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/sessionnames"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// TestLateOnceRecorded: a call that ended without an answer may be allowed late once that is on
// record, and not before.
func TestLateOnceRecorded(t *testing.T) {
	b := NewBoard()
	r := tuitest.ToolCall("Bash", map[string]string{"command": "make"})
	b.Request(r, tuitest.Noon)
	r.State, r.Outcome, r.Unrecorded = broker.Expired, &broker.Outcome{State: broker.Expired, At: tuitest.Noon}, true
	if b.Request(r, tuitest.Noon); b.Rows() != 0 {
		t.Error("it is listed while its end is not on record")
	}
	r.Unrecorded = false
	if b.Request(r, tuitest.Noon); b.Rows() != 1 || !b.Row(0).Late() {
		t.Errorf("%d rows once its end is on record", b.Rows())
	}
}

// TestStill: a key that was pressed for a card acts on that card, and on no other that has come
// in its place.
func TestStill(t *testing.T) {
	b := NewBoard()
	first := tuitest.ToolCall("Bash", map[string]string{"command": "make"})
	b.Request(first, tuitest.Noon)
	drawn := b.Cards[first.ID].Key()
	if c := b.Still(drawn); c == nil || c != b.Cards[first.ID] {
		t.Fatal("the card that was drawn is not the one that is there")
	}
	late := first
	late.State, late.Outcome = broker.Expired, &broker.Outcome{State: broker.Expired, At: tuitest.Noon}
	other := first
	other.Digest = "of another call"
	for name, r := range map[string]broker.Request{"it is late": late, "its call is another one": other} {
		b.Request(r, tuitest.Noon)
		if b.Cards[r.ID] == nil || b.Still(drawn) != nil {
			t.Errorf("%s, and a key for the old one acts on it", name)
		}
		b.Request(first, tuitest.Noon)
	}
	b.Drop(b.Cards[first.ID])
	if b.Still(drawn) != nil {
		t.Error("a key acts on a card that is gone")
	}
}

// TestLabelIsWhatTheCommandLineTakes: what the screen calls a session finds it there.
func TestLabelIsWhatTheCommandLineTakes(t *testing.T) {
	list := []broker.Session{
		{ID: "0197aaaa-7185", Name: "shop", State: broker.SessionActive},
		{ID: "0197bbbb-4444", Name: "shop", State: broker.SessionActive},
		{ID: "0196cccc-9999", Name: "shop", State: broker.SessionFinished},
	}
	b := NewBoard()
	b.Reset(broker.Snapshot{Sessions: list}, time.Unix(0, 0))
	if got := b.Label("0197aaaa-7185"); got != "shop-7185" {
		t.Errorf("the screen calls it %q", got)
	}
	for _, s := range list {
		if found := sessionnames.Pick(list, b.Label(s.ID), sessionnames.Alive, sessionnames.Any); len(found) != 1 || found[0].ID != s.ID {
			t.Errorf("%q on the screen means %v", b.Label(s.ID), found)
		}
	}
}

// TestLabelOfTheLastOne: when the other session of a name ends, the living one has the name
// for itself; also when it had been stopped before.
func TestLabelOfTheLastOne(t *testing.T) {
	stopped := broker.Session{ID: "0197bbbb-4444", Name: "shop", State: broker.SessionStopped}
	b := NewBoard()
	b.Reset(broker.Snapshot{Sessions: []broker.Session{{ID: "0197aaaa-7185", Name: "shop", State: broker.SessionActive}, stopped}}, time.Unix(0, 0))
	stopped.EndedAt = time.Unix(1, 0)
	b.Apply(broker.Update{Session: &stopped}, time.Unix(1, 0))
	b.Tidy()
	if got := b.Label("0197aaaa-7185"); got != "shop" {
		t.Errorf("the screen calls it %q", got)
	}
}

// TestSessionsKeepTheirPlace: a session that works, asks or falls idle stays where it is listed; one
// that is stopped or ends goes below those that live.
func TestSessionsKeepTheirPlace(t *testing.T) {
	session := func(id string, began int64) broker.Session {
		return broker.Session{ID: id, Name: id, State: broker.SessionActive, StartedAt: time.Unix(began, 0)}
	}
	b := NewBoard()
	b.Reset(broker.Snapshot{Sessions: []broker.Session{session("a", 3), session("b", 2), session("c", 1)}}, time.Unix(9, 0))
	for _, tc := range []struct {
		name   string
		change func(*broker.Session)
		want   string
	}{
		{"it is heard of", func(s *broker.Session) { s.LastSeenAt = time.Unix(99, 0) }, "abc"},
		{"it falls idle", func(s *broker.Session) { s.State = broker.SessionIdle }, "abc"},
		{"its calls wait", func(s *broker.Session) { s.State, s.Pending = broker.SessionActive, 7 }, "abc"},
		{"it is frozen", func(s *broker.Session) { s.Frozen = true }, "abc"},
		{"it is called otherwise", func(s *broker.Session) { s.Name = "0" }, "abc"},
		{"it is stopped", func(s *broker.Session) { s.State = broker.SessionStopped }, "acb"},
	} {
		s := *b.Sessions["b"]
		tc.change(&s)
		b.Apply(broker.Update{Session: &s}, time.Unix(100, 0))
		b.Tidy()
		if got := strings.Join(b.Roster, ""); got != tc.want {
			t.Errorf("%s: listed are %s, want %s", tc.name, got, tc.want)
		}
	}
}
