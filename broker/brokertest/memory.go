// Package brokertest has what tests of the broker share: a broker.Store in memory, the contract
// that every broker.Store must keep, and requests, sessions, rules and changes to fill one with.
//
// Memory has mutexes only, no file and no goroutine, so it works inside a testing/synctest
// bubble. BeforeCommit and AfterCommit make it fail, hang, or fail after it recorded. TestStore
// is the contract: package store passes it with SQLite and Memory passes it as well, so a test
// that holds with one store holds with the other. PendingRequest, NewSession, NewRule and the
// functions beside them make values that both accept; each function that returns a Change
// returns it with the events that the store's checks ask for.
//
// Only tests and trials import it.
//
// A test of the broker goes like this: NewMemory makes an empty store, the broker under test
// records into it, and the test reads it as a person would, through the methods of broker.Store.
// To try a failure it sets a hook before the step that is to fail, and takes it away after. To
// try a restart it builds another broker over the same Memory, since what is in memory stands for
// what is on the disk.
//
// What this room owes is that it is no easier than the real store. A change that SQLite refuses
// is refused here with the same error; a value comes back rounded, copied and without what is not
// stored; and events are chained with the same hashes (package chain), so that a mistake in a
// change shows here first. The contract has a golden hash for that.
//
// What it does not try: rows that another program changed, a full disk, two processes. Package
// store has tests of its own for these. Doubt alone stands in for a log that does not verify.
//
// Read make.go for the values, contract.go for the promises, memory.go for the store. Packages
// below help any test: cputime, memdir and seeded.
package brokertest

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// lately is how long an ended session is still worth loading. It is the same span as in package
// store, or a test would load other sessions than a user does.
const lately = 24 * time.Hour

// defaultLimit is how many rows a list has when its filter names no limit.
const defaultLimit = 1000

// CommitHook sees a change before or after it is applied. It may block; an error
// becomes Record's. It is called without any lock held, in the goroutine of Record, once for each
// change of the list.
type CommitHook func(ctx context.Context, c *broker.Change) error

// Memory is a broker.Store without a file: mutexes only, so that it works inside a
// testing/synctest bubble. Opening it again after a crash is to go on using it. The zero value is
// not ready; NewMemory makes one. Several goroutines may use it.
type Memory struct {
	mu     sync.Mutex
	before CommitHook
	after  CommitHook
	tables
}

// tables are what a store has at one moment. What is in them is replaced, never changed.
type tables struct {
	requests map[string]*row
	order    []string          // request ids as inserted
	keys     map[string]string // correlation key → request id
	sessions map[string]broker.Session
	grants   map[string]broker.Grant
	deferred map[string]broker.Checkpoint // by request id
	uses     map[string]broker.RuleUse    // as Change.Used counted them
	events   []broker.Event
	facts    int64 // how many of them are facts
	head     chain.Hash
	doubt    string
}

// clone is a snapshot to go back to. Slices are not copied: they only grow, and a snapshot keeps
// its own length.
func (t tables) clone() tables {
	t.requests, t.keys, t.sessions = maps.Clone(t.requests), maps.Clone(t.keys), maps.Clone(t.sessions)
	t.grants, t.deferred, t.uses = maps.Clone(t.grants), maps.Clone(t.deferred), maps.Clone(t.uses)
	return t
}

// row is a request with its seal. The seal is made once, as the real store keeps it in the row.
type row struct {
	broker.Request
	made chain.Hash // seal of the request as it was made
}

var _ broker.Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{tables: tables{
		requests: map[string]*row{}, keys: map[string]string{},
		sessions: map[string]broker.Session{}, grants: map[string]broker.Grant{},
		uses: map[string]broker.RuleUse{}, deferred: map[string]broker.Checkpoint{},
	}}
}

// BeforeCommit makes every later Record call hook with each change first, outside of all
// locks. An error from it is returned and nothing is applied: a disk that is full. A hook
// that blocks is a disk that hangs. Nil removes it. A hook may be set while Records are under
// way; it is for those that begin later.
func (m *Memory) BeforeCommit(hook CommitHook) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = hook
}

// AfterCommit makes every later Record call hook with each change once all are applied. An
// error from it is returned although everything is recorded: the outcome that a caller
// cannot know. Nil removes it.
func (m *Memory) AfterCommit(hook CommitHook) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.after = hook
}

