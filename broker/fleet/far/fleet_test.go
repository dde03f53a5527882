package far

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/rules"
)

var you = broker.Actor{Kind: broker.ByOperator}

func reaches(s broker.Snapshot) map[string]broker.Reach {
	all := map[string]broker.Reach{}
	for _, m := range s.Machines {
		all[m.Name] = m.Reach
	}
	return all
}

// What two machines call the same is told apart, and each order goes to the machine of its call, with
// the machine's own id, once, even when its answer is lost on the way.
func TestOrdersGoToTheirMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "build", "dev-box")
		build, dev := tm.machines[0], tm.machines[1]
		s := tm.watch()
		if diff := cmp.Diff(map[string]broker.Reach{"build": broker.ReachLive, "dev-box": broker.ReachLive}, reaches(s)); diff != "" {
			t.Fatal(diff)
		}
		b, d := tm.callOf(s, "build"), tm.callOf(s, "dev-box")
		if b.ID == d.ID || b.SessionID == d.SessionID || b.SessionID != tm.sessionOf(s, build).ID || d.SessionID != tm.sessionOf(s, dev).ID {
			t.Fatalf("%s of %s, and %s of %s", b.ID, b.SessionID, d.ID, d.SessionID)
		}
		ctx, end := context.WithCancel(t.Context())
		defer end()
		_, updates := tm.Watch(ctx)
		tm.servers.lose = 1
		r, err := tm.Decide(t.Context(), d.ID, broker.Decision{Verdict: broker.Allow, Digest: d.Digest})
		if err != nil || r.ID != d.ID || r.State != broker.Allowed {
			t.Errorf("%s is %s: %v", r.ID, r.State, err)
		}
		if r, err := tm.Decide(t.Context(), b.ID, broker.Decision{Verdict: broker.Deny}); err != nil || r.ID != b.ID || r.State != broker.Denied {
			t.Errorf("%s is %s: %v", r.ID, r.State, err)
		}
		if diff := cmp.Diff([][]string{{"deny call by ada"}, {"allow call by ada"}}, [][]string{build.done(), dev.done()}); diff != "" {
			t.Error(diff)
		}
		time.Sleep(3 * time.Second)
		got := map[string]broker.State{}
		for len(updates) > 0 {
			if u := <-updates; u.Request != nil {
				got[u.Request.ID] = u.Request.State
			}
		}
		if diff := cmp.Diff(map[string]broker.State{b.ID: broker.Denied, d.ID: broker.Allowed}, got); diff != "" {
			t.Error(diff)
		}
		// Another call than the one that was drawn is not decided; the machine says so.
		if _, err := tm.Decide(t.Context(), d.ID, broker.Decision{Verdict: broker.Allow, Digest: b.Digest}); !errors.Is(err, broker.ErrStale) {
			t.Errorf("the call of another machine: %v", err)
		}
		if _, err := tm.Decide(t.Context(), "nothing", broker.Decision{Verdict: broker.Deny}); !errors.Is(err, broker.ErrNotFound) {
			t.Errorf("no call: %v", err)
		}
	})
}

