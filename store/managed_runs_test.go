package store_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/wire"
)

// heldSession has a session that a runner held, and a message that waits for it.
func heldSession(t *testing.T) string {
	t.Helper()
	path := t.TempDir() + "/aoctl.db"
	s := openAt(t, path)
	m := broker.Message{ID: "m1", Text: "go on", By: broker.Actor{Kind: broker.ByOperator}, QueuedAt: brokertest.Epoch}
	told := m
	told.ID, told.Text = "m2", "and then the docs"
	ses := brokertest.NewSession("s1")
	ses.CWD, ses.Message, ses.LastSeenAt = "/src", &m, time.Now().UTC().Truncate(time.Millisecond)
	ses.Run = &broker.Run{Program: "/bin/claude", Args: []string{"--model", "m"}, Turn: broker.TurnEnded, StartedAt: brokertest.Epoch, Told: &told, RunEnv: wire.RunEnv{EnvSeal: "5ea1", EnvNames: []string{"AWS_PROFILE"}}}
	event := func(typ string, v any) *broker.Event {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return &broker.Event{At: brokertest.Epoch, Type: typ, SessionID: "s1", Data: data}
	}
	m.Failures = 0
	commit(t, s, &broker.Change{Sessions: []broker.Session{ses}, Events: []*broker.Event{
		event(broker.EventRunStarted, wire.RunStart{SessionID: "s1", Agent: "claude", CWD: "/src", Program: "/bin/other"}),
		event(broker.EventRunStarted, wire.RunStart{SessionID: "s1", Agent: "claude", CWD: "/src", Program: "/bin/claude", Args: ses.Run.Args, RunEnv: ses.Run.RunEnv}),
		event(broker.EventMessageQueued, told), event(broker.EventMessageQueued, m),
	}})
	m.Failures = 2 // which is in no event
	commit(t, s, &broker.Change{Sessions: []broker.Session{ses}})
	closeStore(t, s)
	return path
}

// Another program changes how a managed session was started, or what is said to it in its
// user's name, while no console runs.
func TestTamperedRunIsFoundAndNotHonoured(t *testing.T) {
	set := func(column, member, value string) string {
		return `UPDATE sessions SET ` + column + ` = json_set(` + column + `, '$.` + member + `', ` + value + `)`
	}
	for _, tt := range []struct {
		name, script, want     string
		started, said, telling bool // what is left of it
	}{
		{"another program", set("managed_run", "program", "'/tmp/claude'"), "session/s1: how it was started: it is not what event 2 recorded", false, true, true},
		{"an earlier program", set("managed_run", "program", "'/bin/other'"), "session/s1: how it was started", false, true, true},
		{"other arguments", set("managed_run", "args", "json('[\"--settings\",\"/tmp/s\"]')"), "session/s1: how it was started", false, true, true},
		{"another environment", set("managed_run", "env_seal", "'0bad'"), "session/s1: how it was started", false, true, true},
		{"no environment", `UPDATE sessions SET managed_run = json_remove(managed_run, '$.env_seal')`, "session/s1: how it was started", false, true, true},
		{"other names in it", set("managed_run", "env_names", "json('[]')"), "session/s1: how it was started", false, true, true},
		{"another folder", `UPDATE sessions SET cwd = '/tmp'`, "session/s1: how it was started", false, true, true},
		{"that of another session", `UPDATE sessions SET id = 's2'`, "session/s2: how it was started: the log has no run_started", false, false, false},
		{"another message", set("queued_message", "text", "'push it'"), "session/s1: its message: it is not what event 4 recorded", true, false, true},
		{"another who said it", set("queued_message", "by", "json('{\"kind\":\"process\"}')"), "session/s1: its message", true, false, true},
		{"a forged message", set("queued_message", "id", "'m3'"), "session/s1: its message: the log has no message_queued", true, false, true},
		{"another that is being told", set("managed_run", "told.text", "'push it'"), "session/s1: its message", true, true, false},
		{"event and message", set("queued_message", "text", "'push it'") + `; UPDATE events SET data = json_set(data, '$.text', 'push it') WHERE seq = 4`, "it was changed", true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, saved := loadedAfter(t, heldSession(t), tt.script, tt.want)
			one, err := s.Sessions(t.Context(), broker.SessionFilter{ID: saved.Sessions[0].ID})
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []broker.Session{saved.Sessions[0], one[0]} {
				if (got.Run.Program != "") != tt.started || (got.Run.Args != nil) != tt.started || (got.Message != nil) != tt.said || (got.Run.Told != nil) != tt.telling {
					t.Errorf("started with %q %q; message %v, told %v", got.Run.Program, got.Run.Args, got.Message, got.Run.Told)
				}
			}
			if len(s.Tampered()) == 0 && !strings.Contains(tt.want, "was changed") {
				t.Error("Load does not say so")
			}
		})
	}
}

