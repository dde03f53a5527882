package brokertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// list is everything that a listing method returns for filter; it ends the test on an error.
func list[T, F any](t *testing.T, f func(context.Context, F) ([]T, error), filter F) []T {
	t.Helper()
	all, err := f(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sessions tries that a session is written as a whole: what a later row leaves empty is empty.
func (k keeper) sessions() {
	t, s := k.t, k.s
	a, b := NewSession("a"), NewSession("b")
	// The order is by when they were last heard of, not by when they began.
	b.LastSeenAt = Epoch.Add(time.Minute)
	commit(t, s, &broker.Change{Sessions: []broker.Session{a, b}})
	same(t, "newest first", list(t, s.Sessions, broker.SessionFilter{}), []broker.Session{b, a})

	code := 130
	a.State, a.ExitCode, a.EndReason, a.Subagents = broker.SessionFinished, &code, "stopped_by_user", nil
	// The same session later: it was stopped, and everything that changes with that changes.
	a.StopAskedAt, a.EndedAt, a.LastSeenAt = Epoch.Add(time.Hour), Epoch.Add(2*time.Hour), Epoch.Add(2*time.Hour)
	// A running broker hands over its own value, with fields that only it knows.
	written := a
	written.Pending, written.TurnOver = 7, true // known while running, never stored
	commit(t, s, &broker.Change{Sessions: []broker.Session{written}})
	same(t, "written over", list(t, s.Sessions, broker.SessionFilter{}), []broker.Session{a, b})
	same(t, "by id", list(t, s.Sessions, broker.SessionFilter{ID: "b"}), []broker.Session{b})
	same(t, "limited", list(t, s.Sessions, broker.SessionFilter{Limit: 1}), []broker.Session{a})
	if got := list(t, s.Sessions, broker.SessionFilter{ID: "nobody"}); len(got) != 0 {
		t.Errorf("unknown session: %v", got)
	}
}

// requests tries each field of a broker.RequestFilter, alone and with others, and the order of
// its lists. Screens and commands page through them, so the order must be the same in every
// store.
func (k keeper) requests() {
	t, s := k.t, k.s
	// r0 … r5, a minute apart; r1, r3 and r5 of session b; r0 to r3 end, in the order
	// r2, r0, r3, r1.
	for i := range 6 {
		r := PendingRequest(fmt.Sprint("r", i), "ab"[i%2:i%2+1])
		r.CreatedAt = Epoch.Add(time.Duration(i) * time.Minute)
		commit(t, s, Asked(r))
	}
	// Every second one is allowed, so state and order are told apart.
	for i, id := range []string{"r2", "r0", "r3", "r1"} {
		// They end in another order than they were asked in, to tell the two orders apart.
		o := Outcome([]broker.State{broker.Denied, broker.Allowed}[i%2])
		o.At = Epoch.Add(time.Hour + time.Duration(i)*time.Minute)
		commit(t, s, Ended(request(t, s, id), o))
	}
	// Decisions begin an hour after the questions, so no filter can mix up the two.
	hour := Epoch.Add(time.Hour)
	// The expected ids are in the order of the list, each followed by a blank.
	for _, tt := range []struct {
		name   string
		filter broker.RequestFilter
		want   string
	}{
		{"all", broker.RequestFilter{}, "r5 r4 r3 r2 r1 r0 "},
		{"pending", broker.RequestFilter{State: broker.Pending}, "r5 r4 "},
		{"allowed", broker.RequestFilter{State: broker.Allowed}, "r1 r0 "},
		{"of a session", broker.RequestFilter{SessionID: "b"}, "r5 r3 r1 "},
		{"pending of a session", broker.RequestFilter{SessionID: "b", State: broker.Pending}, "r5 "},
		{"of an id's beginning", broker.RequestFilter{Begins: "r1"}, "r1 "},
		{"of all ids' beginning", broker.RequestFilter{Begins: "r", Decided: true}, "r1 r3 r0 r2 "},
		{"decided", broker.RequestFilter{Decided: true}, "r1 r3 r0 r2 "},
		{"decided of a session", broker.RequestFilter{Decided: true, SessionID: "a"}, "r0 r2 "},
		{"decided and allowed", broker.RequestFilter{Decided: true, State: broker.Allowed}, "r1 r0 "},
		{"decided and pending", broker.RequestFilter{Decided: true, State: broker.Pending}, ""},
		{"made since", broker.RequestFilter{Since: Epoch.Add(3 * time.Minute)}, "r5 r4 r3 "},
		{"decided since", broker.RequestFilter{Decided: true, Since: hour.Add(2 * time.Minute)}, "r1 r3 "},
		{"of these ids", broker.RequestFilter{IDs: []string{"r4", "r9", "r1"}}, "r4 r1 "},
		{"of no ids", broker.RequestFilter{IDs: []string{}}, ""},
		{"limited", broker.RequestFilter{Limit: 2}, "r5 r4 "},
		// The limit counts from the newest decision.
		{"decided, limited", broker.RequestFilter{Decided: true, Limit: 3}, "r1 r3 r0 "},
		// A list has one request at least, however small the limit of bytes is.
		{"up to a byte", broker.RequestFilter{MaxBytes: 1}, "r5 "},
		{"up to the second input", broker.RequestFilter{MaxBytes: len(PendingRequest("r", "a").ToolInput) + 1}, "r5 r4 "},
		{"up to many bytes", broker.RequestFilter{MaxBytes: 1 << 20, Decided: true}, "r1 r3 r0 r2 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, r := range list(t, s.Requests, tt.filter) {
				got += r.ID + " "
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	// Two calls end without a person's answer: these are late.
	for id, state := range map[string]broker.State{"r4": broker.Expired, "r5": broker.Cancelled} {
		commit(t, s, Ended(request(t, s, id), Outcome(state)))
	}
	// Only calls that ended without an answer are late; allowed and denied ones never are.
	late := func() (ids string) {
		for _, r := range list(t, s.Requests, broker.RequestFilter{Late: true, Decided: true}) {
			ids += r.ID + " "
		}
		return ids
	}
	if got := late(); got != "r5 r4 " {
		t.Errorf("late are %q, want r5 r4", got)
	}
	// Once a grant is made for it, a late call was answered and is late no more.
	commit(t, s, Granted(NewGrant("g", request(t, s, "r4"))))
	if got := late(); got != "r5 " {
		t.Errorf("after a grant late are %q, want r5", got)
	}
	// A list tells as much of a request as reading it alone does.
	same(t, "a listed request", list(t, s.Requests, broker.RequestFilter{Decided: true, Limit: 1})[0], request(t, s, "r1"))
}

// events tries each field of a broker.EventFilter. Data comes back with the bytes that it had,
// blanks included, since its hash covers them.
func (k keeper) events() {
	t, s := k.t, k.s
	var want []broker.Event
	for i := range 6 {
		// The first event has no data at all, which is not the same as an empty object.
		e := &broker.Event{At: Epoch.Add(time.Duration(i) * time.Minute), Type: broker.EventMessage, SessionID: "ab"[i%2 : i%2+1], RequestID: "r"}
		if i > 0 {
			e.Data = json.RawMessage(fmt.Sprintf(`{ "text":"%d < 7", "x" : null}`, i))
		}
		commit(t, s, &broker.Change{Events: []*broker.Event{e}})
		want = append(want, *e)
	}
	// Its time lies before that of events with smaller numbers: the number is the order, and time
	// is only a filter.
	ended := &broker.Event{At: Epoch.Add(3 * time.Minute), Type: broker.EventPostTool, SessionID: "c", RequestID: "r"}
	commit(t, s, &broker.Change{Events: []*broker.Event{ended}})
	want = append(want, *ended)
	// The numbers are those that the log gave.
	for _, tt := range []struct {
		name   string
		filter broker.EventFilter
		want   []int // seq
	}{
		{"all", broker.EventFilter{}, []int{7, 6, 5, 4, 3, 2, 1}},
		{"limited", broker.EventFilter{Limit: 2}, []int{7, 6}},
		{"of a session", broker.EventFilter{SessionID: "a"}, []int{5, 3, 1}},
		{"since", broker.EventFilter{Since: Epoch.Add(4 * time.Minute)}, []int{6, 5}},
		{"after", broker.EventFilter{After: 4}, []int{5, 6, 7}},
		{"after, limited", broker.EventFilter{After: 2, Limit: 2}, []int{3, 4}},
		{"after, of a session", broker.EventFilter{After: 2, SessionID: "b"}, []int{4, 6}},
		{"from the first", broker.EventFilter{After: -1}, []int{1, 2, 3, 4, 5, 6, 7}},
		{"after the last", broker.EventFilter{After: 7}, nil},
		{"of types", broker.EventFilter{Types: []string{broker.EventUser, broker.EventMessage}, Limit: 2}, []int{6, 5}},
		{"of another type", broker.EventFilter{Types: []string{broker.EventUser}, SessionID: "a"}, nil},
		{"of no session", broker.EventFilter{Console: true}, nil},
		{"until", broker.EventFilter{Until: Epoch.Add(2 * time.Minute)}, []int{3, 2, 1}},
		{"until, of a session", broker.EventFilter{Until: Epoch.Add(2*time.Minute + time.Second), SessionID: "a"}, []int{3, 1}},
		{"until before the first", broker.EventFilter{Until: Epoch.Add(-time.Second)}, nil},
		{"before", broker.EventFilter{Before: 5, SessionID: "a", Limit: 1}, []int{3}},
		{"before the first", broker.EventFilter{Before: 1}, nil},
		{"before, from the first", broker.EventFilter{Before: 3, After: -1}, []int{1, 2}},
		{"how a call ended", broker.EventFilter{Ran: "r"}, []int{7}},
		{"how another call ended", broker.EventFilter{Ran: "q"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var expect []broker.Event
			for _, seq := range tt.want {
				expect = append(expect, want[seq-1])
			}
			same(t, "events", list(t, s.Events, tt.filter), expect)
		})
	}
}

// load tries what a starting broker is given: all that waits, every session that may still say
// something, and grants that nobody used, also those that have expired.
func (k keeper) load() {
	t, s := k.t, k.s
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The map is there even when nothing is in it, so that a broker may write to it.
	same(t, "of an empty store", saved, broker.Saved{RuleUse: map[string]broker.RuleUse{}})

	// Their ids sort the other way round: the order is that of time.
	first, ended, last := PendingRequest("z", "s1"), PendingRequest("m", "s1"), PendingRequest("a", "s2")
	commit(t, s, Asked(first), Asked(ended), Asked(last), Ended(ended, Outcome(broker.Cancelled)))

	now := time.Now().UTC().Truncate(time.Millisecond)
	// Load goes by the real clock, so these times count back from it.
	session := func(id string, state broker.SessionState, seen time.Duration) broker.Session {
		v := NewSession(id)
		v.State, v.LastSeenAt = state, now.Add(-seen)
		return v
	}
	// A session that has not ended is loaded however long it was silent. One that ended a month
	// ago is not.
	running, stopping := session("running", broker.SessionIdle, 30*24*time.Hour), session("stopping", broker.SessionStopping, 3*time.Minute)
	lately, longAgo := session("lately", broker.SessionGone, time.Minute), session("long ago", broker.SessionFinished, 30*24*time.Hour)
	// It is loaded, because a grant is taken out of use by an event only.
	g := NewGrant("expired", first)
	g.ExpiresAt = g.CreatedAt
	commit(t, s, &broker.Change{Sessions: []broker.Session{running, stopping, lately, longAgo}}, Granted(g))

	if saved, err = s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "saved", saved, broker.Saved{
		Requests: []broker.Request{first, last},
		Sessions: []broker.Session{lately, stopping, running},
		Grants:   []broker.Grant{g},
		RuleUse:  map[string]broker.RuleUse{},
	})
}

// goldenHead is the hash of the log that head writes: every store chains alike,
// and what is on a user's disk stays verifiable.
const goldenHead = "f48c305634d7dc03e6251430720ccf6df2b151184eda868db5a6a2c8103cdb00"

// head tries that the log is chained alike in every store. A user's log that one version wrote
// must verify in the next one.
func (k keeper) head() {
	t, s := k.t, k.s
	if seq, hash := s.Head(); seq != 0 || hash != "" {
		t.Errorf("of an empty log: %d %q", seq, hash)
	}
	// One change of each kind that has a seal, and events without one.
	r, late := PendingRequest("r1", "s1"), PendingRequest("r2", "s1")
	changes := []*broker.Change{
		Asked(r), Ended(r, Outcome(broker.Allowed)), DecidedAtOnce(late, Outcome(broker.Expired)),
		Granted(NewGrant("g1", late)), Used("g1", "r3"),
		{Events: []*broker.Event{
			{At: Epoch, Type: broker.EventUser, SessionID: "s1", Data: json.RawMessage(`{"text":"go on"}`)},
			{At: Epoch, Type: broker.EventTurnEnd},
		}},
	}
	n, before := int64(0), ""
	for _, c := range changes {
		commit(t, s, c)
		for _, e := range c.Events {
			n++
			if e.Seq != n || len(e.Hash) != 64 || e.Hash == before {
				t.Errorf("event %d was filled in as %d %s", n, e.Seq, e.Hash)
			}
			// Each hash covers the one before, so two equal events have two hashes.
			before = e.Hash
		}
		if seq, hash := s.Head(); seq != n || hash != before {
			t.Errorf("head is %d %s, the newest event %d %s", seq, hash, n, before)
		}
	}
	if before != goldenHead {
		t.Errorf("the log ends in %s, want %s", before, goldenHead)
	}
	// Sessions are no part of the log.
	commit(t, s, &broker.Change{Sessions: []broker.Session{NewSession("s1")}})
	if seq, hash := s.Head(); seq != n || hash != before {
		t.Errorf("a change without events moved the head to %d %s", seq, hash)
	}
}

// cancelled tries that a context which has ended is an error, and the very one, so that a caller
// can tell it from a failure of the disk.
func (k keeper) cancelled() {
	t, s := k.t, k.s
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := PendingRequest("r1", "s1")
	if err := s.Record(ctx, Asked(r)); !errors.Is(err, context.Canceled) {
		t.Errorf("Record = %v, want context.Canceled", err)
	}
	if _, err := s.Request(ctx, "r1"); !errors.Is(err, context.Canceled) {
		t.Errorf("Request = %v, want context.Canceled", err)
	}
}
