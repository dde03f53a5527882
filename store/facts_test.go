package store_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/store/chain"
)

// ruleOf is a rule of fillRules, in the given version.
func ruleOf(id string, version int, decision rules.Verdict) rules.Rule {
	r := brokertest.NewRule(id)
	r.Version, r.Decision = version, decision
	return r
}

// fillRules records a little of everything about rules. The log is then:
//
//	1  rule_saved "edited", version 1     5  rule_saved "removed"
//	2  rule_saved "deny"                  6  rule_removed "removed"
//	3  rule_saved "edited", version 2     7  token_minted "t1"
//	4  message                            8  request_decided "called", by rule "edited"
//	                                      9  message
func fillRules(t *testing.T, s *store.Store) {
	t.Helper()
	o := brokertest.Outcome(broker.Allowed)
	o.By = broker.Actor{Kind: broker.ByRule, ID: "edited"}
	called := brokertest.DecidedAtOnce(brokertest.PendingRequest("called", "s1"), o)
	called.Used = []string{"edited"}
	message := func() *broker.Change {
		return &broker.Change{Events: []*broker.Event{{At: brokertest.Epoch, Type: broker.EventMessage, Data: []byte(`{"text":"one"}`)}}}
	}
	commit(t, s,
		brokertest.Saved(ruleOf("edited", 1, rules.Allow)), brokertest.Saved(ruleOf("deny", 1, rules.Deny)),
		brokertest.Saved(ruleOf("edited", 2, rules.Allow)), message(),
		brokertest.Saved(ruleOf("removed", 1, rules.Allow)), brokertest.Removed("removed"),
		&broker.Change{Events: []*broker.Event{brokertest.Fact(broker.EventTokenMinted, broker.TokenData{ID: "t1", Hash: "abc"})}},
		called, message())
}

// ruled is the path of a closed database with what fillRules records.
func ruled(t *testing.T) string {
	t.Helper()
	path := t.TempDir() + "/aoctl.db"
	s := openAt(t, path)
	fillRules(t, s)
	closeStore(t, s)
	return path
}

func tell(events []broker.Event) string {
	var list []string
	for _, e := range events {
		list = append(list, fmt.Sprint(e.Seq))
	}
	return strings.Join(list, " ")
}

// Another program of the same user edits rules in the database while no console runs.
func TestTamperedFactsAreInDoubt(t *testing.T) {
	t.Parallel()
	const all = "1 2 3 5 6 7"
	const forged = `(SELECT replace(data, '"deny"', '"allow"') FROM events WHERE seq = 2)`
	for _, tt := range []struct {
		name   string
		script string
		doubt  string // part of it
		facts  string // numbers of the events for which the log still vouches
		verify string // part of what Verify says first
		lost   int64  // the event up to which a fact may be gone
	}{
		{"a rule says something else", `UPDATE events SET data = ` + forged + ` WHERE seq = 2`, "event 2 (rule_saved) was changed", "1 3 5 6 7", "event 2 (fact/2): it was changed", 2},
		{"a saved rule is deleted", `DELETE FROM events WHERE seq = 2`, "the event before event 3 (rule_saved) is gone", "1 5 6 7", "event 3: events 2 to 2 before it are gone", 3},
		{"a removal is deleted", `DELETE FROM events WHERE seq = 6`, "the event before event 7 (token_minted) is gone", "1 2 3 5", "events 6 to 6", 7},
		{"a rule becomes a message", `UPDATE events SET type = 'message' WHERE seq = 2`, "event 2 (message) was changed", "1 3 5 6 7", "event 2 (fact/2): it was changed", 2},
		{"a rule becomes a message without number", `UPDATE events SET type = 'message', subject = NULL, seal = NULL WHERE seq = 2`, "event 3 (rule_saved): it is fact/3, and fact/2 should come before it", "1 3 5 6 7", "event 2: it was changed", 2},
		{"the last fact becomes a message", `UPDATE events SET type = 'message', subject = NULL, seal = NULL WHERE seq = 7`, "the log has 5 facts, and 6 on record", "1 2 3 5 6", "event 7: it was changed", 9},
		{"a message becomes a token", `UPDATE events SET type = 'token_minted', data = '{"id":"mine","hash":"ff"}' WHERE seq = 4`, "event 4 (token_minted) was changed", all, "event 4: it was changed", 4},
		{"a message becomes a numbered token", `UPDATE events SET type = 'token_minted', data = '{"id":"mine","hash":"ff"}', subject = 'fact/7', seal = zeroblob(32) WHERE seq = 9`, "event 9 (token_minted) was changed", all, "event 9 (fact/7): it was changed", 9},
		{"a removal becomes a saving", `UPDATE events SET type = 'rule_saved', data = (SELECT data FROM events WHERE seq = 5) WHERE seq = 6`, "event 6 (rule_saved) was changed", "1 2 3 5 7", "event 6 (fact/5): it was changed", 6},
		{"a fact is numbered anew", `UPDATE events SET subject = 'fact/9' WHERE seq = 3`, "event 3 (rule_saved) was changed", "1 2 5 6 7", "event 3 (fact/9): it was changed", 6},
		{"a fact is redated", `UPDATE events SET at_ms = at_ms + 1 WHERE seq = 5`, "event 5 (rule_saved) was changed", "1 2 3 6 7", "event 5 (fact/4): it was changed", 5},
		{"the hash before a fact", `UPDATE events SET hash = randomblob(32) WHERE seq = 4`, "event 5 (rule_saved) was changed, or the event before it", "1 2 3 6 7", "event 4: it was changed", 5},
		{"the number on record", `UPDATE head SET facts = 5`, "the log has 6 facts, and 5 on record", all, "the log has 6 facts, and 5 on record", 0},
		{"a message is deleted", `DELETE FROM events WHERE seq = 8`, "the log has 8 events, but its newest is event 9", all, "event 9: events 8 to 8 before it are gone", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := ruled(t)
			checkClean(t, openReader(t, path))
			foreign(t, path, tt.script)
			checkFound(t, path, tt.verify)
			s := openAt(t, path)
			saved, err := s.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(saved.Doubt, tt.doubt) {
				t.Errorf("in doubt is %q, want %q", saved.Doubt, tt.doubt)
			}
			if got := tell(saved.Facts); got != tt.facts {
				t.Errorf("facts are %s, want %s", got, tt.facts)
			}
			if saved.Lost != tt.lost {
				t.Errorf("lost up to event %d, want %d", saved.Lost, tt.lost)
			}
			if lost := s.Tampered(); len(lost) == 0 {
				t.Error("Tampered says nothing")
			}
			checkDoubtTold(t, path, saved)
			if problem, err := s.Check(t.Context()); err != nil || problem == "" {
				t.Errorf("Check = %q, %v", problem, err)
			}
		})
	}
}

