package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
)

// In stretches of any size it sees all that Verify sees.
func TestCheckFindsTampering(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, want string }{
		{"nothing", ``, ""},
		{"the tables of rules, which decide nothing", `DELETE FROM rules; DELETE FROM rule_use`, ""},
		{"an event changed", `UPDATE events SET data = '{}' WHERE seq = 4`, "event 4: it was changed"},
		{"an event deleted", `DELETE FROM events WHERE seq = 4`, "event 5: events 4 to 4 before it are gone"},
		{"the last event deleted", `DELETE FROM events WHERE seq = 9`, "event 8: the log ends here, but its end was event 9"},
		{
			"the last event deleted with its record",
			`DELETE FROM events WHERE seq = 9; UPDATE head SET (seq, hash) = (SELECT seq, hash FROM events WHERE seq = 8)`,
			"event 8: the log ends here; this console has written 9 events",
		},
		{
			"the last fact hidden well", `UPDATE events SET type = 'message', subject = NULL, seal = NULL WHERE seq = 7; UPDATE head SET facts = 5`,
			"event 7: it was changed",
		},
		{
			"an event added", `INSERT INTO events SELECT 10, at_ms, type, '', '', '', NULL, NULL, hash FROM events WHERE seq = 9`,
			"event 10: it was changed, or the event before it was (and 1 more)",
		},
		{"the end on record", `UPDATE head SET hash = zeroblob(32)`, "event 9: the log's end is not the one on record"},
		{"no record of the end", `DELETE FROM head`, "event 9: the record of the log's end is gone"},
		{"a decision changed", `UPDATE requests SET status = 'denied' WHERE id = 'called'`, "request/called: it is not what event 8 recorded"},
		{"a decision taken from its rule", `UPDATE requests SET by_id = 'another' WHERE id = 'called'`, "request/called: it is not what event 8 recorded"},
		{"a decision deleted", `DELETE FROM requests WHERE id = 'called'`, "event 8 (request/called): the row that it is about is gone"},
		{"a request forged far away", `INSERT INTO requests SELECT -7, 'forged', 'forged', session_id, agent, event, tool_use_id, subagent_id, subagent_type, tool_name, tool_input, cwd,
			mode, description, digest, asker_pid, asker_start, created_at_ms, expires_at_ms, status, decided_at_ms, by_kind, by_id, by_pid, by_exe, by_tty, reason, updated_input
			FROM requests WHERE id = 'called'; UPDATE requests SET n = 1 << 62 WHERE id = 'called'`, "request/forged: the log has no request_decided"},
		{"a grant forged", `INSERT INTO grants VALUES ('forged', '', '', '', '', '', '', 0, '', '', 0, 0, NULL)`, "grant/forged: the log has no"},
	} {
		for _, stretch := range []int64{1, 3, 9, 5000} {
			t.Run(fmt.Sprint(tt.name, " in stretches of ", stretch), func(t *testing.T) {
				path := ruled(t)
				s := openAt(t, path)
				foreign(t, path, tt.script)
				got, err := s.CheckIn(t.Context(), stretch)
				if err != nil || !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
					t.Errorf("Check = %q, %v; want %q", got, err, tt.want)
				}
			})
		}
	}
}

// Whoever rewrites the log with all of its hashes, and the record of its end, still
// cannot write what the running console remembers.
func TestCheckFindsARewrittenLog(t *testing.T) {
	path, other := ruled(t), ruled(t)
	s := openAt(t, path)
	commit(t, s, asked("r1"))
	o := openAt(t, other)
	commit(t, o, asked("r2"), asked("r3"))
	closeStore(t, o)
	foreign(t, path, `ATTACH '`+other+`' AS o; DELETE FROM events; DELETE FROM requests; INSERT INTO events SELECT * FROM o.events;
		INSERT INTO requests SELECT * FROM o.requests; UPDATE head SET (seq, hash, facts) = (SELECT seq, hash, facts FROM o.head)`)
	const want = "event 10: it is not the one that this console wrote"
	if got, err := s.Check(t.Context()); err != nil || got != want {
		t.Errorf("Check = %q, %v; want %q", got, err, want)
	}
}

// A console at work is no reason for doubt.
func TestCheckBesideTheWriter(t *testing.T) {
	t.Parallel()
	s := openAt(t, filled(t))
	done := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range 100 {
				if err := work(t.Context(), s, fmt.Sprint(w, "-", i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	go func() { writers.Wait(); close(done) }()
	for checks := 0; ; checks++ {
		problem, err := s.CheckIn(t.Context(), 100)
		if err != nil || problem != "" {
			t.Errorf("Check = %q, %v", problem, err)
		}
		if _, doubt, err := s.Facts(t.Context()); err != nil || doubt != "" {
			t.Errorf("Facts: %q, %v", doubt, err)
		}
		select {
		case <-done:
			t.Logf("%d checks meanwhile", checks)
			checkClean(t, s)
			return
		default:
		}
	}
}

// work is a bit of everything that a console records.
func work(ctx context.Context, s broker.Store, id string) error {
	r := brokertest.PendingRequest(id, "s1")
	rule := brokertest.NewRule("rule-" + id)
	for _, c := range []*broker.Change{
		brokertest.Asked(r), brokertest.Saved(rule), brokertest.Ended(r, brokertest.Outcome(broker.Expired)),
		brokertest.Granted(brokertest.NewGrant("grant-"+id, r)), brokertest.Removed(rule.ID), brokertest.Used("grant-"+id, id+"-again"),
	} {
		c.Sync = false
		if err := s.Record(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func TestCheckStopsWithItsContext(t *testing.T) {
	s := openAt(t, filled(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if problem, err := s.Check(ctx); problem != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("Check = %q, %v", problem, err)
	}
}
