package brokertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// load is what a starting broker reads, of a log that must verify.
func load(t *testing.T, s broker.Store) broker.Saved {
	t.Helper()
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A store that doubts a sound log would take every rule away from its user.
	if saved.Doubt != "" {
		t.Errorf("nobody touched the log, and it is in doubt: %s", saved.Doubt)
	}
	return saved
}

// facts tries that every fact comes back in the order in which it was said. A starting broker
// folds them, and the last one of a subject holds.
func (k keeper) facts() {
	t, s := k.t, k.s
	// One rule is saved, changed and removed; another has uses, which are counted elsewhere.
	rule := NewRule("rule-1")
	next := rule
	next.Version, next.Enabled, next.Where, next.UpdatedAt = 2, false, nil, Epoch.Add(time.Minute)
	// A rule with almost nothing in it, and bytes that are no text: what is said comes back as it
	// was said.
	bare := rules.Rule{ID: "b\xffre", Version: 1, Decision: rules.Deny, Reason: "odd \x00\xfe bytes"}
	used := NewRule("rule-2")
	used.Uses, used.LastUsedAt = 7, Epoch // counted elsewhere, so not part of what is said
	changes := []*broker.Change{
		Saved(rule), Asked(PendingRequest("between", "s1")), Saved(next), Saved(bare), Saved(used), Removed("rule-1"),
		{Events: []*broker.Event{Fact(broker.EventFileTrusted, broker.FileTrustedData{Path: "/src/.aoctl/rules.toml", Digest: "d1", By: Operator})}},
		{Events: []*broker.Event{
			Fact(broker.EventTokenMinted, broker.TokenData{ID: "t1", Hash: "abc", Label: "ci", By: Operator}),
			// An event that is no fact stands between two that are.
			{At: Epoch, Type: broker.EventMessage},
			Fact(broker.EventTokenRevoked, broker.TokenData{ID: "t1", By: Operator}),
		}},
		Removed("rule-1"), // whatever happened to its row, what was said holds
	}
	commit(t, s, changes...)
	var want []broker.Event
	for _, c := range changes {
		for _, e := range c.Events {
			if e.Type != broker.EventRequestCreated && e.Type != broker.EventMessage {
				want = append(want, *e)
			}
		}
	}
	// This guards the test itself: a helper that forgot an event would make it pass for nothing.
	if len(want) != 9 {
		t.Fatalf("%d facts were said, want 9", len(want))
	}
	same(t, "facts", load(t, s).Facts, want)
	same(t, "the log", list(t, s.Events, broker.EventFilter{Limit: 1})[0], want[8])
	// Two events between the facts are in the log and are no facts.
	if seq, hash := s.Head(); hash != want[8].Hash || seq != 11 {
		t.Errorf("head is %d %s, the newest fact %d %s", seq, hash, want[8].Seq, want[8].Hash)
	}
}

// goldenFacts is the hash of the log that factsHead writes; see goldenHead.
const goldenFacts = "9c184ef2fef62f35245c7a220e4d22f7c57ba8a19c70b4d66f9bc89c1ae4a38e"

// factsHead tries that facts are numbered in the log. A fact that somebody took out would leave a
// gap in the numbers.
func (k keeper) factsHead() {
	t, s := k.t, k.s
	commit(t, s, &broker.Change{Events: []*broker.Event{
		{At: Epoch, Type: broker.EventTokenMinted, Data: json.RawMessage(`{"id":"t1","hash":"abc"}`)},
		{At: Epoch, Type: broker.EventMessage},
	}}, &broker.Change{Events: []*broker.Event{{At: Epoch, Type: broker.EventFileTrusted, Data: json.RawMessage(`{"path":"/src"}`)}}})
	if _, hash := s.Head(); hash != goldenFacts {
		t.Errorf("the facts end in %s, want %s", hash, goldenFacts)
	}
}