// checkDoubtTold looks whether programs that only read hear the same as the console.
func checkDoubtTold(t *testing.T, path string, saved broker.Saved) {
	t.Helper()
	r := openReader(t, path)
	events, doubt, err := r.Facts(t.Context())
	if err != nil || doubt != saved.Doubt || tell(events) != tell(saved.Facts) {
		t.Errorf("Facts = %s, %q, %v", tell(events), doubt, err)
	}
	list, err := r.Rules(t.Context())
	if !errors.Is(err, broker.ErrTampered) || !strings.Contains(err.Error(), saved.Doubt) {
		t.Errorf("Rules = %v, want ErrTampered", err)
	}
	for _, v := range list {
		if v.ID == "deny" && v.Decision != rules.Deny {
			t.Errorf("rule %s became %s", v.ID, v.Decision)
		}
	}
}

// The tables about rules decide nothing: whatever another program writes there, the
// rules that hold are those of the log. Verify tells of it.
func TestTablesOfRulesDecideNothing(t *testing.T) {
	const copyRow = `INSERT INTO rules SELECT 'forged', version, priority, enabled, scope_project, scope_session, scope_agent, tool, where_json,
		decision, dangerous, reason, expires_at_ms, max_uses, created_by, created_from, created_at_ms, updated_at_ms FROM rules WHERE id = 'edited'`
	for _, tt := range []struct{ name, script, verify string }{
		{"a rule inserted", copyRow, "rule/forged: the log has no such rule"},
		{"a removed rule inserted again", strings.ReplaceAll(copyRow, "forged", "removed"), "rule/removed: the log has no such rule"},
		{"a denial becomes an allowance", `UPDATE rules SET decision = 'allow' WHERE id = 'deny'`, "rule/deny: it is not the rule that the log has"},
		{"a rule that lasts", `UPDATE rules SET expires_at_ms = NULL, max_uses = NULL WHERE id = 'edited'`, "rule/edited: it is not the rule"},
		{"a wider rule", `UPDATE rules SET where_json = '{}', scope_project = '' WHERE id = 'edited'`, "rule/edited: it is not the rule"},
		{"a parameter that is none", `UPDATE rules SET where_json = 'x' WHERE id = 'edited'`, "rule/edited: it is not the rule"},
		{"an older version", `UPDATE rules SET version = 1 WHERE id = 'edited'`, "rule/edited: it is not the rule"},
		{"a rule deleted", `DELETE FROM rules WHERE id = 'deny'`, "rule/deny: the log has it"},
		{"uses set back", `UPDATE rule_use SET uses = 0, last_used_at_ms = 0`, ""},
		{"uses deleted", `DELETE FROM rule_use`, ""},
		{"a call taken from its rule", `UPDATE requests SET by_id = 'another' WHERE id = 'called'`, "request/called"},
		{"a waiting call that a rule decided", `INSERT INTO requests SELECT NULL, 'w', 'w', session_id, agent, event, tool_use_id, subagent_id, subagent_type, tool_name, tool_input,
			cwd, mode, description, digest, asker_pid, asker_start, created_at_ms, expires_at_ms, 'pending', NULL, 'rule', 'edited', 0, '', '', '', '' FROM requests WHERE id = 'called'`, "request/w"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := ruled(t)
			want := rulesOf(t, path)
			foreign(t, path, tt.script)
			s := openAt(t, path)
			saved, err := s.Load(t.Context())
			doubt := strings.HasPrefix(tt.verify, "rule/") // what is uncertain allows nothing
			if err != nil || (saved.Doubt != "") != doubt {
				t.Fatalf("in doubt: %q, %v", saved.Doubt, err)
			}
			if uses := saved.RuleUse["edited"]; uses.Uses != 1 {
				t.Errorf("the rule was used %d times, want 1", uses.Uses)
			}
			if got, err := openReader(t, path).Rules(t.Context()); errors.Is(err, broker.ErrTampered) != doubt {
				t.Errorf("Rules = %v", err)
			} else if d := cmp.Diff(want, got); d != "" {
				t.Errorf("rules (-before +after):\n%s", d)
			}
			if tt.verify != "" {
				checkFound(t, path, tt.verify)
			}
		})
	}
}

