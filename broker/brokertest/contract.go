package brokertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
)

// TestStore holds a broker.Store to its contract. open returns an empty store for
// each part of it.
func TestStore(t *testing.T, open func(t *testing.T) broker.Store) {
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(keeper)
	}{
		{"a request comes back as it was", keeper.roundTrip},
		{"a request decided at once comes back as it was", keeper.decidedAtOnce},
		{"key and id are taken once", keeper.duplicate},
		{"a request ends once", keeper.settle},
		{"one of many deciders wins", keeper.oneWins},
		{"what a caller does to its values later changes nothing", keeper.noAliasing},
		{"a failed change leaves nothing behind", keeper.atomic},
		{"several changes are recorded together or not at all", keeper.together},
		{"a change must be whole", keeper.whole},
		{"a grant is used once", keeper.grants},
		{"a grant is taken back once", keeper.revoked},
		{"grants that are still good are listed", keeper.goodGrants},
		{"what holds comes back as it was said", keeper.facts},
		{"facts are numbered in the log", keeper.factsHead},
		{"facts go with their rules", keeper.factsWhole},
		{"uses of rules are counted", keeper.uses},
		{"uses are never less than the calls decided", keeper.usesAtLeast},
		{"the history is told in order", keeper.history},
		{"calls are counted by their end", keeper.stats},
		{"sessions are written whole", keeper.sessions},
		{"requests are filtered and in order", keeper.requests},
		{"events are filtered and in order", keeper.events},
		{"loading brings back what is open", keeper.load},
		{"what is put off is loaded until it is dropped", keeper.checkpoints},
		{"what was given more time is loaded while it waits", keeper.extensions},
		{"the head is the newest event", keeper.head},
		{"a caller who gave up is told so", keeper.cancelled},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(keeper{t, open(t)}) })
	}
}

// keeper is a store that is held to one part of the contract.
type keeper struct {
	t *testing.T
	s broker.Store
}

func commit(t *testing.T, s broker.Store, changes ...*broker.Change) {
	t.Helper()
	for i, c := range changes {
		if err := s.Record(t.Context(), c); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
	}
}

func refuse(t *testing.T, s broker.Store, c *broker.Change, want error) {
	t.Helper()
	if err := s.Record(t.Context(), c); !errors.Is(err, want) {
		t.Errorf("Record = %v, want %v", err, want)
	}
}

func request(t *testing.T, s broker.Store, id string) broker.Request {
	t.Helper()
	r, err := s.Request(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func (k keeper) roundTrip() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	fine := r // finer than a millisecond and elsewhere than UTC
	zone := time.FixedZone("elsewhere", 3600)
	fine.CreatedAt, fine.ExpiresAt = r.CreatedAt.Add(321*time.Microsecond).In(zone), r.ExpiresAt.Add(999*time.Microsecond)
	commit(t, s, Asked(fine))
	same(t, "by id", request(t, s, "r1"), r)
	got, err := s.RequestByKey(t.Context(), "key-r1")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "by key", got, r)

	o := Outcome(broker.Allowed)
	o.UpdatedInput = json.RawMessage(`{ "command": "a > b" }`)
	commit(t, s, Ended(r, o))
	r.State, r.Outcome = broker.Allowed, &o
	same(t, "after its end", request(t, s, "r1"), r)

	bare := broker.Request{ID: "bare", ToolInput: json.RawMessage(`"` + "\x00\xff" + `"`), State: broker.Pending, CreatedAt: Epoch, ExpiresAt: Epoch}
	bare.Digest = broker.Digest(bare.ToolName, bare.ToolInput, bare.CWD)
	commit(t, s, Asked(bare))
	same(t, "a bare one with odd bytes", request(t, s, "bare"), bare)

	for _, look := range []func(context.Context, string) (broker.Request, error){s.Request, s.RequestByKey} {
		for _, unknown := range []string{"nobody", ""} {
			if _, err := look(t.Context(), unknown); !errors.Is(err, broker.ErrNotFound) {
				t.Errorf("%q: %v, want ErrNotFound", unknown, err)
			}
		}
	}
}

