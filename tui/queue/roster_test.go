package queue

import (
	"slices"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
)

// TestRosterListsWhatIsThere: the list of sessions is kept between changes, and a key that comes right
// after a change goes by the sessions as they are then.
func TestRosterListsWhatIsThere(t *testing.T) {
	session := func(id string) broker.Session {
		return broker.Session{ID: id, Agent: "claude", Name: id, State: broker.SessionActive, StartedAt: time.Unix(1, 0)}
	}
	b := board.NewBoard()
	b.Reset(broker.Snapshot{Sessions: []broker.Session{session("a"), session("b"), session("c")}}, time.Unix(2, 0))
	x := &roster{Desk: &desk.Desk{Board: b}, muted: func(string) bool { return false }, selected: "a"}
	tell := func(change func(*broker.Session)) func() {
		return func() {
			s := *b.Sessions["b"]
			change(&s)
			b.Apply(broker.Update{Session: &s}, time.Unix(3, 0))
			b.Tidy()
		}
	}
	for _, step := range []struct {
		name   string
		change func()
		want   []entry
	}{
		{"at first", func() {}, []entry{{"a", 1}, {"b", 1}, {"c", 1}}},
		{"one has a sub-agent", tell(func(s *broker.Session) { s.Subagents = []broker.Subagent{{ID: "1", Type: "reviewer"}} }), []entry{{"a", 1}, {"b", 2}, {"c", 1}}},
		{"it ends", tell(func(s *broker.Session) { s.State, s.Subagents = broker.SessionFinished, nil }), []entry{{"a", 1}, {"c", 1}, {fold, 1}}},
		{"ended ones are unfolded", func() { x.unfold(fold) }, []entry{{"a", 1}, {"c", 1}, {fold, 1}, {"b", 1}}},
		{"ended ones are folded", func() { x.unfold(fold) }, []entry{{"a", 1}, {"c", 1}, {fold, 1}}},
		{"one comes", func() {
			s := session("d")
			s.StartedAt = time.Unix(3, 0)
			b.Apply(broker.Update{Session: &s}, time.Unix(3, 0))
			b.Tidy()
		}, []entry{{"d", 1}, {"a", 1}, {"c", 1}, {fold, 1}}},
		{"all are others", func() { b.Reset(broker.Snapshot{Sessions: []broker.Session{session("e")}}, time.Unix(4, 0)) }, []entry{{"e", 1}}},
	} {
		step.change()
		if got := x.list(); !slices.Equal(got, step.want) {
			t.Errorf("%s: listed are %v, want %v", step.name, got, step.want)
		}
	}
}
