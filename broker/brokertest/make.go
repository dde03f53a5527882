package brokertest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store/chain"
)

// Epoch is when the things made here happen. It has whole milliseconds, so it comes back from a
// store as it is.
var Epoch = time.Date(2026, 3, 14, 15, 9, 26, 535_000_000, time.UTC)

// PendingRequest is a whole pending request of the session; its key is "key-"+id. Its input has
// odd blanks, signs that HTML escapes and a number with a zero behind the point: each of them
// changes when a store reads the JSON and writes it anew. The asker's start mark does not fit
// into a signed integer.
func PendingRequest(id, session string) broker.Request {
	r := broker.Request{
		ID: id, Key: "key-" + id, SessionID: session, Agent: "claude", Event: "PreToolUse",
		ToolUseID: "toolu_" + id, SubagentID: "sub", SubagentType: "reviewer",
		ToolName: "Bash", ToolInput: json.RawMessage(`{ "command" : "echo 'a<b' && true",  "n": 1.0 }`), CWD: "/src/api",
		Mode: "default", Description: "say what is smaller", Asker: broker.Process{PID: 4711, Start: 1<<63 + 5},
		CreatedAt: Epoch, ExpiresAt: Epoch.Add(10 * time.Minute), State: broker.Pending,
	}
	// A store refuses a request with the digest of another call.
	r.Digest = broker.Digest(r.ToolName, r.ToolInput, r.CWD)
	return r
}

// Asked is the change that records the pending request r. The change holds its own copy of r.
func Asked(r broker.Request) *broker.Change {
	return &broker.Change{Insert: &r, Events: []*broker.Event{Created(r)}}
}

// Created is the event of r being asked. The names of its data are those that old logs have;
// package store reads them.
func Created(r broker.Request) *broker.Event {
	data := mustJSON(map[string]string{"tool_name": r.ToolName, "digest": r.Digest, "agent": r.Agent, "subagent": r.SubagentID})
	return &broker.Event{At: r.CreatedAt, Type: broker.EventRequestCreated, SessionID: r.SessionID, RequestID: r.ID, Data: data}
}

// Outcome is an operator's answer a minute after Epoch. The reason holds signs that HTML escapes,
// to see that nothing on the way does so.
func Outcome(s broker.State) broker.Outcome {
	return broker.Outcome{
		State: s, By: broker.Actor{Kind: broker.ByOperator, PID: 99, Exe: "/usr/bin/aoctl", TTY: "/dev/pts/3"},
		Reason: "because <I> say so", At: Epoch.Add(time.Minute),
	}
}

// Ended is the change that ends the pending request r, synced. It is synced, as the broker syncs
// what a person decided.
func Ended(r broker.Request, o broker.Outcome) *broker.Change {
	return &broker.Change{
		Settle: []broker.Settlement{{ID: r.ID, Outcome: o}},
		Events: []*broker.Event{Decided(r, o)}, Sync: true,
	}
}

// Decided is the event of r ending with o. It says the same as the row, which is what the store
// checks.
func Decided(r broker.Request, o broker.Outcome) *broker.Event {
	data := mustJSON(broker.DecidedData{
		Status: o.State, By: o.By, Reason: o.Reason, UpdatedInput: o.UpdatedInput,
		ToolName: r.ToolName, Digest: r.Digest, WaitedMS: o.At.Sub(r.CreatedAt).Milliseconds(),
	})
	return &broker.Event{At: o.At, Type: broker.EventRequestDecided, SessionID: r.SessionID, RequestID: r.ID, Data: data}
}

// DecidedAtOnce is the change that records r together with its end.
func DecidedAtOnce(r broker.Request, o broker.Outcome) *broker.Change {
	// r is a copy, so the caller's request stays pending.
	r.State, r.Outcome = o.State, &o
	return &broker.Change{Insert: &r, Events: []*broker.Event{Decided(r, o)}}
}

