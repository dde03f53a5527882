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
//
// Each part is a sentence that a broker relies on; its name is that sentence. A store that fails
// one would make the broker lie somewhere. The parts do not depend on each other, and each has a
// store of its own, so one may be run alone with -run.
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

// keeper is a store that is held to one part of the contract. Its methods are the parts of the
// contract. They speak through broker.Store only, so that they know nothing of how a store works.
type keeper struct {
	t *testing.T
	s broker.Store
}

// commit records changes one by one, each in a transaction of its own, and ends the test when one
// is refused.
func commit(t *testing.T, s broker.Store, changes ...*broker.Change) {
	t.Helper()
	for i, c := range changes {
		if err := s.Record(t.Context(), c); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
	}
}

// refuse wants c not to be recorded, for this reason. What is left behind afterwards the caller
// looks at.
func refuse(t *testing.T, s broker.Store, c *broker.Change, want error) {
	t.Helper()
	if err := s.Record(t.Context(), c); !errors.Is(err, want) {
		t.Errorf("Record = %v, want %v", err, want)
	}
}

// request reads one request, and ends the test when it is not there.
func request(t *testing.T, s broker.Store, id string) broker.Request {
	t.Helper()
	r, err := s.Request(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same compares with the whole value, so that a field which a store forgets shows by its name.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// roundTrip tries that every field of a request comes back, byte for byte in its input, and times
// as they are recorded.
func (k keeper) roundTrip() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	// Two brokers in two zones must read the same time, so it is recorded in UTC.
	fine := r // finer than a millisecond and elsewhere than UTC
	zone := time.FixedZone("elsewhere", 3600)
	fine.CreatedAt, fine.ExpiresAt = r.CreatedAt.Add(321*time.Microsecond).In(zone), r.ExpiresAt.Add(999*time.Microsecond)
	commit(t, s, Asked(fine))
	same(t, "by id", request(t, s, "r1"), r)
	// Both ways to a request give the same value. The broker uses the key, people the id.
	got, err := s.RequestByKey(t.Context(), "key-r1")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "by key", got, r)

	// The end has its own bytes too: the edited input is stored as the operator sent it.
	o := Outcome(broker.Allowed)
	o.UpdatedInput = json.RawMessage(`{ "command": "a > b" }`)
	commit(t, s, Ended(r, o))
	r.State, r.Outcome = broker.Allowed, &o
	same(t, "after its end", request(t, s, "r1"), r)

	// A store must not read the input: bytes that are no JSON, or no text, come back as they
	// were. So do empty fields, which must not become NULL on the way.
	bare := broker.Request{ID: "bare", ToolInput: json.RawMessage(`"` + "\x00\xff" + `"`), State: broker.Pending, CreatedAt: Epoch, ExpiresAt: Epoch}
	bare.Digest = broker.Digest(bare.ToolName, bare.ToolInput, bare.CWD)
	commit(t, s, Asked(bare))
	same(t, "a bare one with odd bytes", request(t, s, "bare"), bare)

	// The empty id and key are unknown too: a request without a key must not be found by "".
	for _, look := range []func(context.Context, string) (broker.Request, error){s.Request, s.RequestByKey} {
		for _, unknown := range []string{"nobody", ""} {
			if _, err := look(t.Context(), unknown); !errors.Is(err, broker.ErrNotFound) {
				t.Errorf("%q: %v, want ErrNotFound", unknown, err)
			}
		}
	}
}

// decidedAtOnce tries the three ways in which a call may be asked and ended in one change: with
// its end alone, with both events, and as an insert with a settlement.
func (k keeper) decidedAtOnce() {
	t, s := k.t, k.s
	r, o := PendingRequest("r1", "s1"), Outcome(broker.Denied)
	// Calls that rules decide are recorded with their end in one row, so that a busy agent costs
	// one write for each.
	o.By = broker.Actor{Kind: broker.ByRule, ID: "rule-7"}
	commit(t, s, DecidedAtOnce(r, o))
	r.State, r.Outcome = broker.Denied, &o
	same(t, "request", request(t, s, "r1"), r)
	refuse(t, s, Ended(r, Outcome(broker.Allowed)), broker.ErrAlreadyDecided)

	// Both events in one change: the call was asked and ended in the same round.
	both := PendingRequest("r2", "s1")
	// Only the event of the end is needed; that of the question may stand before it.
	c := DecidedAtOnce(both, o)
	c.Events = append([]*broker.Event{Created(both)}, c.Events...)
	commit(t, s, c)
	both.State, both.Outcome = broker.Denied, &o
	same(t, "request with both events", request(t, s, "r2"), both)

	// The insert is pending and a settlement of the same change ends it.
	asked := PendingRequest("r3", "s1")
	c, end := Asked(asked), Ended(asked, o)
	c.Settle, c.Events = end.Settle, append(c.Events, end.Events...)
	commit(t, s, c)
	asked.State, asked.Outcome = broker.Denied, &o
	same(t, "request asked and ended in one change", request(t, s, "r3"), asked)
}