// A machine out of reach is told to refuse when it is back, and nothing else.
func TestOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "build", "dev-box")
		dev := tm.machines[1]
		s := tm.watch()
		d, se := tm.callOf(s, "dev-box"), tm.sessionOf(s, dev)
		tm.servers.reach(dev.id(), false)
		time.Sleep(10 * time.Second)
		if got := reaches(tm.watch())["dev-box"]; got != broker.ReachLate {
			t.Errorf("after a while it is %s", got)
		}
		time.Sleep(30 * time.Second)
		s = tm.watch()
		if got := reaches(s); got["dev-box"] != broker.ReachOut || got["build"] != broker.ReachLive {
			t.Errorf("%v", got)
		}
		before := tm.servers.sent
		if _, err := tm.Decide(t.Context(), d.ID, broker.Decision{Verdict: broker.Allow, Digest: d.Digest}); !errors.Is(err, ErrOut) || !strings.Contains(err.Error(), "dev-box") || tm.servers.sent != before {
			t.Errorf("allow: %v, %d orders", err, tm.servers.sent-before)
		}
		if _, err := tm.Say(t.Context(), se.ID, "hello", you); !errors.Is(err, ErrOut) {
			t.Errorf("say: %v", err)
		}
		for name, do := range map[string]func() error{
			"deny": func() error {
				_, err := tm.Decide(t.Context(), d.ID, broker.Decision{Verdict: broker.Deny, Digest: d.Digest})
				return err
			},
			"stop":   func() error { _, err := tm.Stop(t.Context(), se.ID, you); return err },
			"freeze": func() error { return tm.Freeze(t.Context(), se.ID, true, you) },
		} {
			var later *LaterError
			if err := do(); !errors.As(err, &later) || !slices.Equal(later.Later(), []string{"dev-box"}) || later.Confirmed() != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		i := slices.IndexFunc(tm.watch().Machines, func(m broker.Machine) bool { return m.Waiting == 3 })
		if i < 0 || len(dev.done()) != 0 {
			t.Errorf("%+v", tm.watch().Machines)
		}
		// Its broker is started anew before it is back: it reads what waits for it all the same.
		dev.end()
		dev.start(tm.signed)
		tm.servers.reach(dev.id(), true)
		time.Sleep(30 * time.Second)
		did := dev.done()
		slices.Sort(did)
		if diff := cmp.Diff([]string{"deny call by ada", "freeze session on", "stop session"}, did); diff != "" {
			t.Error(diff)
		}
		s = tm.watch()
		if i := slices.IndexFunc(s.Machines, func(m broker.Machine) bool { return m.Name == "dev-box" }); s.Machines[i].Waiting != 0 || s.Machines[i].Reach != broker.ReachLive {
			t.Errorf("%+v", s.Machines[i])
		}
	})
}

// What is for all says which machines have done it, and which will.
func TestAllMachines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Guard, "a", "b", "c")
		tm.watch()
		if sessions, denied, err := tm.StopAll(t.Context(), you); sessions != 3 || denied != 3 || err != nil {
			t.Errorf("%d sessions, %d calls: %v", sessions, denied, err)
		}
		tm.servers.reach(tm.machines[1].id(), false)
		time.Sleep(time.Minute)
		var later *LaterError
		sessions, _, err := tm.StopAll(t.Context(), you)
		if !errors.As(err, &later) || sessions != 2 || !slices.Equal(later.Confirmed(), []string{"a", "c"}) || !slices.Equal(later.Later(), []string{"b"}) {
			t.Errorf("%d sessions: %v", sessions, err)
		}
		var waits *LaterError
		if a, b := tm.machines[0].id(), tm.machines[1].id(); later.Of(a) != nil || !errors.As(later.Of(b), &waits) {
			t.Errorf("a: %v, b: %v", later.Of(a), later.Of(b))
		}
		if want := "b is out of reach, and told to when back; a and c confirmed"; err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
		if err := tm.Freeze(t.Context(), "", true, you); !errors.As(err, &later) || !slices.Equal(later.Later(), []string{"b"}) {
			t.Errorf("freeze: %v", err)
		}
		tm.servers.reach(tm.machines[1].id(), true)
		time.Sleep(30 * time.Second)
		for _, m := range tm.machines {
			if diff := cmp.Diff([]string{"stop all", "stop all", "freeze  on"}, m.done()); diff != "" {
				t.Errorf("%s: %s", m.name, diff)
			}
		}
	})
}

// Nothing is sent that a person's role does not cover.
func TestRoles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Watcher, "build", "dev-box")
		s := tm.watch()
		b := tm.callOf(s, "build")
		before := tm.servers.sent
		for name, do := range map[string]func() error{
			"deny": func() error {
				_, err := tm.Decide(t.Context(), b.ID, broker.Decision{Verdict: broker.Deny})
				return err
			},
			"stop":     func() error { _, err := tm.Stop(t.Context(), b.SessionID, you); return err },
			"stop all": func() error { _, _, err := tm.StopAll(t.Context(), you); return err },
			"freeze":   func() error { return tm.Freeze(t.Context(), "", true, you) },
			"save":     func() error { _, err := tm.SaveRule(t.Context(), rules.Rule{}, you); return err },
			"launch": func() error {
				_, err := tm.Launch(t.Context(), broker.NewRun{Folder: "build:/src"}, you)
				return err
			},
		} {
			var each *LaterError
			if err := do(); !errors.Is(err, orders.ErrRole) || errors.As(err, &each) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if tm.servers.sent != before {
			t.Errorf("%d orders were sent", tm.servers.sent-before)
		}
		list, err := tm.History(t.Context(), 1)
		if err != nil || len(list) != 1 || list[0].Description != "build" {
			t.Errorf("a watcher reads %+v: %v", list, err)
		}
		tm.SetRoster(members.Roster{Fleet: fleetID, Members: tm.roster.Members[2:]})
		if _, err := tm.History(t.Context(), 1); !errors.Is(err, orders.ErrStranger) {
			t.Errorf("who is not in the fleet: %v", err)
		}
	})
}