func (k keeper) decidedAtOnce() {
	t, s := k.t, k.s
	r, o := PendingRequest("r1", "s1"), Outcome(broker.Denied)
	o.By = broker.Actor{Kind: broker.ByRule, ID: "rule-7"}
	commit(t, s, DecidedAtOnce(r, o))
	r.State, r.Outcome = broker.Denied, &o
	same(t, "request", request(t, s, "r1"), r)
	refuse(t, s, Ended(r, Outcome(broker.Allowed)), broker.ErrAlreadyDecided)

	both := PendingRequest("r2", "s1")
	c := DecidedAtOnce(both, o)
	c.Events = append([]*broker.Event{Created(both)}, c.Events...)
	commit(t, s, c)
	both.State, both.Outcome = broker.Denied, &o
	same(t, "request with both events", request(t, s, "r2"), both)

	asked := PendingRequest("r3", "s1")
	c, end := Asked(asked), Ended(asked, o)
	c.Settle, c.Events = end.Settle, append(c.Events, end.Events...)
	commit(t, s, c)
	asked.State, asked.Outcome = broker.Denied, &o
	same(t, "request asked and ended in one change", request(t, s, "r3"), asked)
}

func (k keeper) duplicate() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	commit(t, s, Asked(r))
	otherKey := r
	otherKey.Key = "another key"
	refuse(t, s, Asked(otherKey), broker.ErrDuplicate)
	otherID := PendingRequest("r2", "s1")
	otherID.Key = r.Key
	refuse(t, s, Asked(otherID), broker.ErrDuplicate)
	commit(t, s, Ended(r, Outcome(broker.Denied)))
	refuse(t, s, Asked(r), broker.ErrDuplicate)

	noKey := PendingRequest("r3", "s1")
	noKey.Key = ""
	alsoNoKey := PendingRequest("r4", "s1")
	alsoNoKey.Key = ""
	commit(t, s, Asked(noKey), Asked(alsoNoKey))
}

func (k keeper) settle() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	refuse(t, s, Ended(r, Outcome(broker.Allowed)), broker.ErrNotFound)
	commit(t, s, Asked(r))
	other := r
	other.ToolInput = json.RawMessage(`{"command":"rm -rf /"}`)
	other.Digest = broker.Digest(other.ToolName, other.ToolInput, other.CWD)
	refuse(t, s, Ended(other, Outcome(broker.Allowed)), broker.ErrTampered)
	if got := request(t, s, "r1"); got.State != broker.Pending {
		t.Fatalf("a decision about another call ended it as %s", got.State)
	}
	for i, state := range []broker.State{broker.Allowed, broker.Denied, broker.Expired, broker.Cancelled, broker.Answered} {
		r := PendingRequest(fmt.Sprint("end-", i), "s1")
		commit(t, s, Asked(r), Ended(r, Outcome(state)))
		if got := request(t, s, r.ID); got.State != state || got.Outcome.State != state {
			t.Errorf("ended as %s, comes back as %s, %s", state, got.State, got.Outcome.State)
		}
		refuse(t, s, Ended(r, Outcome(broker.Allowed)), broker.ErrAlreadyDecided)
		if got := request(t, s, r.ID); got.State != state {
			t.Errorf("a second decision made %s of %s", got.State, state)
		}
	}
}

func (k keeper) oneWins() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	commit(t, s, Asked(r))
	const deciders = 32
	errs := make([]error, deciders)
	var wg sync.WaitGroup
	for i := range deciders {
		wg.Go(func() {
			o := Outcome(broker.Denied)
			o.Reason = fmt.Sprint("decider ", i)
			errs[i] = s.Record(t.Context(), Ended(r, o))
		})
	}
	wg.Wait()
	winner := slices.Index(errs, nil)
	if winner < 0 {
		t.Fatalf("nobody won: %v", errs[0])
	}
	for i, err := range errs {
		if i != winner && !errors.Is(err, broker.ErrAlreadyDecided) {
			t.Errorf("decider %d, who lost to %d: %v", i, winner, err)
		}
	}
	if got, want := request(t, s, "r1").Outcome.Reason, fmt.Sprint("decider ", winner); got != want {
		t.Errorf("recorded is %q, acknowledged was %q", got, want)
	}
	if seq, _ := s.Head(); seq != 2 {
		t.Errorf("%d events, want 2: the losers left traces", seq)
	}
}