// Record implements broker.Store.
func (m *Memory) Record(ctx context.Context, list ...*broker.Change) error {
	m.mu.Lock()
	before, after := m.before, m.after
	m.mu.Unlock()
	// The hooks come before the context is looked at, so that a hook may cancel it.
	for _, c := range list {
		if before == nil {
			break
		}
		if err := before(ctx, c); err != nil {
			return err
		}
	}
	// A caller that has given up is told so, and nothing of its change is there: it must not be
	// left in doubt.
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: not applied: %w", err)
	}
	if err := m.record(list); err != nil {
		return err
	}
	for _, c := range list {
		if after == nil {
			break
		}
		if err := after(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// record applies list, or nothing.
func (m *Memory) record(list []*broker.Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var undo tables
	// One change is checked whole before it is applied, so it needs no way back. Of several, the
	// first may be applied when the second fails.
	if len(list) > 1 {
		undo = m.clone()
	}
	for i, c := range list {
		vouches, err := chain.Check(c)
		if err == nil {
			err = m.check(c, vouches)
		}
		if err != nil {
			if i > 0 {
				m.tables = undo
			}
			return &broker.ChangeError{Index: i, Err: err}
		}
		m.apply(c)
		m.append(c, vouches)
	}
	return nil
}

// check finds whatever speaks against c before any of it is applied. Caller holds mu. Nothing is
// changed here, so an error leaves nothing behind.
func (m *Memory) check(c *broker.Change, vouches []chain.Vouch) error {
	if err := m.checkInsert(c.Insert); err != nil {
		return err
	}
	for _, v := range vouches {
		if v.Part != chain.Settled {
			continue
		}
		if err := m.checkSettle(c, v); err != nil {
			return err
		}
	}
	if g := c.Grant; g != nil {
		if _, taken := m.grants[g.ID]; taken {
			return fmt.Errorf("grant %s: %w", g.ID, broker.ErrDuplicate)
		}
	}
	for _, id := range c.DropCheckpoints {
		if _, ok := m.deferred[id]; !ok && (c.Checkpoint == nil || c.Checkpoint.RequestID != id) {
			return fmt.Errorf("checkpoint of request %s: %w", id, broker.ErrNotFound)
		}
	}
	return m.checkUse(c)
}

// checkInsert refuses an id or a key that is taken. An empty key is no key, and never taken.
func (m *Memory) checkInsert(r *broker.Request) error {
	if r == nil {
		return nil
	}
	if _, taken := m.requests[r.ID]; taken {
		return fmt.Errorf("request %s: %w", r.ID, broker.ErrDuplicate)
	}
	if _, taken := m.keys[r.Key]; taken && r.Key != "" {
		return fmt.Errorf("request %s: its key: %w", r.ID, broker.ErrDuplicate)
	}
	return nil
}

// checkSettle refuses the end of a call that is not there, has ended, or is another one than the
// event speaks of. A call may be asked and ended in one change.
func (m *Memory) checkSettle(c *broker.Change, v chain.Vouch) error {
	id := c.Settle[v.Index].ID
	r, ok := m.requests[id]
	// The insert of the same change is not among the requests yet.
	if !ok && c.Insert != nil && c.Insert.ID == id {
		r, ok = &row{Request: *c.Insert}, true
	}
	switch {
	case !ok:
		return fmt.Errorf("request %s: %w", id, broker.ErrNotFound)
	case r.State != broker.Pending:
		return fmt.Errorf("request %s: %w", id, broker.ErrAlreadyDecided)
	case r.Digest != v.Decided.Digest || r.ToolName != v.Decided.ToolName:
		return fmt.Errorf("request %s: %w: another call was decided", id, broker.ErrTampered)
	}
	return nil
}

// checkUse refuses a grant that is unknown or used. A grant may be made and used in one change.
func (m *Memory) checkUse(c *broker.Change) error {
	if c.UseGrant == nil {
		return nil
	}
	g, ok := m.grants[c.UseGrant.ID]
	// Likewise the grant.
	if !ok && c.Grant != nil && c.Grant.ID == c.UseGrant.ID {
		g, ok = *c.Grant, true
	}
	switch {
	case !ok:
		return fmt.Errorf("grant %s: %w", c.UseGrant.ID, broker.ErrNotFound)
	case g.UsedBy != "":
		return fmt.Errorf("grant %s: %w", g.ID, broker.ErrGrantUsed)
	}
	return nil
}

// apply does what check has found right, and cannot fail. Rows are replaced whole, since a
// snapshot may share them. Caller holds mu.
func (m *Memory) apply(c *broker.Change) {
	if c.Insert != nil {
		r := &row{Request: copyRequest(*c.Insert), made: chain.SealRequest(c.Insert)}
		m.requests[r.ID] = r
		m.order = append(m.order, r.ID)
		if r.Key != "" {
			m.keys[r.Key] = r.ID
		}
	}
	for _, s := range c.Settle {
		r := *m.requests[s.ID]
		r.State, r.Outcome = s.Outcome.State, copyOutcome(&s.Outcome)
		m.requests[s.ID] = &r
	}
	for _, s := range c.Sessions {
		m.sessions[s.ID] = copySession(s)
	}
	if c.Grant != nil {
		g := *c.Grant
		g.CreatedAt, g.ExpiresAt = round(g.CreatedAt), round(g.ExpiresAt)
		m.grants[g.ID] = g
	}
	if c.UseGrant != nil {
		g := m.grants[c.UseGrant.ID]
		g.UsedBy = c.UseGrant.By
		m.grants[g.ID] = g
	}
	if c.Checkpoint != nil {
		m.deferred[c.Checkpoint.RequestID] = copyCheckpoint(*c.Checkpoint)
	}
	for _, id := range c.DropCheckpoints {
		delete(m.deferred, id)
	}
	m.countUses(c)
}

// append adds c's events to the log, after the rest of c is applied. The seal of an event covers
// the row as it is then, so the rows come first.
func (m *Memory) append(c *broker.Change, vouches []chain.Vouch) {
	for i, e := range c.Events {
		e.Seq = int64(len(m.events)) + 1
		// The hash is worked out here as in package store, from the bytes that go in.
		m.head = chain.Link{
			Seq: e.Seq, AtMS: chain.MS(e.At), Type: e.Type, Session: e.SessionID, Request: e.RequestID,
			Data: string(e.Data), Subject: m.subject(vouches[i]), Seal: m.seal(c, vouches[i]),
		}.After(m.head)
		e.Hash = hex.EncodeToString(m.head[:])
		m.events = append(m.events, copyEvent(*e))
	}
}

// subject is what the next event is about. It numbers facts. It is called once for each event, in
// order: each call gives the next number away.
func (m *Memory) subject(v chain.Vouch) string {
	if !v.Part.Fact() {
		return v.Subject
	}
	m.facts++
	return chain.FactSubject(m.facts)
}

// seal is that of the event whose subject was asked for last. Rows that were sealed when they
// were made are not sealed anew, so a change behind the store's back would show.
func (m *Memory) seal(c *broker.Change, v chain.Vouch) string {
	var h chain.Hash
	switch v.Part {
	// An event that vouches for no row has no seal.
	case chain.None:
		return ""
	// A pending request is sealed as it was made.
	case chain.InsertMade:
		h = m.requests[c.Insert.ID].made
	case chain.InsertEnded:
		h = chain.SealOutcome(m.requests[c.Insert.ID].made, c.Insert.Outcome)
	case chain.Settled:
		s := &c.Settle[v.Index]
		h = chain.SealOutcome(m.requests[s.ID].made, &s.Outcome)
	case chain.GrantMade:
		h = chain.SealGrant(c.Grant)
	case chain.GrantUsed:
		g := m.grants[c.UseGrant.ID]
		h = chain.SealUse(chain.SealGrant(&g), c.UseGrant.By)
	// Facts have no row; their number is what is sealed.
	case chain.RuleSaved, chain.RuleRemoved, chain.FactOnly:
		h = chain.SealFact(m.facts)
	}
	return string(h[:])
}

// Head implements broker.Store.
func (m *Memory) Head() (seq int64, hash string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.events) == 0 {
		return 0, ""
	}
	return int64(len(m.events)), hex.EncodeToString(m.head[:])
}

// Load implements broker.Store. What is not in the log or in a row is not here either: a starting
// broker works out the rest.
func (m *Memory) Load(ctx context.Context) (broker.Saved, error) {
	if err := ctx.Err(); err != nil {
		return broker.Saved{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	// The parts are in the order in which broker.Saved lists them.
	saved := broker.Saved{Facts: m.listFacts(), RuleUse: m.ruleUse(), Doubt: m.doubt}
	for _, id := range m.order {
		if r := m.requests[id]; r.State == broker.Pending {
			saved.Requests = append(saved.Requests, copyRequest(r.Request))
		}
	}
	for _, s := range m.sorted() {
		// A call that was put off brings its session, however long ago that ended.
		if !s.State.Ended() || time.Since(s.LastSeenAt) < lately || m.putOff(s.ID) {
			saved.Sessions = append(saved.Sessions, copySession(s))
		}
	}
	saved.Grants = m.unused()
	saved.Checkpoints = m.checkpoints()
	saved.Extensions = m.extensions()
	return saved, nil
}

// sorted lists the sessions by last seen, newest first. Caller holds mu.
func (m *Memory) sorted() []broker.Session {
	list := make([]broker.Session, 0, len(m.sessions))
	for _, s := range m.sessions {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b broker.Session) int {
		return cmp.Or(b.LastSeenAt.Compare(a.LastSeenAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}
