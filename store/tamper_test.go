package store_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/store/chain"
)

// Another program of the same user edits the database while no console runs.
func TestTamperingIsFoundAndNotHonoured(t *testing.T) {
	t.Parallel()
	const swap = `CREATE TEMP TABLE o AS SELECT * FROM events WHERE seq IN (15, 16);
		UPDATE events SET (data, hash) = (SELECT data, hash FROM o WHERE o.seq = 31 - events.seq) WHERE seq IN (15, 16)`
	const copyRequest = `INSERT INTO requests SELECT NULL, 'forged', 'forged', session_id, agent, event, tool_use_id, subagent_id,
		subagent_type, tool_name, tool_input, cwd, mode, description, digest, asker_pid, asker_start, created_at_ms, expires_at_ms,
		status, decided_at_ms, by_kind, by_id, by_pid, by_exe, by_tty, reason, updated_input FROM requests WHERE id = `
	for _, tt := range []struct {
		name   string
		script string
		want   string // part of what Verify says first
		row    string // request that must not be honoured, if it is about one
	}{
		{"a denial becomes an allowance", `UPDATE requests SET status = 'allowed' WHERE id = 'denied'`, "request/denied", "denied"},
		{"a pending request is allowed", `UPDATE requests SET status = 'allowed', decided_at_ms = 1, by_kind = 'operator' WHERE id = 'pending'`, "request/pending: the log has no request_decided", "pending"},
		{"a denied request is pending again", `UPDATE requests SET status = 'pending', decided_at_ms = NULL, by_kind = '', by_pid = 0, by_exe = '', by_tty = '', reason = '' WHERE id = 'denied'`, "request/denied: it is pending", "denied"},
		{"another command was allowed", `UPDATE requests SET tool_input = '{"command":"rm -rf ~"}' WHERE id = 'allowed'`, "request/allowed: the digest", "allowed"},
		{"the command of a waiting call", `UPDATE requests SET tool_input = '{"command":"true"}' WHERE id = 'pending'`, "request/pending: the digest", "pending"},
		{"another edited input", `UPDATE requests SET updated_input = '{"command":"rm -rf ~"}' WHERE id = 'allowed'`, "request/allowed", "allowed"},
		{"another reason", `UPDATE requests SET reason = 'go on' WHERE id = 'denied'`, "request/denied", "denied"},
		{"another decider", `UPDATE requests SET by_kind = 'rule' WHERE id = 'allowed'`, "request/allowed", "allowed"},
		{"another time", `UPDATE requests SET decided_at_ms = decided_at_ms + 1 WHERE id = 'allowed'`, "request/allowed", "allowed"},
		{"another key", `UPDATE requests SET key = 'key-of-a-later-call' WHERE id = 'allowed'`, "request/allowed", "allowed"},
		{"another session", `UPDATE requests SET session_id = 's2' WHERE id = 'ruled'`, "request/ruled", "ruled"},
		{"a longer life", `UPDATE requests SET expires_at_ms = expires_at_ms * 2 WHERE id = 'pending'`, "request/pending", "pending"},
		{"two outcomes swapped", `UPDATE requests SET status = CASE id WHEN 'allowed' THEN 'denied' ELSE 'allowed' END WHERE id IN ('allowed', 'denied')`, "request/allowed", "denied"},
		{"two ids swapped", `UPDATE requests SET id = 'tmp', key = 'tmp' WHERE id = 'allowed';
			UPDATE requests SET id = 'allowed', key = 'key-allowed' WHERE id = 'denied';
			UPDATE requests SET id = 'denied', key = 'key-denied' WHERE id = 'tmp'`, "request/denied", "denied"},
		{"a request inserted", copyRequest + `'allowed'`, "request/forged: the log has no", "forged"},
		{"a waiting request inserted", copyRequest + `'pending'`, "request/forged: the log has no", "forged"},
		{"a request deleted", `DELETE FROM requests WHERE id = 'denied'`, "(request/denied): the row that it is about is gone", "denied"},
		{"request and events deleted", `DELETE FROM requests WHERE id = 'denied'; DELETE FROM events WHERE request_id = 'denied'`, "are gone", "denied"},

		{"an event changed", `UPDATE events SET data = '{"text":"three"}' WHERE seq = 16`, "event 16: it was changed", ""},
		{"an event redated", `UPDATE events SET at_ms = at_ms + 1 WHERE seq = 16`, "event 16: it was changed", ""},
		{"an event of another session", `UPDATE events SET session_id = 's2' WHERE seq = 16`, "event 16: it was changed", ""},
		{"decision and event changed", `UPDATE requests SET status = 'allowed' WHERE id = 'denied';
			UPDATE events SET data = replace(data, '"denied"', '"allowed"') WHERE type = 'request_decided' AND request_id = 'denied'`, "(request/denied): it was changed", "denied"},
		{"the seal of another row", `UPDATE requests SET status = 'allowed' WHERE id = 'denied';
			UPDATE events SET seal = (SELECT seal FROM events WHERE type = 'request_decided' AND request_id = 'allowed') WHERE type = 'request_decided' AND request_id = 'denied'`, "(request/denied): it was changed", "denied"},
		{"an event deleted", `DELETE FROM events WHERE seq = 1`, "event 2: events 1 to 1 before it are gone", ""},
		{"a decision's event deleted", `DELETE FROM events WHERE type = 'request_decided' AND request_id = 'denied'`, "are gone", "denied"},
		{"two events swapped", swap, "event 15: it was changed", ""},
		{"an event inserted", `INSERT INTO events SELECT seq + 1, at_ms, type, session_id, request_id, data, NULL, NULL, hash FROM events WHERE seq = (SELECT max(seq) FROM events)`, "event 17: it was changed", ""},
		{"the log cut short", `DELETE FROM events WHERE seq > 15`, "event 15: the log ends here, but its end was event 16", ""},
		{"the log cut short with its record", `DELETE FROM events WHERE seq > 6;
			UPDATE head SET (seq, hash) = (SELECT seq, hash FROM events WHERE seq = 6)`, "request/denied: the log has no request_decided", "denied"},
		{"the log deleted", `DELETE FROM events; UPDATE head SET seq = 0, hash = zeroblob(32)`, "request/pending: the log has no", "allowed"},
		{"the record of the end deleted", `DELETE FROM head`, "event 16: the record of the log's end is gone", ""},

		{"a grant forged", `INSERT INTO grants SELECT 'forged', session_id, subagent_id, digest, request_id, by_kind, by_id, by_pid, by_exe, by_tty, created_at_ms, expires_at_ms, NULL FROM grants WHERE id = 'unused'`, "grant/forged: the log has no grant_created", ""},
		{"a grant of another call", `UPDATE grants SET digest = 'another' WHERE id = 'unused'`, "grant/unused: it is not what event", ""},
		{"a grant that lasts", `UPDATE grants SET expires_at_ms = 9000000000000 WHERE id = 'unused'`, "grant/unused: it is not what event", ""},
		{"a used grant refreshed", `UPDATE grants SET used_by = NULL WHERE id = 'used'`, "grant/used: it is unused", ""},
		{"a grant deleted", `DELETE FROM grants WHERE id = 'unused'`, "(grant/unused): the row that it is about is gone", ""},
		{"a stop undone", `UPDATE sessions SET state = 'active', stop_asked_at_ms = 0`, "session/s1: it is active", ""},
		{"a trigger added", `CREATE TRIGGER t AFTER UPDATE ON requests BEGIN SELECT 1; END`, "1 triggers or views", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filled(t)
			checkClean(t, openReader(t, path))
			foreign(t, path, tt.script)
			checkFound(t, path, tt.want)
			checkNotHonoured(t, path, tt.row)
		})
	}
}