func (k keeper) noAliasing() {
	t, s := k.t, k.s
	r, o := PendingRequest("r1", "s1"), Outcome(broker.Allowed)
	o.UpdatedInput = json.RawMessage(`{"command":"true"}`)
	session, code := NewSession("s1"), 3
	session.ExitCode = &code
	asked, ended := Asked(r), Ended(r, o)
	asked.Sessions = []broker.Session{session}
	commit(t, s, asked, ended)
	want := request(t, s, "r1")
	saved := list(t, s.Sessions, broker.SessionFilter{})

	asked.Insert.ToolInput[2], ended.Settle[0].Outcome.UpdatedInput[2] = '!', '!'
	asked.Events[0].Data[1], code = '!', 9
	session.Subagents[0].ID = "changed"
	same(t, "request", request(t, s, "r1"), want)
	same(t, "sessions", list(t, s.Sessions, broker.SessionFilter{}), saved)

	got := request(t, s, "r1")
	got.ToolInput[2], got.Outcome.Reason = '!', "changed"
	same(t, "request after a reader's change", request(t, s, "r1"), want)
}

func (k keeper) atomic() {
	t, s := k.t, k.s
	done, open := PendingRequest("done", "s1"), PendingRequest("open", "s1")
	g := NewGrant("g1", done)
	commit(t, s, Asked(done), Ended(done, Outcome(broker.Expired)), Asked(open), Granted(g))
	seq, hash := s.Head()

	// Everything in it is well but the last settlement.
	fresh := PendingRequest("fresh", "s1")
	c := Asked(fresh)
	for _, r := range []broker.Request{open, done} {
		end := Ended(r, Outcome(broker.Allowed))
		c.Settle, c.Events = append(c.Settle, end.Settle...), append(c.Events, end.Events...)
	}
	c.Sessions = []broker.Session{NewSession("s9")}
	second, use := Granted(NewGrant("g2", done)), Used(g.ID, "fresh")
	c.Grant, c.UseGrant = second.Grant, use.UseGrant
	c.Events = append(c.Events, second.Events[0], use.Events[0])
	refuse(t, s, c, broker.ErrAlreadyDecided)

	if _, err := s.Request(t.Context(), "fresh"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("the insert stayed: %v", err)
	}
	if got := request(t, s, "open"); got.State != broker.Pending {
		t.Errorf("the other settlement stayed: %s", got.State)
	}
	if got := list(t, s.Sessions, broker.SessionFilter{}); len(got) != 0 {
		t.Errorf("the session stayed: %v", got)
	}
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "grants", saved.Grants, []broker.Grant{g})
	if q, h := s.Head(); q != seq || h != hash {
		t.Errorf("head moved from %d %s to %d %s", seq, hash, q, h)
	}
	commit(t, s, Ended(open, Outcome(broker.Allowed)), Used(g.ID, "open"), Asked(fresh))
}

func (k keeper) together() {
	t, s := k.t, k.s
	a, b := PendingRequest("a", "s1"), PendingRequest("b", "s1")
	err := s.Record(t.Context(), Asked(a), Ended(b, Outcome(broker.Denied)), Asked(b))
	var fault *broker.ChangeError
	if !errors.As(err, &fault) || fault.Index != 1 || !errors.Is(err, broker.ErrNotFound) {
		t.Fatalf("Record = %v, want that change 1 is at fault", err)
	}
	if _, err := s.Request(t.Context(), "a"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("the first one is there: %v", err)
	}
	list := []*broker.Change{Asked(a), Asked(b), Ended(a, Outcome(broker.Allowed))}
	if err := s.Record(t.Context(), list...); err != nil {
		t.Fatal(err)
	}
	for i, c := range list {
		if c.Events[0].Seq != int64(i+1) || c.Events[0].Hash == "" {
			t.Errorf("event %d is %d in the log, %q", i+1, c.Events[0].Seq, c.Events[0].Hash)
		}
	}
	if got := request(t, s, "a").State; got != broker.Allowed {
		t.Errorf("a is %s", got)
	}
	if err := s.Record(t.Context(), Ended(b, Outcome(broker.Denied)), Ended(a, Outcome(broker.Denied))); !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("Record = %v", err)
	}
	if got := request(t, s, "b").State; got != broker.Pending {
		t.Errorf("b is %s, though its change was not recorded", got)
	}
	if seq, _ := s.Head(); seq != 3 {
		t.Errorf("the log ends at %d", seq)
	}
}

