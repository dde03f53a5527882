package store

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// work is a broker.Change as the writer applies it: statements' arguments, ready made
// in the caller's goroutine, and nothing of the caller's memory.
type work struct {
	insert   []driver.Value // nil when there is none
	insertID string
	settles  []settle
	sessions [][]driver.Value
	grant    []driver.Value
	grantID  string
	use      *broker.GrantUse
	rules    [][]driver.Value // of sqlRule
	removed  []string
	used     []string
	usedAt   int64          // milliseconds
	deferred []driver.Value // of sqlCheckpoint; nil when there is none
	dropped  []string       // requests whose checkpoints go
	entries  []entry
	also     func(*applier) error // what no Change does, before the entries; nil for none
	sync     bool
}

type settle struct {
	id      string
	outcome broker.Outcome
	args    []driver.Value // of sqlSettle
}

// entry is one event of the log, short of what only the writer knows: its number, and
// the seals that build on an earlier event.
type entry struct {
	link  chain.Link
	part  chain.Part
	index int        // into settles
	seal  chain.Hash // the whole of it for InsertMade, InsertEnded and GrantMade
}

// encode makes work of c in the caller's goroutine, so that the one connection that writes is
// busy with nothing but writing. An error says why c may not be recorded.
func encode(c *broker.Change) (*work, error) {
	vouches, err := chain.Check(c)
	if err != nil {
		return nil, err
	}
	w := &work{sync: c.Sync, entries: make([]entry, 0, len(c.Events))}
	if c.Insert != nil {
		w.insert, w.insertID = requestArgs(c.Insert), c.Insert.ID
	}
	w.settles = settles(c, vouches)
	for i := range c.Sessions {
		args, err := sessionArgs(&c.Sessions[i])
		if err != nil {
			return nil, err
		}
		w.sessions = append(w.sessions, args)
	}
	if c.Grant != nil {
		w.grant, w.grantID = grantArgs(c.Grant), c.Grant.ID
	}
	if c.UseGrant != nil {
		use := *c.UseGrant
		w.use = &use
	}
	if err := w.checkpointWork(c); err != nil {
		return nil, err
	}
	if err := w.ruleWork(c); err != nil {
		return nil, err
	}
	for i, e := range c.Events {
		w.entries = append(w.entries, newEntry(c, e, vouches[i]))
	}
	return w, nil
}

func newEntry(c *broker.Change, e *broker.Event, v chain.Vouch) entry {
	en := entry{part: v.Part, index: v.Index, link: chain.Link{
		AtMS: chain.MS(e.At), Type: e.Type, Session: e.SessionID, Request: e.RequestID,
		Data: string(e.Data), Subject: v.Subject,
	}}
	switch v.Part {
	case chain.InsertMade:
		en.seal = chain.SealRequest(c.Insert)
	case chain.InsertEnded:
		en.seal = chain.SealOutcome(chain.SealRequest(c.Insert), c.Insert.Outcome)
	case chain.GrantMade:
		en.seal = chain.SealGrant(c.Grant)
	case chain.None, chain.Settled, chain.GrantUsed, chain.RuleSaved, chain.RuleRemoved, chain.FactOnly:
	}
	return en
}

func settles(c *broker.Change, vouches []chain.Vouch) []settle {
	list := make([]settle, len(c.Settle))
	for _, v := range vouches {
		if v.Part != chain.Settled {
			continue
		}
		s := c.Settle[v.Index]
		s.Outcome.UpdatedInput = slices.Clone(s.Outcome.UpdatedInput)
		list[v.Index] = settle{
			id: s.ID, outcome: s.Outcome,
			args: append(outcomeArgs(make([]driver.Value, 0, 12), &s.Outcome), s.ID, v.Decided.Digest, v.Decided.ToolName),
		}
	}
	return list
}

// outcomeArgs adds to args in the order of outcomeColumns.
func outcomeArgs(args []driver.Value, o *broker.Outcome) []driver.Value {
	return append(args,
		string(o.State), chain.MS(o.At), string(o.By.Kind), o.By.ID, int64(o.By.PID), o.By.Exe, o.By.TTY,
		o.Reason, string(o.UpdatedInput))
}

// requestArgs are in the order of requestColumns.
func requestArgs(r *broker.Request) []driver.Value {
	args := make([]driver.Value, 0, 28)
	args = append(args,
		r.ID, orNull(r.Key), r.SessionID, r.Agent, r.Event, r.ToolUseID, r.SubagentID, r.SubagentType,
		r.ToolName, string(r.ToolInput), r.CWD, r.Mode, r.Description, r.Digest,
		int64(r.Asker.PID), signed(r.Asker.Start), chain.MS(r.CreatedAt), chain.MS(r.ExpiresAt))
	if r.Outcome != nil {
		return outcomeArgs(args, r.Outcome)
	}
	return append(args, string(r.State), nil, "", "", int64(0), "", "", "", "")
}

// sessionArgs are in the order of sessionColumns.
func sessionArgs(s *broker.Session) ([]driver.Value, error) {
	subagents, err1 := json.Marshal(append([]broker.Subagent{}, s.Subagents...))
	run, err2 := optional(s.Run)
	message, err3 := optional(s.Message)
	marks, err4 := json.Marshal(s.SessionMarks)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, fmt.Errorf("session %s: %w", s.ID, err)
	}
	var code driver.Value
	if s.ExitCode != nil {
		code = int64(*s.ExitCode)
	}
	return []driver.Value{
		s.ID, s.Agent, s.Name, s.CWD, s.ProjectDir, s.Mode, s.Pane,
		int64(s.Process.PID), signed(s.Process.Start), string(s.State),
		chain.MS(s.StartedAt), chain.MS(s.LastSeenAt), chain.MS(s.StopAskedAt), chain.MS(s.EndedAt),
		code, s.EndReason, string(subagents), s.Transcript, run, message, string(marks),
	}, nil
}

// grantArgs are in the order of grantColumns, short of used_by.
func grantArgs(g *broker.Grant) []driver.Value {
	return []driver.Value{
		g.ID, g.SessionID, g.SubagentID, g.Digest, g.RequestID,
		string(g.By.Kind), g.By.ID, int64(g.By.PID), g.By.Exe, g.By.TTY,
		chain.MS(g.CreatedAt), chain.MS(g.ExpiresAt),
	}
}

// optional is the JSON of what may be nil, "" when it is.
func optional[T any](v *T) (string, error) {
	if v == nil {
		return "", nil
	}
	raw, err := json.Marshal(v)
	return string(raw), err
}

func orNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}

// signed and unsigned carry 64 bits through SQLite's signed integers.
func signed(n uint64) int64   { return int64(n) }  //nolint:gosec // the same 64 bits
func unsigned(n int64) uint64 { return uint64(n) } //nolint:gosec // the same 64 bits