// NewGrant is an unused grant for the late request r. It covers what r's digest covers, in r's
// session and for r's sub-agent.
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

// Used is the change in which request by uses grant id. by need not exist: a grant may be used by
// a call that is recorded in the same change.
func Used(id, by string) *broker.Change {
	return &broker.Change{
		UseGrant: &broker.GrantUse{ID: id, By: by},
		Events:   []*broker.Event{grantEvent(broker.EventGrantUsed, id, by)},
	}
}

// Revoked is the change in which an operator takes grant id back. It uses the grant up in the
// name of nobody, which is how the broker takes one back.
func Revoked(id string) *broker.Change {
	data := mustJSON(map[string]any{"grant": id, "revoked": true})
	return &broker.Change{
		UseGrant: &broker.GrantUse{ID: id, By: chain.Revoked}, Sync: true,
		Events: []*broker.Event{{At: Epoch, Type: broker.EventGrantUsed, Data: data}},
	}
}

// grantEvent is what the log says of a grant. Its seal is what vouches for the row.
func grantEvent(typ, id, request string) *broker.Event {
	return &broker.Event{At: Epoch, Type: typ, RequestID: request, Data: mustJSON(map[string]string{"grant": id})}
}

// Operator is the person at the console.
var Operator = broker.Actor{Kind: broker.ByOperator, PID: 99, TTY: "/dev/pts/3"}

// NewRule is a whole allow rule, version 1. Every field is set, and its texts have signs that
// some format would escape.
func NewRule(id string) rules.Rule {
	return rules.Rule{
		ID: id, Version: 1, Priority: rules.DefaultPriority, Enabled: true,
		Scope: rules.Scope{Project: "/src", Session: "s1", Agent: "claude"},
		Tool:  "Bash|Edit", Where: map[string]string{"command": "npm run 'a<b'", "file_path": "/src/**"},
		Decision: rules.Allow, Dangerous: true, Reason: "tests <may> run", ExpiresAt: Epoch.Add(time.Hour), MaxUses: 20,
		CreatedBy: "operator", CreatedFrom: "r1", CreatedAt: Epoch, UpdatedAt: Epoch,
	}
}

// Saved is the change that records rule r.
func Saved(r rules.Rule) *broker.Change {
	return &broker.Change{Rules: []rules.Rule{r}, Events: []*broker.Event{RuleSaved(r)}, Sync: true}
}

// RuleSaved is the event of r being saved. Uses are no part of what is said: they are counted
// beside.
func RuleSaved(r rules.Rule) *broker.Event {
	r.Uses, r.LastUsedAt = 0, time.Time{}
	return Fact(broker.EventRuleSaved, broker.RuleSavedData{Rule: r, By: Operator})
}

// Removed is the change that ends rule id.
func Removed(id string) *broker.Change {
	return &broker.Change{
		Remove: []string{id}, Sync: true,
		Events: []*broker.Event{Fact(broker.EventRuleRemoved, broker.RuleRemovedData{ID: id, By: Operator})},
	}
}

// Fact is an event that holds until a later one changes it. It is of no session. Most facts are
// the console's own.
func Fact(typ string, data any) *broker.Event {
	return &broker.Event{At: Epoch, Type: typ, Data: mustJSON(data)}
}

// NewSession is a whole active session. It is whole in the sense that every stored field of a
// session that has not ended is set.
func NewSession(id string) broker.Session {
	return broker.Session{
		ID: id, Agent: "claude", Name: "api", CWD: "/src/api", ProjectDir: "/src", Mode: "plan", Pane: "%4", Transcript: "/src/.claude/" + id + ".jsonl",
		Process: broker.Process{PID: 4710, Start: 77}, State: broker.SessionActive, StartedAt: Epoch, LastSeenAt: Epoch,
		Subagents: []broker.Subagent{{ID: "sub", Type: "reviewer"}},
	}
}

// mustJSON is for values that always marshal; a panic is a fault of this package.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("brokertest: %v", err)) // of our own types
	}
	return b
}
