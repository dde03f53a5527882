package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// checkpointOf is that of r, which was put off.
func checkpointOf(r broker.Request) broker.Checkpoint {
	return broker.Checkpoint{
		RequestID: r.ID, SessionID: r.SessionID, ToolUseID: "toolu_" + r.ID, CWD: "/src", Program: "/bin/agent",
		By: broker.Actor{Kind: broker.ByOperator}, At: brokertest.Epoch, Process: broker.Process{PID: 7, Start: 9}, Correlation: "talk",
	}
}

// aboutCheckpoint is an event about cp.
func aboutCheckpoint(typ string, d broker.CheckpointData) *broker.Event {
	data, _ := json.Marshal(d)
	return &broker.Event{At: brokertest.Epoch, Type: typ, SessionID: d.SessionID, RequestID: d.RequestID, Data: data}
}

// shelved has "off", which waits, "yes", which was allowed, "given", whose answer was told,
// and "again", which waits since its agent asked again; all were put off, each in a session of
// its own.
func shelved(t *testing.T) string {
	t.Helper()
	path := t.TempDir() + "/aoctl.db"
	s := openAt(t, path)
	for _, id := range []string{"off", "yes", "given", "again"} {
		r := brokertest.PendingRequest(id, "s-"+id)
		commit(t, s, brokertest.Asked(r))
		commit(t, s, &broker.Change{Sessions: []broker.Session{brokertest.NewSession("s-" + id)}})
		cp := checkpointOf(r)
		commit(t, s, brokertest.PutOff(r, cp))
		commit(t, s, &broker.Change{Events: []*broker.Event{ // its process ends, and another call of it was not put off after all
			{At: brokertest.Epoch, Type: broker.EventSessionStop, SessionID: "s-" + id, Data: []byte(`{"reason":"tool_deferred"}`)},
			{At: brokertest.Epoch, Type: broker.EventNotDeferred, SessionID: "s-" + id, RequestID: "beside", Data: []byte(`{}`)},
		}})
		if id == "yes" || id == "given" {
			commit(t, s, brokertest.Ended(r, brokertest.Outcome(broker.Allowed)))
		}
		switch id {
		case "given":
			commit(t, s, &broker.Change{DropCheckpoints: []string{id}, Events: []*broker.Event{
				aboutCheckpoint(broker.EventTakenUpAgain, broker.CheckpointData{Checkpoint: cp, Given: broker.Allowed}),
			}})
		case "again":
			cp.TakenUpAt, cp.ExpiresAt = brokertest.Epoch.Add(time.Hour), brokertest.Epoch.Add(2*time.Hour)
			commit(t, s, &broker.Change{Checkpoint: &cp, Events: []*broker.Event{aboutCheckpoint(broker.EventTakenUpAgain, broker.CheckpointData{Checkpoint: cp})}})
		}
	}
	closeStore(t, s)
	return path
}

// Another program changes what was put off while no console runs. None of it counts, and
// Verify names it.
func TestTamperedCheckpointIsFoundAndNotHonoured(t *testing.T) {
	t.Parallel()
	set := func(id, member, value string) string {
		return `UPDATE checkpoints SET data = json_set(data, '$.` + member + `', ` + value + `) WHERE request_id = '` + id + `'`
	}
	const replay = `INSERT OR REPLACE INTO checkpoints SELECT 'given', 's-given', replace(data, 'yes', 'given') FROM checkpoints WHERE request_id = 'yes'`
	for _, tt := range []struct{ name, script, want, row string }{
		{"another folder", set("yes", "cwd", "'/tmp'"), "checkpoint/yes: it is not what event", "yes"},
		{"another program", set("yes", "program", "'/tmp/agent'"), "checkpoint/yes: it is not what event", "yes"},
		{"other arguments", set("yes", "args", "json('[\"--settings\"]')"), "checkpoint/yes: it is not what event", "yes"},
		{"another call", set("yes", "tool_use_id", "'toolu_x'"), "checkpoint/yes: it is not what event", "yes"},
		{"another conversation", set("yes", "correlation", "'thief'"), "checkpoint/yes: it is not what event", "yes"},
		{"another process", set("yes", "process", "json('{\"pid\":8}')"), "checkpoint/yes: it is not what event", "yes"},
		{"another who put it off", set("yes", "by", "json('{\"kind\":\"rule\"}')"), "checkpoint/yes: it is not what event", "yes"},
		{"another session", set("yes", "session_id", "'s-off'"), "checkpoint/yes", "yes"},
		{"another session in both", `UPDATE checkpoints SET session_id = 's-off', data = json_set(data, '$.session_id', 's-off') WHERE request_id = 'yes'`, "checkpoint/yes: the log has no", "yes"},
		{"another request", `UPDATE checkpoints SET request_id = 'other' WHERE request_id = 'yes'`, "checkpoint/other", "other"},
		{"that of another request", `UPDATE checkpoints SET data = (SELECT data FROM checkpoints WHERE request_id = 'off') WHERE request_id = 'yes'`, "checkpoint/yes", "yes"},
		{"not taken up again", set("again", "taken_up_at", "NULL"), "checkpoint/again", "again"},
		{"a longer wait", set("again", "expires_at", "'2099-01-01T00:00:00Z'"), "checkpoint/again", "again"},
		{"no JSON", `UPDATE checkpoints SET data = 'x' WHERE request_id = 'yes'`, "checkpoint/yes", "yes"},
		{"its answer given again", replay, "checkpoint/given: it is not what event", "given"},
		{"its event changed with it", set("yes", "cwd", "'/tmp'") + `; UPDATE events SET data = json_set(data, '$.cwd', '/tmp') WHERE type = 'request_deferred' AND request_id = 'yes'`, "it was changed", "yes"},
		{"a forged one", `INSERT INTO checkpoints SELECT 'given', session_id, data FROM checkpoints WHERE request_id = 'yes'`, "checkpoint/given", "given"},
		{"its call", `UPDATE requests SET tool_input = '{"command":"rm -rf ~"}' WHERE id = 'yes'`, "request/yes: the digest", ""},
		{"its answer", `UPDATE requests SET status = 'allowed', decided_at_ms = 1, by_kind = 'operator' WHERE id = 'off'`, "request/off: the log has no request_decided", ""},
		{"gone, waiting", `DELETE FROM checkpoints WHERE request_id = 'off'`, "(checkpoint/off): the row that it is about is gone", "off"},
		{"gone, decided", `DELETE FROM checkpoints WHERE request_id = 'yes'`, "(checkpoint/yes): the row that it is about is gone", "yes"},
		{"gone, asked again", `DELETE FROM checkpoints WHERE request_id = 'again'`, "(checkpoint/again): the row that it is about is gone", "again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, saved := loadedAfter(t, shelved(t), tt.script, tt.want)
			for _, cp := range saved.Checkpoints {
				if cp.RequestID == tt.row {
					t.Errorf("Load brought it back: %+v", cp)
				}
			}
		})
	}
}

