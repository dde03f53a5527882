package store_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store"
)

func TestRulesAreListedInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoctl.db")
	s := openAt(t, path)
	rule := func(id string, priority int, age time.Duration) rules.Rule {
		r := brokertest.NewRule(id)
		r.Priority, r.CreatedAt = priority, brokertest.Epoch.Add(-age)
		return r
	}
	first, old, a, b := rule("z", 1, 0), rule("y", 5, time.Hour), rule("a", 5, 0), rule("b", 5, 0)
	edited := b
	edited.Version, edited.Enabled = 2, false
	commit(t, s, brokertest.Saved(b), brokertest.Saved(a), brokertest.Saved(old), brokertest.Saved(first), brokertest.Saved(edited),
		&broker.Change{Used: []string{"y", "a", "y"}, Events: []*broker.Event{{At: brokertest.Epoch, Type: broker.EventMessage}}})
	old.Uses, a.Uses, old.LastUsedAt, a.LastUsedAt = 2, 1, brokertest.Epoch, brokertest.Epoch
	want := []rules.Rule{first, old, a, edited}
	got, err := s.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Store (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, rulesOf(t, path)); d != "" {
		t.Errorf("Reader (-want +got):\n%s", d)
	}
}

// What other programs read of a rule is the whole rule, in its newest version.
func TestTableOfRulesRepeatsTheLog(t *testing.T) {
	path := ruled(t)
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT id, version, priority, enabled, scope_project, scope_session, scope_agent, tool,
		json_extract(where_json, '$.command'), decision, dangerous, reason, expires_at_ms, max_uses, created_by, created_from,
		created_at_ms, updated_at_ms FROM rules ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		cells := make([]any, 18)
		dest := make([]any, len(cells))
		for i := range cells {
			dest[i] = &cells[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(cells...))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	made := brokertest.Epoch.UnixMilli()
	row := func(id string, version int, decision string) string {
		return fmt.Sprint(id, version, 100, 1, "/src", "s1", "claude", "Bash|Edit", "npm run 'a<b'", decision, 1, "tests <may> run",
			made+3600_000, 20, "operator", "r1", made, made)
	}
	want := []string{row("deny", 1, "deny"), row("edited", 2, "allow")}
	strip := func(list []string) (out []string) {
		for _, s := range list {
			out = append(out, strings.ReplaceAll(s, " ", ""))
		}
		return out
	}
	if !slices.Equal(strip(got), strip(want)) {
		t.Errorf("rows are\n%q, want\n%q", got, want)
	}
}

// EachRequest reads page by page; calls decided in the same millisecond fall on both
// sides of a page's end.
func TestHistoryOfManyPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoctl.db")
	s, start := openPaused(t, path)
	start()
	n := 2*store.Page + 1
	for i := range n {
		o := brokertest.Outcome(broker.Denied)
		o.At = brokertest.Epoch.Add(time.Duration((n-i)/700) * time.Millisecond) // the newest first
		commit(t, s, brokertest.DecidedAtOnce(brokertest.PendingRequest(fmt.Sprint(i), "s1"), o))
	}
	for name, each := range map[string]func(fn func(broker.Request) error) error{
		"Store": func(fn func(broker.Request) error) error { return s.EachRequest(t.Context(), time.Time{}, fn) },
		"Reader": func(fn func(broker.Request) error) error {
			return openReader(t, path).EachRequest(t.Context(), time.Time{}, fn)
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen, last := map[string]bool{}, time.Time{}
			err := each(func(r broker.Request) error {
				if seen[r.ID] || r.Outcome.At.Before(last) {
					t.Errorf("%s, decided at %v, comes after %v", r.ID, r.Outcome.At, last)
				}
				seen[r.ID], last = true, r.Outcome.At
				return nil
			})
			if err != nil || len(seen) != n {
				t.Errorf("%d calls, %v; want %d", len(seen), err, n)
			}
		})
	}
	closeStore(t, s)
}

// oldSchema is the path of a database as aoctl made it before it had rules, with what
// fill records.
func oldSchema(t *testing.T) string {
	t.Helper()
	from, path := filled(t), filepath.Join(t.TempDir(), "aoctl.db")
	write(t, path, nil)
	foreign(t, path, store.Migration(1)+`;
		PRAGMA user_version = 1;
		PRAGMA application_id = `+fmt.Sprint(0x616f6374)+`;
		ATTACH '`+from+`' AS new;
		INSERT INTO sessions SELECT id, agent, name, cwd, project_dir, mode, pane, pid, process_start, state, started_at_ms,
			last_seen_at_ms, stop_asked_at_ms, ended_at_ms, exit_code, end_reason, subagents FROM new.sessions;
		INSERT INTO requests SELECT * FROM new.requests;
		INSERT INTO grants SELECT * FROM new.grants;
		INSERT INTO events SELECT * FROM new.events;
		UPDATE head SET (seq, hash) = (SELECT seq, hash FROM new.head)`)
	return path
}

