package brokertest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Epoch is when the things made here happen.
var Epoch = time.Date(2026, 3, 14, 15, 9, 26, 535_000_000, time.UTC)

// PendingRequest is a whole pending request of the session; its key is "key-"+id.
func PendingRequest(id, session string) broker.Request {
	r := broker.Request{
		ID: id, Key: "key-" + id, SessionID: session, Agent: "claude", Event: "PreToolUse",
		ToolUseID: "toolu_" + id, SubagentID: "sub", SubagentType: "reviewer",
		ToolName: "Bash", ToolInput: json.RawMessage(`{ "command" : "echo 'a<b' && true",  "n": 1.0 }`), CWD: "/src/api",
		Mode: "default", Description: "say what is smaller", Asker: broker.Process{PID: 4711, Start: 1<<63 + 5},
		CreatedAt: Epoch, ExpiresAt: Epoch.Add(10 * time.Minute), State: broker.Pending,
	}
	r.Digest = broker.Digest(r.ToolName, r.ToolInput, r.CWD)
	return r
}

// Asked is the change that records the pending request r.
func Asked(r broker.Request) *broker.Change {
	return &broker.Change{Insert: &r, Events: []*broker.Event{Created(r)}}
}

// Created is the event of r being asked.
func Created(r broker.Request) *broker.Event {
	data := mustJSON(map[string]string{"tool_name": r.ToolName, "digest": r.Digest, "agent": r.Agent, "subagent": r.SubagentID})
	return &broker.Event{At: r.CreatedAt, Type: broker.EventRequestCreated, SessionID: r.SessionID, RequestID: r.ID, Data: data}
}

// Outcome is an operator's answer a minute after Epoch.
func Outcome(s broker.State) broker.Outcome {
	return broker.Outcome{
		State: s, By: broker.Actor{Kind: broker.ByOperator, PID: 99, Exe: "/usr/bin/aoctl", TTY: "/dev/pts/3"},
		Reason: "because <I> say so", At: Epoch.Add(time.Minute),
	}
}

// Ended is the change that ends the pending request r, synced.
func Ended(r broker.Request, o broker.Outcome) *broker.Change {
	return &broker.Change{
		Settle: []broker.Settlement{{ID: r.ID, Outcome: o}},
		Events: []*broker.Event{Decided(r, o)}, Sync: true,
	}
}

// Decided is the event of r ending with o.
func Decided(r broker.Request, o broker.Outcome) *broker.Event {
	data := mustJSON(broker.DecidedData{
		Status: o.State, By: o.By, Reason: o.Reason, UpdatedInput: o.UpdatedInput,
		ToolName: r.ToolName, Digest: r.Digest, WaitedMS: o.At.Sub(r.CreatedAt).Milliseconds(),
	})
	return &broker.Event{At: o.At, Type: broker.EventRequestDecided, SessionID: r.SessionID, RequestID: r.ID, Data: data}
}

// DecidedAtOnce is the change that records r together with its end.
func DecidedAtOnce(r broker.Request, o broker.Outcome) *broker.Change {
	r.State, r.Outcome = o.State, &o
	return &broker.Change{Insert: &r, Events: []*broker.Event{Decided(r, o)}}
}

// NewGrant is an unused grant for the late request r.
func NewGrant(id string, r broker.Request) broker.Grant {
	return broker.Grant{
		ID: id, SessionID: r.SessionID, SubagentID: r.SubagentID, Digest: r.Digest, RequestID: r.ID,
		By: broker.Actor{Kind: broker.ByOperator, PID: 99, TTY: "/dev/pts/3"}, CreatedAt: Epoch, ExpiresAt: Epoch.Add(time.Hour),
	}
}

// Granted is the change that records g.
func Granted(g broker.Grant) *broker.Change {
	return &broker.Change{Grant: &g, Sync: true, Events: []*broker.Event{grantEvent(broker.EventGrantCreated, g.ID, g.RequestID)}}
}

// Used is the change in which request by uses grant id.
func Used(id, by string) *broker.Change {
	return &broker.Change{
		UseGrant: &broker.GrantUse{ID: id, By: by},
		Events:   []*broker.Event{grantEvent(broker.EventGrantUsed, id, by)},
	}
}

func grantEvent(typ, id, request string) *broker.Event {
	return &broker.Event{At: Epoch, Type: typ, RequestID: request, Data: mustJSON(map[string]string{"grant": id})}
}

// NewSession is a whole active session.
func NewSession(id string) broker.Session {
	return broker.Session{
		ID: id, Agent: "claude", Name: "api", CWD: "/src/api", ProjectDir: "/src", Mode: "plan", Pane: "%4",
		Process: broker.Process{PID: 4710, Start: 77}, State: broker.SessionActive, StartedAt: Epoch, LastSeenAt: Epoch,
		Subagents: []broker.Subagent{{ID: "sub", Type: "reviewer"}},
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("brokertest: %v", err)) // of our own types
	}
	return b
}