// An allow is for the run of the broker whose call was drawn. A refusal is for any.
func TestStartedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "build", "dev-box")
		build := tm.machines[0]
		s := tm.watch()
		b := tm.callOf(s, "build")
		_, updates := tm.Watch(t.Context())
		again := func() {
			time.Sleep(tickEvery / 2) // between two looks
			build.end()
			build.start(tm.signed)
			time.Sleep(time.Millisecond) // nobody has heard of it yet
		}
		again()
		if _, err := tm.Decide(t.Context(), b.ID, broker.Decision{Verdict: broker.Allow, Digest: b.Digest}); !errors.Is(err, ErrAnother) {
			t.Errorf("allow: %v", err)
		}
		again()
		if _, err := tm.Decide(t.Context(), b.ID, broker.Decision{Verdict: broker.Deny, Digest: b.Digest}); err != nil {
			t.Errorf("deny: %v", err)
		}
		if diff := cmp.Diff([]string{"deny call by ada"}, build.done()); diff != "" {
			t.Error(diff)
		}
		for range updates { // the watch ended, for a snapshot of the new run
			continue
		}
	})
}

func TestRulesAndFolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "a", "b", "c")
		s := tm.watch()
		tm.servers.reach(tm.machines[2].id(), false)
		time.Sleep(time.Minute)
		saved, err := tm.SaveRule(t.Context(), rules.Rule{}, you)
		if err != nil || saved.Rule.ID == "" {
			t.Fatalf("%+v: %v", saved, err)
		}
		for i, want := range [][]string{{"save " + saved.Rule.ID + " "}, {"save " + saved.Rule.ID + " "}, nil} {
			if diff := cmp.Diff(want, tm.machines[i].done()); diff != "" {
				t.Error(diff)
			}
		}
		now := tm.watch()
		if len(now.Rules.Rules) != 1 || now.Rules.Rules[0].ID != saved.Rule.ID {
			t.Errorf("%+v", now.Rules)
		}
		if err := tm.RemoveRule(t.Context(), saved.Rule.ID, you); err != nil {
			t.Error(err)
		}
		b := tm.sessionOf(s, tm.machines[1])
		if _, err := tm.SaveRule(t.Context(), rules.Rule{Scope: rules.Scope{Session: b.ID}}, you); err != nil {
			t.Error(err)
		}
		if did := tm.machines[1].done(); len(did) != 2 || did[0] != "remove "+saved.Rule.ID || !strings.HasSuffix(did[1], " session") {
			t.Errorf("%q", did)
		}
		if did := tm.machines[0].done(); len(did) != 1 {
			t.Errorf("%q", did)
		}
		if _, err := tm.Launch(t.Context(), broker.NewRun{Folder: "/src"}, you); !errors.Is(err, ErrWhere) {
			t.Errorf("a folder on no machine: %v", err)
		}
		if got, err := tm.Launch(t.Context(), broker.NewRun{Folder: "b:/src"}, you); err != nil || got.Machine != tm.machines[1].id() {
			t.Errorf("%+v: %v", got, err)
		}
		if diff := cmp.Diff([]string{"launch /src"}, tm.machines[1].done()); diff != "" {
			t.Error(diff)
		}
	})
}

// A screen asks every second what is to be granted. Only machines are asked that have something.
func TestProposals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "a", "b", "c")
		tm.watch()
		for _, want := range []int{0, 1, 0} {
			b := tm.machines[1]
			b.mu.Lock()
			b.asks = make([]broker.Proposal, want)
			b.mu.Unlock()
			time.Sleep(5 * time.Second) // beats tell of it
			before := tm.servers.sent
			if list := tm.Proposals(); len(list) != want || tm.servers.sent-before != want {
				t.Errorf("%d proposals for %d orders, want %d", len(list), tm.servers.sent-before, want)
			}
		}
	})
}