// factsWhole tries that the row of a rule and its event say the same, field by field: other
// programs read the row, the broker believes the event.
func (k keeper) factsWhole() {
	t, s := k.t, k.s
	rule := NewRule("rule-1")
	commit(t, s, Saved(rule))
	// The change to spoil saves a second version of a rule that is there.
	other := rule
	other.Version = 2
	for name, spoil := range map[string]func(c *broker.Change){
		"a row without event":    func(c *broker.Change) { c.Events = nil },
		"an event without row":   func(c *broker.Change) { c.Rules = nil },
		"two events":             func(c *broker.Change) { c.Events = append(c.Events, RuleSaved(other)) },
		"two rows":               func(c *broker.Change) { c.Rules = append(c.Rules, other) },
		"another version":        func(c *broker.Change) { c.Rules[0].Version++ },
		"another decision":       func(c *broker.Change) { c.Rules[0].Decision = rules.Deny },
		"another parameter":      func(c *broker.Change) { c.Rules[0].Where = map[string]string{"command": "**"} },
		"another scope":          func(c *broker.Change) { c.Rules[0].Scope = rules.Scope{} },
		"another end":            func(c *broker.Change) { c.Rules[0].ExpiresAt = time.Time{} },
		"danger allowed":         func(c *broker.Change) { c.Rules[0].Dangerous = !c.Rules[0].Dangerous },
		"another rule":           func(c *broker.Change) { c.Rules[0].ID = "rule-2" },
		"data that says nothing": func(c *broker.Change) { c.Events[0].Data = json.RawMessage(`{}`) },
		"no data":                func(c *broker.Change) { c.Events[0].Data = nil },
		"data of another shape":  func(c *broker.Change) { c.Events[0].Data = json.RawMessage(`{"rule":7}`) },
		"removed as well": func(c *broker.Change) {
			r := Removed("rule-1")
			c.Remove, c.Events = r.Remove, append(c.Events, r.Events...)
		},
		"a removal without event":  func(c *broker.Change) { c.Remove = []string{"rule-9"} },
		"an event without removal": func(c *broker.Change) { c.Events = append(c.Events, Removed("rule-9").Events...) },
		"another removal": func(c *broker.Change) {
			c.Remove, c.Events = []string{"rule-8"}, append(c.Events, Removed("rule-9").Events...)
		},
		// From here on it is about facts that are no rules.
		"a use without id": func(c *broker.Change) { c.Used = []string{""} },
		"a token without id": func(c *broker.Change) {
			c.Events = append(c.Events, Fact(broker.EventTokenMinted, broker.TokenData{Hash: "h"}))
		},
		"a revocation of no token": func(c *broker.Change) {
			c.Events = append(c.Events, Fact(broker.EventTokenRevoked, broker.TokenData{}))
		},
		"trust in no file": func(c *broker.Change) {
			c.Events = append(c.Events, Fact(broker.EventFileTrusted, broker.FileTrustedData{Digest: "d"}))
		},
		"trust in what is no datum": func(c *broker.Change) {
			c.Events = append(c.Events, &broker.Event{At: Epoch, Type: broker.EventFileTrusted})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := Saved(other)
			spoil(c)
			refuse(t, s, c, broker.ErrInvalid)
		})
	}
	// Rules that no broker makes are refused as well, whoever hands them over.
	for name, spoil := range map[string]func(r *rules.Rule){
		"no id":               func(r *rules.Rule) { r.ID = "" },
		"no version":          func(r *rules.Rule) { r.Version = 0 },
		"no decision":         func(r *rules.Rule) { r.Decision = "" },
		"another language":    func(r *rules.Rule) { r.Decision = "perhaps" },
		"fewer uses than one": func(r *rules.Rule) { r.MaxUses = -1 },
		"a file's rule":       func(r *rules.Rule) { r.Source = "/src/.aoctl/rules.toml" },
	} {
		t.Run("a rule of "+name, func(t *testing.T) {
			r := NewRule("rule-3")
			spoil(&r)
			refuse(t, s, Saved(r), broker.ErrInvalid)
		})
	}
	// A use without any event has no time.
	refuse(t, s, &broker.Change{Used: []string{"rule-1"}}, broker.ErrInvalid) // when?
	// Only the first rule is on record.
	if got := load(t, s).Facts; len(got) != 1 {
		t.Errorf("%d facts, want 1", len(got))
	}
	if seq, _ := s.Head(); seq != 1 {
		t.Errorf("%d events, want 1", seq)
	}
}

