package timeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/tui/event"
)

// step is an event about a call, "" for none.
func step(seq int64, kind, call string) *event.Step {
	data := ""
	if kind == broker.EventPostTool {
		data = fmt.Sprintf(`{"tool_name":"Bash","digest":"d","output":"out of %s"}`, call)
	}
	return event.New(story.Moment{Event: broker.Event{Seq: seq, Type: kind, RequestID: call, SessionID: "s", Data: []byte(data)}})
}

// aLogOf draws a log in which calls begin, are decided and end, among other events.
func aLogOf(t *rapid.T) []*event.Step {
	kinds := []string{broker.EventRequestCreated, broker.EventRequestDecided, broker.EventPostTool, broker.EventRanOtherwise, broker.EventUser}
	n := rapid.IntRange(1, 40).Draw(t, "events")
	var list []*event.Step
	for i := range n {
		kind, call := rapid.SampledFrom(kinds).Draw(t, "kind"), ""
		if kind != broker.EventUser {
			call = rapid.SampledFrom([]string{"a", "b", "c", "d", ""}).Draw(t, "call")
		}
		list = append(list, step(int64(i+1), kind, call))
	}
	return list
}

// outline says which events each row has.
func outline(groups [][]*event.Step) string {
	var b strings.Builder
	for _, g := range groups {
		for _, s := range g {
			fmt.Fprint(&b, s.Seq(), " ")
		}
		b.WriteString("| ")
	}
	return b.String()
}

func TestFold(t *testing.T) {
	const asked, decided, ran, alarm, said = broker.EventRequestCreated, broker.EventRequestDecided, broker.EventPostTool, broker.EventRanOtherwise, broker.EventUser
	for name, tc := range map[string]struct {
		events []*event.Step
		want   string
	}{
		"nothing":             {nil, ""},
		"one call":            {[]*event.Step{step(1, asked, "a"), step(2, decided, "a"), step(3, ran, "a")}, "1 2 3 | "},
		"two at a time":       {[]*event.Step{step(1, asked, "a"), step(2, asked, "b"), step(3, decided, "b"), step(4, ran, "b"), step(5, decided, "a")}, "1 5 | 2 3 4 | "},
		"its end alone":       {[]*event.Step{step(7, said, ""), step(8, ran, "a")}, "7 | 8 | "},
		"what is no call":     {[]*event.Step{step(1, said, ""), step(2, said, ""), step(3, ran, "")}, "1 | 2 | 3 | "},
		"an alarm":            {[]*event.Step{step(1, decided, "a"), step(2, alarm, "a"), step(3, ran, "a")}, "1 2 3 | 2 | "},
		"an alarm of nothing": {[]*event.Step{step(1, alarm, ""), step(2, alarm, "a"), step(3, ran, "a")}, "1 | 2 | 3 | "},
	} {
		if got := outline(fold(tc.events)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// Every event stands in one row, an alarm perhaps in two, and rows stand in the order in which they
// began.
func TestFoldLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := aLogOf(t)
		times, last := map[int64]int{}, int64(0)
		for _, g := range fold(log) {
			if g[0].Seq() <= last {
				t.Fatalf("event %d begins a row behind one of event %d", g[0].Seq(), last)
			}
			last = g[0].Seq()
			for i, s := range g {
				times[s.Seq()]++
				if i > 0 && s.Seq() <= g[i-1].Seq() {
					t.Fatalf("event %d stands behind %d", s.Seq(), g[i-1].Seq())
				}
			}
		}
		for _, s := range log {
			if n := times[s.Seq()]; n != 1 && (n != 2 || s.Event.Type != broker.EventRanOtherwise) {
				t.Fatalf("event %d, %s, stands in %d rows", s.Seq(), s.Event.Type, n)
			}
		}
	})
}

// pages cuts a log into pages.
func pages(t *rapid.T, log []*event.Step) [][]*event.Step {
	return slices.Collect(slices.Chunk(log, rapid.IntRange(1, 8).Draw(t, "page")))
}

// The rows are the same however the log was cut into pages, and from whichever end they came.
func TestFoldOfPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := aLogOf(t)
		list := pages(t, log)
		if rapid.Bool().Draw(t, "newest first") {
			slices.Reverse(list)
		}
		for _, words := range [][]string{nil, {"user"}, {"out", "of", "b"}, {"asked", "ran"}} {
			r := &reading{words: words}
			for _, page := range list {
				r.take(page)
				r.refold(r.steps)
			}
			var want [][]*event.Step
			for _, g := range fold(log) {
				if haveAll(words, g) {
					want = append(want, g)
				}
			}
			var got [][]*event.Step
			for _, g := range fold(r.steps) {
				if haveAll(words, g) {
					got = append(got, g)
				}
			}
			if a, b := outline(got), outline(want); a != b {
				t.Fatalf("%q: %s, want %s", words, a, b)
			}
		}
	})
}

// A row stays unfolded when its call goes on, and shows what became of it.
func TestRowGoesOn(t *testing.T) {
	r := &reading{}
	r.take([]*event.Step{step(1, broker.EventRequestCreated, "a"), step(2, broker.EventUser, "")})
	r.refold(r.steps)
	r.rows[0].open = true
	said := r.rows[1]
	r.take([]*event.Step{step(3, broker.EventRequestDecided, "a"), step(4, broker.EventPostTool, "a")})
	r.refold(r.steps)
	if len(r.rows) != 2 || !r.rows[0].open || r.rows[0].n != 3 || r.rows[0].output() != "out of a" {
		t.Errorf("the row is %+v", r.rows[0])
	}
	if r.rows[1] != said {
		t.Error("a row is made anew that did not change")
	}
}

// A sub-agent has one name in all rows, although some events have only its id.
func TestOneNameForASubagent(t *testing.T) {
	s := onLog(t, 0)
	call := func(seq int64, id, data string) *event.Step {
		return event.New(story.Moment{Event: broker.Event{Seq: seq, Type: broker.EventPostTool, RequestID: id, Data: []byte(data)}})
	}
	s.take([]*event.Step{
		call(1, "a", `{"tool_name":"Bash","digest":"d","subagent_id":"a81f"}`),
		call(2, "b", `{"tool_name":"Bash","digest":"d","subagent_id":"a81f","subagent_type":"reviewer"}`),
		call(3, "c", `{"tool_name":"Bash","digest":"d","subagent_id":"b2"}`),
		call(4, "d", `{"tool_name":"Bash","digest":"d"}`),
	})
	s.refold(s.steps)
	s.Board.Sessions["s"] = &broker.Session{ID: "s", Subagents: []broker.Subagent{{ID: "b2", Type: "tester"}}}
	for i, want := range []string{"reviewer", "reviewer", "tester", ""} {
		if got := s.whose(s.rows[i].line); got != want {
			t.Errorf("row %d is of %q, want %q", i, got, want)
		}
	}
}
