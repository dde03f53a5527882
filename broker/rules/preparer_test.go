package rules

import (
	"fmt"
	"testing"
)

// TestPreparer: one *Call for one question, another for whatever differs.
func TestPreparer(t *testing.T) {
	var p Preparer
	q := bashQuestion("go test", "/p")
	first := p.Prepare(q)
	if p.Prepare(q) != first {
		t.Error("the same question was prepared twice")
	}
	for name, change := range map[string]func(*Question){
		"tool": func(q *Question) { q.Tool = "Monitor" }, "input": func(q *Question) { q.Input = []byte(`{"command":"go vet"}`) },
		"agent": func(q *Question) { q.Agent = "codex" }, "session": func(q *Question) { q.SessionID = "s-9" },
		"cwd": func(q *Question) { q.Place.CWD = "/q" }, "project": func(q *Question) { q.Place.Project = "/q" },
		"home": func(q *Question) { q.Place.Home = "/q" }, "trusted": func(q *Question) { q.Trusted = false },
	} {
		other := q
		change(&other)
		if p.Prepare(other) == first {
			t.Errorf("another %s got the same call", name)
		}
	}
	session := func(id string) Question {
		other := q
		other.SessionID = id
		return other
	}
	if ninth := p.Prepare(session("s-9")); ninth != p.Prepare(session("s-9")) || ninth.q.SessionID != "s-9" {
		t.Error("the same question of another session was prepared twice, or for the wrong one")
	}
	for i := range 2*MaxRemembered + 9 {
		p.Prepare(session(fmt.Sprint(i)))
	}
	if n := len(p.known) + len(p.others); n > 2*MaxRemembered {
		t.Errorf("it remembers %d calls", n)
	}
}

// A full memory loses a quarter, and one that is not full loses nothing.
func TestThin(t *testing.T) {
	m := map[int]bool{}
	for i := range MaxRemembered - 1 {
		m[i] = true
	}
	Thin(m)
	if len(m) != MaxRemembered-1 {
		t.Errorf("%d are left of one less than the most", len(m))
	}
	m[MaxRemembered] = true
	Thin(m)
	if len(m) != MaxRemembered*3/4 {
		t.Errorf("%d are left of the most", len(m))
	}
}