// spoke is the change in which a rule decides request id and rules are counted. It is decided at
// once, so no person waited for it.
func spoke(id string, at time.Time, rule string, used ...string) *broker.Change {
	o := Outcome(broker.Allowed)
	o.By, o.At = broker.Actor{Kind: broker.ByRule, ID: rule}, at
	c := DecidedAtOnce(PendingRequest(id, "s1"), o)
	c.Used = used
	return c
}

// uses tries how often rules spoke, and when last. A rule that may speak three times must not get
// a fourth by being edited, removed or saved anew.
func (k keeper) uses() {
	t, s := k.t, k.s
	rule, at := NewRule("rule-1"), func(minutes int) time.Time { return Epoch.Add(time.Duration(minutes) * time.Minute) }
	next := rule
	next.Version = 2
	commit(t, s, Saved(rule),
		spoke("r1", at(1), "rule-1", "rule-1"),
		spoke("r2", at(3), "rule-1", "rule-1", "rule-2"), // its parts rest on two rules
		spoke("r3", at(2), rules.BuiltinReadOnly, rules.BuiltinReadOnly))
	// The last use is the latest time, not the one that was told last.
	want := map[string]broker.RuleUse{
		"rule-1": {Uses: 2, Last: at(3)}, "rule-2": {Uses: 1, Last: at(3)}, rules.BuiltinReadOnly: {Uses: 1, Last: at(2)},
	}
	same(t, "uses", load(t, s).RuleUse, want)

	// Neither an edit nor a removal nor its return gives a rule new life.
	commit(t, s, Saved(next), Removed("rule-1"))
	same(t, "uses of a removed rule", load(t, s).RuleUse, want)
	commit(t, s, Saved(rule), &broker.Change{
		Used:   []string{"rule-1", "rule-1"}, // two waiting calls at once
		Events: []*broker.Event{{At: at(1), Type: broker.EventMessage}, {At: at(2), Type: broker.EventMessage}},
	})
	// Two uses in one change count twice.
	want["rule-1"] = broker.RuleUse{Uses: 4, Last: at(3)}
	same(t, "uses of a rule that came back", load(t, s).RuleUse, want)

	for _, times := range [][]int{{8, 2}, {5}} { // what is told last need not be what happened last
		c := &broker.Change{Used: []string{"rule-3"}}
		for _, m := range times {
			c.Events = append(c.Events, &broker.Event{At: at(m), Type: broker.EventMessage})
		}
		commit(t, s, c)
	}
	// The later time stays, although an earlier one was told after it.
	want["rule-3"] = broker.RuleUse{Uses: 2, Last: at(8)}
	same(t, "uses out of order", load(t, s).RuleUse, want)

	// A change that was not recorded has counted nothing.
	failed := spoke("r1", at(9), "rule-1", "rule-1") // r1 is taken
	refuse(t, s, failed, broker.ErrDuplicate)
	same(t, "uses after a failed change", load(t, s).RuleUse, want)
}

// usesAtLeast tries that uses are no fewer than the calls that a rule ended, even where
// Change.Used did not count one: the requests themselves tell.
func (k keeper) usesAtLeast() {
	t, s := k.t, k.s
	// Only the second of these three calls was counted by Change.Used.
	deny := Outcome(broker.Denied)
	deny.By, deny.At = broker.Actor{Kind: broker.ByRule, ID: "rule-1"}, Epoch.Add(time.Hour)
	// A refusal of a waiting call is a use of the rule as well.
	waiting := PendingRequest("r3", "s1")
	commit(t, s, spoke("r1", Epoch, "rule-1"), spoke("r2", Epoch.Add(time.Minute), "rule-1", "rule-1"), Asked(waiting), Ended(waiting, deny))
	// What a person decided counts for no rule.
	person := PendingRequest("r4", "s1")
	commit(t, s, Asked(person), Ended(person, Outcome(broker.Allowed)))
	same(t, "uses", load(t, s).RuleUse, map[string]broker.RuleUse{"rule-1": {Uses: 3, Last: deny.At}})
}