// duplicate tries that an id and a key stay taken, also after the call ended. A call that was
// denied must not be asked anew under its old name.
func (k keeper) duplicate() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	commit(t, s, Asked(r))
	// Neither half of the name may be used for a second request.
	otherKey := r
	otherKey.Key = "another key"
	refuse(t, s, Asked(otherKey), broker.ErrDuplicate)
	otherID := PendingRequest("r2", "s1")
	otherID.Key = r.Key
	refuse(t, s, Asked(otherID), broker.ErrDuplicate)
	// A request that has ended still holds its key, so a retry finds its answer.
	commit(t, s, Ended(r, Outcome(broker.Denied)))
	refuse(t, s, Asked(r), broker.ErrDuplicate)

	// Requests without a key do not collide with each other.
	noKey := PendingRequest("r3", "s1")
	// A program that numbers nothing asks like this.
	noKey.Key = ""
	alsoNoKey := PendingRequest("r4", "s1")
	alsoNoKey.Key = ""
	commit(t, s, Asked(noKey), Asked(alsoNoKey))
}

// settle tries that a request ends once, in every state there is, and that a decision about
// another call than the recorded one ends nothing.
func (k keeper) settle() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	refuse(t, s, Ended(r, Outcome(broker.Allowed)), broker.ErrNotFound)
	commit(t, s, Asked(r))
	// Same id, other input: this is what a row that was changed behind the broker's back looks
	// like from outside.
	other := r
	// The event names the digest of what was decided, and the row has another one.
	other.ToolInput = json.RawMessage(`{"command":"rm -rf /"}`)
	other.Digest = broker.Digest(other.ToolName, other.ToolInput, other.CWD)
	refuse(t, s, Ended(other, Outcome(broker.Allowed)), broker.ErrTampered)
	if got := request(t, s, "r1"); got.State != broker.Pending {
		t.Fatalf("a decision about another call ended it as %s", got.State)
	}
	// Every end is final, also those in which nobody decided: a late yes must not make an expired
	// call an allowed one.
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

// oneWins tries the promise that the first answer counts: of many who decide at once exactly one
// is told that it did, and the record says what that one said.
func (k keeper) oneWins() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	commit(t, s, Asked(r))
	// Keys, timers, rules and programs may all decide in the same moment.
	const deciders = 32
	errs := make([]error, deciders)
	var wg sync.WaitGroup
	for i := range deciders {
		// Each writes a reason of its own, by which the winner is known.
		wg.Go(func() {
			o := Outcome(broker.Denied)
			o.Reason = fmt.Sprint("decider ", i)
			errs[i] = s.Record(t.Context(), Ended(r, o))
		})
	}
	wg.Wait()
	// Index finds the first one without an error; the loop below wants all others to have lost.
	winner := slices.Index(errs, nil)
	if winner < 0 {
		t.Fatalf("nobody won: %v", errs[0])
	}
	for i, err := range errs {
		if i != winner && !errors.Is(err, broker.ErrAlreadyDecided) {
			t.Errorf("decider %d, who lost to %d: %v", i, winner, err)
		}
	}
	// What was acknowledged is what is on record: otherwise an agent would be told one thing and
	// the log another.
	if got, want := request(t, s, "r1").Outcome.Reason, fmt.Sprint("decider ", winner); got != want {
		t.Errorf("recorded is %q, acknowledged was %q", got, want)
	}
	// One event for the question and one for its end.
	if seq, _ := s.Head(); seq != 2 {
		t.Errorf("%d events, want 2: the losers left traces", seq)
	}
}

// noAliasing tries that a store keeps copies. A caller goes on using its values, and another
// goroutine may read at the same time.
func (k keeper) noAliasing() {
	t, s := k.t, k.s
	r, o := PendingRequest("r1", "s1"), Outcome(broker.Allowed)
	o.UpdatedInput = json.RawMessage(`{"command":"true"}`)
	// The exit code is a pointer, which a shallow copy would share.
	session, code := NewSession("s1"), 3
	session.ExitCode = &code
	asked, ended := Asked(r), Ended(r, o)
	asked.Sessions = []broker.Session{session}
	commit(t, s, asked, ended)
	want := request(t, s, "r1")
	saved := list(t, s.Sessions, broker.SessionFilter{})

	// Bytes are changed in place, which a shallow copy would share.
	asked.Insert.ToolInput[2], ended.Settle[0].Outcome.UpdatedInput[2] = '!', '!'
	asked.Events[0].Data[1], code = '!', 9
	// A slice inside of a value that was passed by value.
	session.Subagents[0].ID = "changed"
	same(t, "request", request(t, s, "r1"), want)
	same(t, "sessions", list(t, s.Sessions, broker.SessionFilter{}), saved)

	// A reader may change what it was given as well.
	got := request(t, s, "r1")
	got.ToolInput[2], got.Outcome.Reason = '!', "changed"
	same(t, "request after a reader's change", request(t, s, "r1"), want)
}