func checkFound(t *testing.T, path, want string) {
	t.Helper()
	r, err := openReader(t, path).Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Clean() {
		t.Fatal("Verify found nothing")
	}
	if got := r.Problems[0].String(); !strings.Contains(got, want) {
		t.Errorf("Verify says %q first, want %q", got, want)
	}
}

// loadedAfter is the store at path, which was clean, and what it loads, after another program
// ran script, of which Verify says want first.
func loadedAfter(t *testing.T, path, script, want string) (*store.Store, broker.Saved) {
	t.Helper()
	checkClean(t, openReader(t, path))
	foreign(t, path, script)
	checkFound(t, path, want)
	s := openAt(t, path)
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, saved
}

// checkNotHonoured opens the database as a console would: it refuses, or goes on
// without what was changed.
func checkNotHonoured(t *testing.T, path, row string) {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if errors.Is(err, broker.ErrTampered) || errors.Is(err, store.ErrNotOurs) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range saved.Requests {
		if r.ID == row || (r.ID != "pending" && r.ID != "pending2") {
			t.Errorf("Load brought back %s", r.ID)
		}
	}
	for _, g := range saved.Grants {
		if g != brokertest.NewGrant("unused", brokertest.PendingRequest("late", "s1")) {
			t.Errorf("Load brought back %+v", g)
		}
	}
	for _, v := range saved.Sessions {
		if v.State != broker.SessionStopping {
			t.Errorf("the session came back as %s", v.State)
		}
	}
	if row == "" {
		return
	}
	for _, when := range []string{"as found", "after a decision"} {
		if r, err := s.Request(t.Context(), row); err == nil {
			t.Errorf("%s: Request returned %s as %s", when, r.ID, r.State)
		}
		// Nobody can be asked about it; if it is decided all the same, that counts for nothing.
		_ = s.Record(t.Context(), ended(row, broker.Allowed))
	}
}