// revoked tries that a grant that was taken back is gone like a used one, and that the event must
// say so.
func (k keeper) revoked() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	commit(t, s, Granted(NewGrant("g1", r)), Granted(NewGrant("g2", r)))
	for name, spoil := range map[string]func(c *broker.Change){
		"another grant":   func(c *broker.Change) { c.Events[0].Data = json.RawMessage(`{"grant":"g2","revoked":true}`) },
		"no grant":        func(c *broker.Change) { c.Events[0].Data = json.RawMessage(`{"revoked":true}`) },
		"no data":         func(c *broker.Change) { c.Events[0].Data = nil },
		"used by a call":  func(c *broker.Change) { c.UseGrant.By = "r2" },
		"without a grant": func(c *broker.Change) { c.UseGrant = nil },
	} {
		t.Run(name, func(t *testing.T) {
			c := Revoked("g1")
			spoil(c)
			refuse(t, s, c, broker.ErrInvalid)
		})
	}
	// From here on the changes are whole, and the state of the grant decides.
	refuse(t, s, Revoked("g9"), broker.ErrNotFound)
	commit(t, s, Revoked("g1"), Used("g2", "r2"))
	refuse(t, s, Used("g1", "r3"), broker.ErrGrantUsed)
	refuse(t, s, Revoked("g1"), broker.ErrGrantUsed)
	refuse(t, s, Revoked("g2"), broker.ErrGrantUsed)
	// Used or taken back, neither is loaded again.
	if got := load(t, s).Grants; len(got) != 0 {
		t.Errorf("grants are left: %v", got)
	}
}

// goodGrants tries the difference between what is listed for people, which is still good, and
// what is loaded, which may have expired.
func (k keeper) goodGrants() {
	t, s := k.t, k.s
	r, now := PendingRequest("r1", "s1"), time.Now().UTC().Truncate(time.Millisecond)
	var made []broker.Grant
	// The second one has expired; the last two are used and taken back below.
	for i, life := range []time.Duration{time.Hour, -time.Second, 2 * time.Hour, time.Hour, time.Hour} {
		g := NewGrant(fmt.Sprint("g", i), r)
		g.CreatedAt, g.ExpiresAt = now.Add(-time.Duration(i)*time.Minute), now.Add(life)
		made = append(made, g)
		commit(t, s, Granted(g))
	}
	commit(t, s, Used("g3", "r2"), Revoked("g4"))
	got, err := s.Grants(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "grants", got, []broker.Grant{made[2], made[0]})
	saved := load(t, s)
	same(t, "grants of Load", saved.Grants, []broker.Grant{made[2], made[1], made[0]})
}

// decide records request id as ending with o, minutes after Epoch.
func (k keeper) decide(id, session string, minutes int, o broker.Outcome) broker.Request {
	r := PendingRequest(id, session)
	o.At = r.CreatedAt.Add(time.Duration(minutes) * time.Minute)
	commit(k.t, k.s, Asked(r), Ended(r, o))
	r.State, r.Outcome = o.State, &o
	return r
}

