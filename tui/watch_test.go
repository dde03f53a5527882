package tui

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// edited is an edit that was allowed so many seconds before noon.
func edited(id, session, path string, age int, old, fresh string) broker.Request {
	r := tuitest.NewCall(id, session, "Edit", seconds(age+5), map[string]any{"file_path": path, "old_string": old, "new_string": fresh})
	return settled(r, broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", seconds(age))
}

// The newest file stands first, an edit of more than an hour ago is gone, and one that was denied
// touched nothing.
func TestGoldenWatch(t *testing.T) {
	denied := edited("w4", "s1", home+"/secret.go", 30, "a\n", "b\n")
	denied.State, denied.Outcome.State = broker.Denied, broker.Denied
	past := []broker.Request{
		edited("w1", "s1", home+"/internal/http/server.go", 20, "a\nb\n", "a\nB\nc\n"), denied,
		edited("w2", "s2", "/srv/docs/index\x1b[2J.md", 60, "x\n", "y\n"),
		edited("w3", "s1", home+"/internal/http/server.go", 200, "one\n", "two\n"),
		edited("w5", "s1", home+"/old.go", 3700, "one\n", "two\n"),
		settled(bash("w6", "s1", seconds(50), "touch x"), broker.Allowed, broker.Actor{Kind: broker.ByOperator}, "", seconds(40)),
	}
	goldenAt(t, "watch", fourSizes, func(width, height int) *still {
		s := newStill(t, broker.Snapshot{Sessions: someSessions()}, past, termenv.Ascii)
		s.draw(width, height, "w")
		s.told()
		s.pass(tuitest.Noon.Sub(s.at))
		return s
	})
	s := newStill(t, broker.Snapshot{Sessions: someSessions()}, past, termenv.Ascii)
	s.draw(100, 30, "w")
	s.told()
	if view := s.draw(100, 30, "j", "enter"); !strings.Contains(view, "index") || !strings.Contains(view, "this call was allowed by you") {
		t.Errorf("enter does not show the call:\n%s", view)
	}
	s.draw(100, 30, "esc")
	next := edited("w7", "s1", home+"/new.go", 1, "one\n", "two\n")
	s.m.Update(updatesMsg{gen: 1, list: []broker.Update{{Request: &next}}})
	if rows := strings.Split(s.draw(100, 30), "\n"); !strings.Contains(rows[2], "new.go") {
		t.Errorf("what was allowed meanwhile does not stand first:\n%s", strings.Join(rows, "\n"))
	}
}