// atomic tries that a change with one fault leaves no row, no event and no moved head behind.
func (k keeper) atomic() {
	t, s := k.t, k.s
	// One request has ended and cannot end again; that is the fault in the change.
	done, open := PendingRequest("done", "s1"), PendingRequest("open", "s1")
	// A grant, a pending call and an ended one: the change below touches them all.
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
	// The fault comes last, when a careless store has written everything else.
	c.Sessions = []broker.Session{NewSession("s9")}
	// Their events are taken over one by one, as a change has one list of them.
	second, use := Granted(NewGrant("g2", done)), Used(g.ID, "fresh")
	c.Grant, c.UseGrant = second.Grant, use.UseGrant
	c.Events = append(c.Events, second.Events[0], use.Events[0])
	refuse(t, s, c, broker.ErrAlreadyDecided)

	// Each kind of row is looked at by itself.
	if _, err := s.Request(t.Context(), "fresh"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("the insert stayed: %v", err)
	}
	if got := request(t, s, "open"); got.State != broker.Pending {
		t.Errorf("the other settlement stayed: %s", got.State)
	}
	if got := list(t, s.Sessions, broker.SessionFilter{}); len(got) != 0 {
		t.Errorf("the session stayed: %v", got)
	}
	// The grant that was there is unused and the second one was never made.
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "grants", saved.Grants, []broker.Grant{g})
	// A head that moved would break the chain of everything that comes after.
	if q, h := s.Head(); q != seq || h != hash {
		t.Errorf("head moved from %d %s to %d %s", seq, hash, q, h)
	}
	// Each of its parts can still be recorded by itself, which shows that nothing of it was kept
	// in secret.
	commit(t, s, Ended(open, Outcome(broker.Allowed)), Used(g.ID, "open"), Asked(fresh))
}

// together tries that several changes share one fate, and that the error names the one at fault.
// The broker records whole rounds this way, and takes the faulty input out.
func (k keeper) together() {
	t, s := k.t, k.s
	a, b := PendingRequest("a", "s1"), PendingRequest("b", "s1")
	// The second change ends a request that only the third one makes: order counts.
	err := s.Record(t.Context(), Asked(a), Ended(b, Outcome(broker.Denied)), Asked(b))
	var fault *broker.ChangeError
	if !errors.As(err, &fault) || fault.Index != 1 || !errors.Is(err, broker.ErrNotFound) {
		t.Fatalf("Record = %v, want that change 1 is at fault", err)
	}
	if _, err := s.Request(t.Context(), "a"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("the first one is there: %v", err)
	}
	// Later changes of a list see what earlier ones did.
	list := []*broker.Change{Asked(a), Asked(b), Ended(a, Outcome(broker.Allowed))}
	if err := s.Record(t.Context(), list...); err != nil {
		t.Fatal(err)
	}
	// Numbers and hashes are filled in across the whole list.
	for i, c := range list {
		if c.Events[0].Seq != int64(i+1) || c.Events[0].Hash == "" {
			t.Errorf("event %d is %d in the log, %q", i+1, c.Events[0].Seq, c.Events[0].Hash)
		}
	}
	if got := request(t, s, "a").State; got != broker.Allowed {
		t.Errorf("a is %s", got)
	}
	// The first is fine and the second is not; the first must not be there afterwards.
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

// whole tries that rows and events agree in every change. The log vouches for the rows only
// because no change is taken in which the two differ.
func (k keeper) whole() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	commit(t, s, Asked(r))
	allowed := Outcome(broker.Allowed)
	// Each case spoils one thing in a change that is whole otherwise.
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

// grants tries that a grant lets one call pass and not two.
func (k keeper) grants() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	// A grant that nobody made lets nothing pass.
	refuse(t, s, Used("g1", "r2"), broker.ErrNotFound)
	g := NewGrant("g1", r)
	commit(t, s, Granted(g))
	// The same grant twice would be two uses of one late answer.
	refuse(t, s, Granted(g), broker.ErrDuplicate)
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "grants", saved.Grants, []broker.Grant{g})
	commit(t, s, Used("g1", "r2"))
	// The second use is told apart from an unknown grant: the caller asks a person then.
	refuse(t, s, Used("g1", "r3"), broker.ErrGrantUsed)
	if saved, err = s.Load(t.Context()); err != nil || len(saved.Grants) != 0 {
		t.Errorf("after its use: %v, %v", saved.Grants, err)
	}
}