// A reader that falls behind watches anew, and one that is there when a machine leaves is told.
func TestWatchers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "a", "b")
		tm.watch()
		_, slow := tm.Watch(t.Context())
		tm.mu.Lock()
		for range watcherKept + 1 {
			tm.send(broker.Update{Health: &broker.Health{}})
		}
		tm.mu.Unlock()
		n := 0
		for range slow {
			n++
		}
		if n != watcherKept {
			t.Errorf("%d updates, and then the end", n)
		}
		_, updates := tm.Watch(t.Context())
		tm.SetRoster(members.Roster{Fleet: fleetID, Members: slices.Delete(slices.Clone(tm.roster.Members), 2, 3)})
		gone := ""
		for u := range updates {
			if u.Machine != nil && u.Machine.Gone {
				gone = u.Machine.Name
			}
		}
		if s := tm.watch(); gone != "a" || len(s.Machines) != 1 || len(s.Sessions) != 1 {
			t.Errorf("%q is gone: %+v", gone, s.Machines)
		}
	})
}

// Whoever joins has all be read anew. However many do, it is read to its end, or no new card would be drawn.
func TestManyJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "a", "b")
		tm.watch()
		tm.servers.slow = 700 * time.Millisecond
		before := tm.servers.whole.Load()
		without := tm.roster
		without.Members = slices.Delete(slices.Clone(tm.roster.Members), 3, 4)
		for range 60 {
			tm.SetRoster(without)
			time.Sleep(500 * time.Millisecond)
			tm.SetRoster(tm.roster)
			time.Sleep(500 * time.Millisecond)
		}
		if n := tm.servers.whole.Load() - before; n < 15 || n > 30 {
			t.Errorf("in a minute all was read %d times", n)
		}
		time.Sleep(10 * time.Second)
		if s := tm.watch(); len(s.Machines) != 2 || len(s.Requests) != 2 {
			t.Errorf("%d machines with %d calls are drawn", len(s.Machines), len(s.Requests))
		}
	})
}

// That no server is in reach is drawn at once, before the machines are late.
func TestNoServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "a", "b")
		if s := tm.watch(); s.Health.Servers != broker.ServersUp {
			t.Errorf("at first %q", s.Health.Servers)
		}
		_, updates := tm.Watch(t.Context())
		tm.servers.down.Store(true)
		time.Sleep(2 * tickEvery)
		told := ""
		for len(updates) > 0 {
			if u := <-updates; u.Health != nil {
				told = u.Health.Servers
			}
		}
		if s := tm.watch(); told != "connection refused" || s.Health.Servers != told {
			t.Errorf("without a server %q is told, and drawn %q", told, s.Health.Servers)
		}
	})
}

// A console that begins while nothing is heard draws that, and not that all is well.
func TestNobodyIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTeam(t, members.Operator, "a", "b")
		for _, m := range tm.machines {
			tm.servers.reach(m.id(), false)
		}
		s := tm.watch()
		if got := reaches(s); got["a"] != broker.ReachOut || len(s.Requests) != 2 {
			t.Errorf("%v, %d calls", got, len(s.Requests))
		}
		if _, err := tm.History(t.Context(), 3); err != nil {
			t.Error(err)
		}
	})
}

func TestMergedHealth(t *testing.T) {
	at := func(name string, h broker.Health) *peer { return &peer{member: members.Member{Name: name}, health: &h} }
	frozen, full := broker.Health{Frozen: true, FrozenBy: you, LogSeq: 3}, broker.Health{StoreErr: "the disk is full", Floods: []broker.Flood{{SessionID: "s", Refused: 2}}, MoreFloods: 1}
	for name, c := range map[string]struct {
		list []*peer
		want broker.Health
	}{
		"none":             {nil, broker.Health{}},
		"one":              {[]*peer{at("a", frozen)}, frozen},
		"all frozen":       {[]*peer{at("a", frozen), at("b", frozen)}, broker.Health{Frozen: true, FrozenBy: you}},
		"one not known":    {[]*peer{at("a", full), {}}, broker.Health{StoreErr: "a: the disk is full", Floods: full.Floods, MoreFloods: 1}},
		"one frozen alone": {[]*peer{at("a", frozen), at("b", full)}, broker.Health{StoreErr: "b: the disk is full", Floods: full.Floods, MoreFloods: 1}},
	} {
		if got := mergeHealth(c.list); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %s", name, cmp.Diff(c.want, got))
		}
	}
}