// history tries the walk through all decided requests: by decision, oldest first, and by id where
// two were decided at once. The caller may read the store meanwhile.
func (k keeper) history() {
	t, s := k.t, k.s
	if err := s.EachRequest(t.Context(), time.Time{}, func(broker.Request) error { return errors.New("called") }); err != nil {
		t.Errorf("of an empty store: %v", err)
	}
	// The order of decisions is another than that of the questions.
	late := k.decide("r1", "s1", 9, Outcome(broker.Allowed))
	first := k.decide("r2", "s2", 1, Outcome(broker.Denied))
	// Two calls end in the same moment.
	tie := k.decide("r3", "s1", 5, Outcome(broker.Expired))
	alsoTie := k.decide("r4", "s1", 5, Outcome(broker.Cancelled))
	commit(t, s, Asked(PendingRequest("waits", "s1")))

	// The inner read would hang if the store held a lock or its only connection during the walk.
	told := func(since time.Time) (all []broker.Request) {
		t.Helper()
		err := s.EachRequest(t.Context(), since, func(r broker.Request) error {
			// What the walk tells of a call is what reading it tells.
			same(t, "asked for meanwhile", request(t, s, r.ID), r)
			all = append(all, r)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	same(t, "all", told(time.Time{}), []broker.Request{first, tie, alsoTie, late})
	same(t, "since", told(tie.Outcome.At), []broker.Request{tie, alsoTie, late})
	same(t, "since a moment later", told(tie.Outcome.At.Add(time.Millisecond)), []broker.Request{late})

	// The walk ends with the caller's own error.
	enough, n := errors.New("enough"), 0
	err := s.EachRequest(t.Context(), time.Time{}, func(broker.Request) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	})
	if err != enough || n != 2 { //nolint:errorlint // it is handed through as it is
		t.Errorf("stopped with %v after %d", err, n)
	}
}

// stats tries which number each end of a call counts for. Package tally counts the same way from
// the same rows.
func (k keeper) stats() {
	t, s := k.t, k.s
	count := func(session string, since time.Time) broker.Stats {
		t.Helper()
		v, err := s.Stats(t.Context(), session, since)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	same(t, "of an empty store", count("", time.Time{}), broker.Stats{})
	// id is a rule's, a token's or a grant's, by kind.
	by := func(state broker.State, kind broker.ActorKind, id string) broker.Outcome {
		o := Outcome(state)
		o.By = broker.Actor{Kind: kind, ID: id}
		return o
	}
	for i, e := range []struct {
		session string
		minutes int
		broker.Outcome
	}{
		{"s1", 0, by(broker.Allowed, broker.ByRule, "rule-1")}, // nobody was asked; the next two had waited for a person
		{"s2", 1, by(broker.Allowed, broker.ByRule, "rule-2")},
		{"s1", 9, by(broker.Denied, broker.ByRule, "rule-1")},
		{"s1", 2, by(broker.Allowed, broker.ByOperator, "")},
		{"s1", 8, by(broker.Denied, broker.ByOperator, "")},
		{"s2", 4, by(broker.Allowed, broker.ByOperator, "")},
		{"s2", 6, by(broker.Denied, broker.ByOperator, "")},
		{"s1", 0, by(broker.Allowed, broker.ByOperator, "grant")}, // nobody waited for it
		{"s1", 0, by(broker.Allowed, broker.ByOperator, "another")},
		{"s1", 7, by(broker.Denied, broker.ByProcess, "")},
		{"s1", 10, by(broker.Expired, broker.ByDeadline, "")},
		{"s1", 3, by(broker.Cancelled, broker.ByAgent, "")},
		{"s1", 3, by(broker.Denied, broker.ByStop, "")},
		{"s2", 3, by(broker.Answered, broker.ByObserve, "")},
		{"s1", 3, by(broker.Expired, broker.ByObserve, "")},
	} {
		k.decide(fmt.Sprint("r", i), e.session, e.minutes, e.Outcome)
	}
	// A call that waits is no part of the figures.
	commit(t, s, Asked(PendingRequest("waits", "s1")))
	same(t, "all", count("", time.Time{}), broker.Stats{
		Calls: 15, ByRule: 2, ByHand: 4, Denied: 4, RuleDeny: 1, Expired: 1, Other: 1, Observed: 2,
		Median: 4 * time.Minute, Saved: 1,
	})
	same(t, "of a session", count("s2", time.Time{}), broker.Stats{
		Calls: 4, ByRule: 1, ByHand: 1, Denied: 1, Observed: 1, Median: 4 * time.Minute,
	})
	same(t, "since", count("s1", Epoch.Add(8*time.Minute)), broker.Stats{
		Calls: 3, Denied: 1, RuleDeny: 1, Expired: 1, Median: 8 * time.Minute,
	})
	same(t, "of nobody", count("s9", time.Time{}), broker.Stats{})
}