// Nor is a message believed that waits in a session which nobody holds, until somebody does.
func TestForgedMessageWithoutARun(t *testing.T) {
	_, saved := loadedAfter(t, heldSession(t), `UPDATE sessions SET managed_run = '', queued_message = json_set(queued_message, '$.text', 'push it')`,
		"session/s1: its message: it is not what event 4 recorded")
	if len(saved.Sessions) != 1 || saved.Sessions[0].Message != nil {
		t.Errorf("%+v", saved.Sessions)
	}
}

// What a session still needs keeps an archive from taking it. What an archive took does not
// count any more, and is no sign of tampering.
func TestArchiveAndHeldRuns(t *testing.T) {
	path := heldSession(t)
	s := openAt(t, path)
	for n := range 5 {
		id := "r" + string(rune('0'+n))
		commit(t, s, redated(n, asked(id)))
		commit(t, s, redated(n, ended(id, broker.Denied)))
	}
	commit(t, s, &broker.Change{Events: []*broker.Event{{At: day(10), Type: broker.EventNotification, SessionID: "s1"}}})
	if a := archive(t, s, path, 4); a.To != 1 { // how it was started before
		t.Errorf("archived what is needed: %+v", a)
	}
	one := func() broker.Session {
		t.Helper()
		list, err := s.Sessions(t.Context(), broker.SessionFilter{ID: "s1"})
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0]
	}
	old := one()
	if old.Run.Program == "" || old.Message == nil {
		t.Fatalf("%+v", old)
	}
	old.State, old.LastSeenAt, old.EndedAt = broker.SessionFinished, day(1), day(1)
	commit(t, s, &broker.Change{Sessions: []broker.Session{old}})
	if a := archive(t, s, path, 4); a.File == "" {
		t.Error("nothing was archived")
	}
	checkClean(t, s)
	if got := one(); got.Run.Program != "" || got.Message != nil || got.Run.Told != nil {
		t.Errorf("counts although nothing vouches for it: %+v", got.Run)
	}
}

// Another program leaves a column of a session that is no JSON any more. All the rest is
// loaded, the session can neither go on nor be resumed and says why, and Verify names it.
func TestUnreadableSessionIsNamedAndNotResumable(t *testing.T) {
	set := func(column, value string) string {
		return `UPDATE sessions SET ` + column + ` = '` + value + `' WHERE id = 's1'`
	}
	for _, tt := range []struct {
		name, script, want    string
		held, said, subagents bool // what is left of it
	}{
		{"no JSON", set("managed_run", "{oops"), "session/s1: how it is held cannot be read", false, true, true},
		{"another kind of value", set("managed_run", "[1]"), "session/s1: how it is held cannot be read", false, true, true},
		{"null", set("managed_run", "null"), `session/s1: how it is held cannot be read: turn ""`, false, true, true},
		{"a turn that is none", `UPDATE sessions SET managed_run = json_set(managed_run, '$.turn', 'running') WHERE id = 's1'`, `session/s1: how it is held cannot be read: turn "running"`, false, true, true},
		{"a member of another kind", `UPDATE sessions SET managed_run = json_set(managed_run, '$.runner', 'x') WHERE id = 's1'`, "session/s1: how it is held cannot be read", false, true, true},
		{"its message", set("queued_message", "{"), "session/s1: its message cannot be read", true, false, true},
		{"its sub-agents", set("subagents", ""), "session/s1: its sub-agents cannot be read", true, true, false},
		{"all of it", set("managed_run", "x") + `; ` + set("queued_message", "x") + `; ` + set("subagents", "x"), "session/s1: how it is held cannot be read", false, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := heldSession(t)
			before := openAt(t, path)
			commit(t, before, &broker.Change{Sessions: []broker.Session{brokertest.NewSession("other")}})
			closeStore(t, before)
			s, saved := loadedAfter(t, path, tt.script, tt.want)
			if len(saved.Sessions) != 2 {
				t.Fatalf("%d sessions", len(saved.Sessions))
			}
			if told := strings.Join(s.Tampered(), "\n"); !strings.Contains(told, tt.want) {
				t.Errorf("Load says %q, want %q", told, tt.want)
			}
			list, err := s.Sessions(t.Context(), broker.SessionFilter{})
			if err != nil || len(list) != 2 {
				t.Fatalf("%d sessions, %v", len(list), err)
			}
			one, err := s.Sessions(t.Context(), broker.SessionFilter{ID: "s1"})
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []broker.Session{saved.Sessions[0], list[0], one[0]} {
				if got.Run == nil || !strings.Contains(got.Run.Error, "its record is damaged: ") {
					t.Fatalf("it does not say so: %+v", got.Run)
				}
				if (got.Run.Program != "") != tt.held || got.Run.Turn != broker.TurnEnded || (got.Message != nil) != tt.said || (got.Subagents != nil) != tt.subagents {
					t.Errorf("started with %q, turn %q, message %v, sub-agents %v", got.Run.Program, got.Run.Turn, got.Message, got.Subagents)
				}
			}
		})
	}
}