func rulesOf(t *testing.T, path string) []rules.Rule {
	t.Helper()
	list, err := openReader(t, path).Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Cutting the newest fact off together with the record of the log's end, while no
// console runs, leaves a log that fits; the table of rules tells.
func TestFactsCutOffWithTheirRecord(t *testing.T) {
	path := ruled(t)
	s := openAt(t, path)
	commit(t, s, brokertest.Removed("edited"))
	closeStore(t, s)
	foreign(t, path, `DELETE FROM events WHERE seq = (SELECT max(seq) FROM events);
		UPDATE head SET facts = facts - 1, (seq, hash) = (SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1)`)
	saved, err := openAt(t, path).Load(t.Context())
	if err != nil || !strings.Contains(saved.Doubt, "rule/edited: the log has it, the table of rules does not") {
		t.Errorf("in doubt: %q, %v", saved.Doubt, err)
	}
	checkFound(t, path, "rule/edited")
}

// A count of uses that was set back is found for every rule that spoke, not only for the
// one that is named with the call.
func TestUsesSetBackAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoctl.db")
	s := openAt(t, path)
	o := brokertest.Outcome(broker.Allowed)
	o.By = broker.Actor{Kind: broker.ByRule, ID: "named"}
	c := brokertest.DecidedAtOnce(brokertest.PendingRequest("called", "s1"), o)
	c.Used = []string{"named", "other"}
	c.Events[0].Data = []byte(strings.TrimSuffix(string(c.Events[0].Data), "}") + `,"rules":["named","other"]}`)
	commit(t, s, c)
	checkClean(t, s)
	if problem, err := s.Check(t.Context()); problem != "" || err != nil {
		t.Errorf("Check = %q, %v", problem, err)
	}
	for _, script := range []string{`UPDATE rule_use SET uses = 0 WHERE id = 'other'`, `DELETE FROM rule_use WHERE id = 'other'`} {
		foreign(t, path, script)
		checkFound(t, path, "rule/other: ")
		if problem, err := s.Check(t.Context()); !strings.Contains(problem, "rule/other") || err != nil {
			t.Errorf("Check = %q, %v", problem, err)
		}
	}
}

// An event that fits the chain and moves the record of its end along, but is no fact
// that a console numbered.
func TestUnnumberedTokenIsInDoubt(t *testing.T) {
	path := ruled(t)
	seq, hash, err := openReader(t, path).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var prev chain.Hash
	if _, err := hex.Decode(prev[:], []byte(hash)); err != nil {
		t.Fatal(err)
	}
	const data = `{"id":"mine","hash":"ff"}`
	next := chain.Link{Seq: seq + 1, AtMS: 1, Type: broker.EventTokenMinted, Data: data}.After(prev)
	foreign(t, path, fmt.Sprintf(`INSERT INTO events VALUES (%d, 1, 'token_minted', '', '', '%s', NULL, NULL, x'%x');
		UPDATE head SET seq = %[1]d, hash = x'%[3]x'`, seq+1, data, next))
	saved, err := openAt(t, path).Load(t.Context())
	if err != nil || !strings.Contains(saved.Doubt, "it has no number among the facts") || tell(saved.Facts) != "1 2 3 5 6 7" {
		t.Errorf("facts %s, in doubt %q, %v", tell(saved.Facts), saved.Doubt, err)
	}
	checkFound(t, path, "it has no number among the facts")
}

// While a console runs, nothing more is recorded once the number of facts was changed.
func TestFactsChangedUnderARunningConsole(t *testing.T) {
	path := ruled(t)
	s := openAt(t, path)
	foreign(t, path, `UPDATE head SET facts = facts - 1`)
	if err := s.Record(t.Context(), asked("r1")); !errors.Is(err, store.ErrForeignWrite) {
		t.Errorf("Record = %v, want ErrForeignWrite", err)
	}
}