// Whatever ends that a call is put off in order is not taken for a row that was removed.
func TestCheckpointThatWentInOrder(t *testing.T) {
	session := func(typ, reason string) *broker.Event {
		data, _ := json.Marshal(map[string]string{"reason": reason})
		return &broker.Event{At: brokertest.Epoch, Type: typ, SessionID: "s-off", Data: data}
	}
	gone := func(events ...*broker.Event) *broker.Change {
		return &broker.Change{DropCheckpoints: []string{"off"}, Events: events}
	}
	stopped := brokertest.NewSession("s-off")
	stopped.State = broker.SessionStopped
	denied := brokertest.Ended(brokertest.PendingRequest("off", "s-off"), brokertest.Outcome(broker.Denied))
	for name, c := range map[string]*broker.Change{
		"stopped":         gone(session(broker.EventStopRequested, "")),
		"ended for good":  gone(session(broker.EventSessionStop, broker.RejectedReason)),
		"ended before":    gone(session(broker.EventSessionEnd, broker.RejectedReason)),
		"nobody was told": gone(&broker.Event{At: brokertest.Epoch, Type: broker.EventNotDeferred, SessionID: "s-off", RequestID: "off"}),
	} {
		t.Run(name, func(t *testing.T) {
			path := shelved(t)
			s := openAt(t, path)
			if name == "stopped" {
				c.Sessions = []broker.Session{stopped}
			}
			commit(t, s, denied)
			commit(t, s, c)
			closeStore(t, s)
			checkClean(t, openReader(t, path))
			foreign(t, path, `INSERT INTO checkpoints SELECT 'off', 's-off', replace(data, 'yes', 'off') FROM checkpoints WHERE request_id = 'yes'`)
			if name == "nobody was told" {
				checkFound(t, path, "checkpoint/off")
			}
		})
	}
}

// However a broker lets go of what was put off, Verify finds nothing missing.
func TestBrokerLetsGoOfCheckpointsInOrder(t *testing.T) {
	operator := broker.Actor{Kind: broker.ByOperator}
	type world struct {
		b  *service.Broker
		id string
		q  broker.Question
	}
	decide := func(t *testing.T, w world, d broker.Decision) {
		t.Helper()
		d.By = operator
		if _, err := w.b.Decide(t.Context(), w.id, d); err != nil {
			t.Fatal(err)
		}
	}
	stop := func(t *testing.T, w world) {
		t.Helper()
		if _, err := w.b.Stop(t.Context(), "s1", operator); err != nil {
			t.Fatal(err)
		}
	}
	again := func(t *testing.T, w world) {
		t.Helper()
		w.q.Correlation = "talk 2"
		if r, err := w.b.Submit(t.Context(), w.q); err != nil || r.Checkpoint != nil {
			t.Fatal(r.State, err)
		}
	}
	//nolint:thelper // they are steps of the test, not helpers
	for name, play := range map[string]func(t *testing.T, w world){
		"waits":                     func(*testing.T, world) {},
		"stopped":                   stop,
		"allowed, then stopped":     func(t *testing.T, w world) { decide(t, w, broker.Decision{Verdict: broker.Allow}); stop(t, w) },
		"denied for good":           func(t *testing.T, w world) { decide(t, w, broker.Decision{Verdict: broker.Deny, End: true}) },
		"asked again":               again,
		"asked again, then denied":  func(t *testing.T, w world) { again(t, w); decide(t, w, broker.Decision{Verdict: broker.Deny}) },
		"asked again, then stopped": func(t *testing.T, w world) { again(t, w); stop(t, w) },
		"asked again, put off, stopped": func(t *testing.T, w world) {
			again(t, w)
			if _, err := w.b.Defer(t.Context(), w.id, operator); err != nil {
				t.Fatal(err)
			}
			stop(t, w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/aoctl.db"
			s := openAt(t, path)
			b, err := service.New(t.Context(), s, service.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := brokertest.PendingRequest("r1", "s1")
			q := broker.Question{
				Request: broker.Request{
					Key: "claude/s1/t1", SessionID: "s1", Agent: "claude", Event: "PreToolUse", ToolUseID: "t1",
					ToolName: r.ToolName, ToolInput: r.ToolInput, CWD: r.CWD,
				}, Headless: true, Correlation: "talk 1",
			}
			asked, err := b.Submit(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Defer(t.Context(), asked.ID, operator); err != nil {
				t.Fatal(err)
			}
			play(t, world{b, asked.ID, q})
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			closeStore(t, s)
			checkClean(t, openReader(t, path))
		})
	}
}