func TestOlderDatabaseIsBroughtUpToDate(t *testing.T) {
	path := oldSchema(t)
	s := openAt(t, path)
	checkClean(t, s)
	saved, err := s.Load(t.Context())
	if err != nil || saved.Doubt != "" || len(saved.Requests) != 2 || len(saved.Grants) != 1 {
		t.Fatalf("%d requests, %d grants, in doubt %q, %v", len(saved.Requests), len(saved.Grants), saved.Doubt, err)
	}
	fillRules(t, s)
	checkClean(t, s)
	closeStore(t, s)
	if got := rulesOf(t, path); len(got) != 2 {
		t.Errorf("%d rules, want 2", len(got))
	}
}

// Commands that only look meet an older database before a console has brought it up
// to date.
func TestReaderOfAnOlderDatabase(t *testing.T) {
	path := oldSchema(t)
	before := read(t, path)
	r := openReader(t, path)
	readAll(t, r)
	if got := rulesOf(t, path); len(got) != 0 {
		t.Errorf("rules: %v", got)
	}
	if events, doubt, err := r.Facts(t.Context()); len(events) != 0 || doubt != "" || err != nil {
		t.Errorf("facts: %v, %q, %v", events, doubt, err)
	}
	if v, err := r.Stats(t.Context(), "", time.Time{}); err != nil || v.Calls != 4 {
		t.Errorf("%d calls, %v; want 4", v.Calls, err)
	}
	if list, err := r.Sessions(t.Context(), broker.SessionFilter{}); err != nil || len(list) == 0 || list[0].Transcript != "" {
		t.Errorf("sessions: %v, %v", list, err)
	}
	if !slices.Equal(before, read(t, path)) {
		t.Error("the file was touched")
	}
}

// A grant that another program forged or stretched is not listed.
func TestGrantsAreThoseOfTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoctl.db")
	s := openAt(t, path)
	g := brokertest.NewGrant("good", brokertest.PendingRequest("r", "s1"))
	g.ExpiresAt = time.Now().UTC().Truncate(time.Millisecond).Add(time.Hour)
	bad := g
	bad.ID = "bad"
	commit(t, s, brokertest.Granted(g), brokertest.Granted(bad))
	closeStore(t, s)
	foreign(t, path, `UPDATE grants SET digest = 'another' WHERE id = 'bad'`)
	got, err := openReader(t, path).Grants(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]broker.Grant{g}, got); d != "" {
		t.Errorf("grants (-want +got):\n%s", d)
	}
}

// With a long log, these read only what they are about.
func TestQueriesUseTheirIndexes(t *testing.T) {
	db, err := sql.Open("sqlite3", "file:"+ruled(t)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, tt := range map[string]struct {
		query string
		want  []string
	}{
		"facts":    {store.SQLFacts, []string{"events_facts", "events_subject"}},
		"archives": {store.SQLArchives, []string{"events_facts"}},
		"uses":     {store.SQLRuleUse, []string{"requests_by_rule"}},
		"how calls ended": {
			`SELECT seq FROM events WHERE type = 'post_tool' AND request_id <> '' AND request_id = 'r' ORDER BY seq DESC LIMIT 1`,
			[]string{"events_ran"},
		},
		"what its user said last": {
			`SELECT seq FROM events WHERE session_id = 's' AND seq <= 9 AND type = 'user' AND type IN ('user') ORDER BY seq DESC LIMIT 20`,
			[]string{"events_user"},
		},
		"a page of a session": {
			`SELECT seq, data FROM events WHERE session_id = 's' AND seq < 9 AND type <> 'archived' ORDER BY seq DESC LIMIT 200`,
			[]string{"events_session (session_id=? AND rowid<?)"},
		},
	} {
		plan := planOf(t, db, tt.query)
		for _, index := range tt.want {
			if !strings.Contains(plan, index) || strings.Contains(plan, "SCAN events\n") || strings.Contains(plan, "SCAN requests\n") {
				t.Errorf("%s are read without %s:\n%s", name, index, plan)
			}
		}
	}
}

func planOf(t *testing.T, db *sql.DB, query string) (plan string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var line string
		if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
			t.Fatal(err)
		}
		plan += line + "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}