func (k keeper) whole() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	commit(t, s, Asked(r))
	allowed := Outcome(broker.Allowed)
	for name, spoil := range map[string]func(c *broker.Change){
		"no event":               func(c *broker.Change) { c.Events = nil },
		"two events":             func(c *broker.Change) { c.Events = append(c.Events, Decided(r, allowed)) },
		"another status":         func(c *broker.Change) { c.Events[0] = Decided(r, Outcome(broker.Denied)) },
		"another reason":         func(c *broker.Change) { c.Settle[0].Outcome.Reason = "no" },
		"another decider":        func(c *broker.Change) { c.Settle[0].Outcome.By.PID++ },
		"another input":          func(c *broker.Change) { c.Settle[0].Outcome.UpdatedInput = json.RawMessage(`{}`) },
		"another time":           func(c *broker.Change) { c.Events[0].At = c.Events[0].At.Add(time.Millisecond) },
		"another request":        func(c *broker.Change) { c.Events[0].RequestID = "r2" },
		"still pending":          func(c *broker.Change) { c.Settle[0].Outcome.State = broker.Pending },
		"no state":               func(c *broker.Change) { c.Settle[0].Outcome.State = "" },
		"twice":                  func(c *broker.Change) { c.Settle = append(c.Settle, c.Settle[0]) },
		"a grant without event":  func(c *broker.Change) { c.Grant = Granted(NewGrant("g", r)).Grant },
		"a use without event":    func(c *broker.Change) { c.UseGrant = &broker.GrantUse{ID: "g", By: "r1"} },
		"an event without grant": func(c *broker.Change) { c.Events = append(c.Events, Used("g", "r1").Events...) },
		"an event without type":  func(c *broker.Change) { c.Events = append(c.Events, &broker.Event{At: Epoch}) },
		"data that is no object": func(c *broker.Change) {
			c.Events = append(c.Events, &broker.Event{At: Epoch, Type: "user", Data: json.RawMessage(`[1]`)})
		},
		"a pending insert without event": func(c *broker.Change) { c.Insert = Asked(PendingRequest("r2", "s1")).Insert },
		"an insert of another digest": func(c *broker.Change) {
			bad := PendingRequest("r2", "s1")
			bad.ToolInput = json.RawMessage(`{}`)
			c.Insert, c.Events = &bad, append(c.Events, Created(bad))
		},
		"a session of no state": func(c *broker.Change) { c.Sessions = []broker.Session{{ID: "s1", Agent: "claude"}} },
	} {
		t.Run(name, func(t *testing.T) {
			c := Ended(r, allowed)
			spoil(c)
			refuse(t, s, c, broker.ErrInvalid)
		})
	}
	if got := request(t, s, "r1"); got.State != broker.Pending {
		t.Errorf("the request ended as %s", got.State)
	}
	if seq, _ := s.Head(); seq != 1 {
		t.Errorf("%d events, want 1", seq)
	}
}

func (k keeper) grants() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	refuse(t, s, Used("g1", "r2"), broker.ErrNotFound)
	g := NewGrant("g1", r)
	commit(t, s, Granted(g))
	refuse(t, s, Granted(g), broker.ErrDuplicate)
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "grants", saved.Grants, []broker.Grant{g})
	commit(t, s, Used("g1", "r2"))
	refuse(t, s, Used("g1", "r3"), broker.ErrGrantUsed)
	if saved, err = s.Load(t.Context()); err != nil || len(saved.Grants) != 0 {
		t.Errorf("after its use: %v, %v", saved.Grants, err)
	}
}