// An event that fits the chain, but was not written by a console, is beyond the end
// on record.
func TestWellChainedEventIsFound(t *testing.T) {
	path := filled(t)
	seq, hash, err := openReader(t, path).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var prev chain.Hash
	if _, err := hex.Decode(prev[:], []byte(hash)); err != nil {
		t.Fatal(err)
	}
	next := chain.Link{Seq: seq + 1, AtMS: 1, Type: "user"}.After(prev)
	foreign(t, path, fmt.Sprintf(`INSERT INTO events VALUES (%d, 1, 'user', '', '', '', NULL, NULL, x'%x')`, seq+1, next))
	checkFound(t, path, "the log goes on to event 17, but its end was event 16")
	refuses(t, path, openers["Open"](t, path), broker.ErrTampered)
}

// Row, data and seal bent to fit each other: the event's own hash gives it away.
func TestForgedDecisionDoesNotFitTheChain(t *testing.T) {
	path := filled(t)
	r, o := brokertest.PendingRequest("denied", "s1"), brokertest.Outcome(broker.Allowed)
	seal := chain.SealOutcome(chain.SealRequest(&r), &o)
	foreign(t, path, fmt.Sprintf(`UPDATE requests SET status = 'allowed' WHERE id = 'denied';
		UPDATE events SET data = '%s', seal = x'%x' WHERE type = 'request_decided' AND request_id = 'denied'`,
		brokertest.Decided(r, o).Data, seal))
	checkFound(t, path, "it was changed, or the event before it was")
	checkNotHonoured(t, path, "denied")
}

func TestLoadTellsWhatItLeftOut(t *testing.T) {
	path := filled(t)
	foreign(t, path, `UPDATE requests SET cwd = '/' WHERE id = 'pending'; UPDATE grants SET subagent_id = 'other' WHERE id = 'unused';
		UPDATE sessions SET state = 'idle'`)
	s := openAt(t, path)
	if _, err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	var subjects []string
	for _, line := range s.Tampered() {
		subject, why, _ := strings.Cut(line, ": ")
		subjects = append(subjects, subject)
		if why == "" {
			t.Errorf("%s: no reason", subject)
		}
	}
	if want := []string{"grant/unused", "request/pending", "session/s1"}; !slices.Equal(subjects, want) {
		t.Errorf("Tampered is about %v, want %v", subjects, want)
	}
}

// An id whose request was deleted cannot be used for another call: the log remembers.
func TestDeletedRequestIsNotAskedAnew(t *testing.T) {
	path := filled(t)
	foreign(t, path, `DELETE FROM requests WHERE id = 'pending'`)
	s := openAt(t, path)
	if err := s.Record(t.Context(), asked("pending")); !errors.Is(err, broker.ErrTampered) {
		t.Errorf("Record = %v, want ErrTampered", err)
	}
	commit(t, s, asked("another"))
}

// While a console runs, a decision about a row that was changed under it is refused.
func TestChangedUnderARunningConsole(t *testing.T) {
	path := filled(t)
	s := openAt(t, path)
	foreign(t, path, `UPDATE requests SET tool_input = '{}', digest = 'another' WHERE id = 'pending';
		UPDATE requests SET key = 'stolen' WHERE id = 'pending2'`)
	if err := s.Record(t.Context(), ended("pending", broker.Allowed)); !errors.Is(err, broker.ErrTampered) {
		t.Errorf("Record = %v, want ErrTampered", err)
	}
	commit(t, s, ended("pending2", broker.Allowed))
	if _, err := s.RequestByKey(t.Context(), "stolen"); !errors.Is(err, broker.ErrTampered) {
		t.Errorf("RequestByKey = %v, want ErrTampered", err)
	}
}

func TestVerifyCountsBeyondItsLimit(t *testing.T) {
	path := filled(t)
	s := openAt(t, path)
	for i := range 120 {
		commit(t, s, asked(strings.Repeat("x", i+1)))
	}
	closeStore(t, s)
	foreign(t, path, `UPDATE requests SET mode = 'changed' WHERE id LIKE 'x%'`)
	r, err := openReader(t, path).Verify(t.Context())
	if err != nil || len(r.Problems) != 100 || r.More != 20 {
		t.Errorf("%d problems and %d more, %v; want 100 and 20", len(r.Problems), r.More, err)
	}
}
