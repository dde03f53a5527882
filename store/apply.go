package store

import (
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

const (
	requestColumns = `id, key, session_id, agent, event, tool_use_id, subagent_id, subagent_type,
		tool_name, tool_input, cwd, mode, description, digest,
		asker_pid, asker_start, created_at_ms, expires_at_ms, ` + outcomeColumns
	outcomeColumns = `status, decided_at_ms, by_kind, by_id, by_pid, by_exe, by_tty, reason, updated_input`
	sessionColumns = `id, agent, name, cwd, project_dir, mode, pane, pid, process_start, state,
		started_at_ms, last_seen_at_ms, stop_asked_at_ms, ended_at_ms, exit_code, end_reason, subagents, transcript,
		managed_run, queued_message, marks`
	grantColumns = `id, session_id, subagent_id, digest, request_id,
		by_kind, by_id, by_pid, by_exe, by_tty, created_at_ms, expires_at_ms, used_by`
)

const (
	sqlInsert = `INSERT INTO requests (` + requestColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// A decision is about a call: a row that no longer has its digest is not decided.
	sqlSettle = `UPDATE requests SET (` + outcomeColumns + `) = (?, ?, ?, ?, ?, ?, ?, ?, ?)
		WHERE id = ? AND status = 'pending' AND digest = ? AND tool_name = ?`

	sqlStatus = `SELECT status FROM requests WHERE id = ?`

	sqlSession = `INSERT OR REPLACE INTO sessions (` + sessionColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	sqlGrant = `INSERT INTO grants (` + grantColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`

	sqlUse     = `UPDATE grants SET used_by = ? WHERE id = ? AND used_by IS NULL`
	sqlUsedBy  = `SELECT used_by FROM grants WHERE id = ?`
	sqlMade    = `SELECT seal FROM events WHERE subject = ? AND type = ?`
	sqlNewHead = `UPDATE head SET seq = ?, hash = ?, facts = ? WHERE one = 1`

	sqlAppend = `INSERT INTO events (seq, at_ms, type, session_id, request_id, data, subject, seal, hash)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// What the log's end is, told by both places that know it.
	sqlHead = `SELECT head.seq, head.hash, head.facts, coalesce(last.seq, 0), coalesce(last.hash, zeroblob(32))
		FROM head LEFT JOIN events AS last ON last.seq = (SELECT max(seq) FROM events)`
)

// head is the end of the log.
type head struct {
	seq   int64
	hash  chain.Hash
	facts int64 // how many of its events are facts
}

// public is the head as others see it: 0 and "" for an empty log.
func (h head) public() (seq int64, hash string) {
	if h.seq == 0 {
		return 0, ""
	}
	var digits [2 * len(h.hash)]byte
	hex.Encode(digits[:], h.hash[:])
	return h.seq, string(digits[:])
}

// applier writes changes inside the writer's transaction.
type applier struct {
	c      *conn
	work   *work  // the one that is being written
	end    head   // of the log so far
	placed []head // where each entry went
}

// applyAll writes works one after the other. A *broker.ChangeError says which one is at
// fault; any other error is about the transaction as a whole.
func (a *applier) applyAll(works []*work) error {
	for i, k := range works {
		a.work = k
		if err := a.apply(); err != nil {
			if ownFault(err) && !a.c.raw.AutoCommit() {
				err = &broker.ChangeError{Index: i, Err: err}
			}
			return err
		}
	}
	return nil
}

func (a *applier) apply() error {
	for _, part := range []func() error{a.insert, a.settle, a.sessions, a.grant, a.use, a.rules, a.checkpoints, a.also} {
		if err := part(); err != nil {
			return err
		}
	}
	for i := range a.work.entries {
		if err := a.append(&a.work.entries[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) also() error {
	if a.work.also == nil {
		return nil
	}
	return a.work.also(a)
}

func (a *applier) insert() error {
	if a.work.insert == nil {
		return nil
	}
	_, err := a.c.exec(sqlInsert, a.work.insert...)
	if taken(err) {
		err = broker.ErrDuplicate
	}
	return about("request", a.work.insertID, err)
}

func (a *applier) settle() error {
	for i := range a.work.settles {
		s := &a.work.settles[i]
		n, err := a.c.exec(sqlSettle, s.args...)
		if err == nil && n == 0 {
			err = a.whyNotSettled(s.id)
		}
		if err != nil {
			return about("request", s.id, err)
		}
	}
	return nil
}

func (a *applier) whyNotSettled(id string) error {
	row, err := a.c.row(sqlStatus, id)
	switch {
	case errors.Is(err, errNoRow):
		return broker.ErrNotFound
	case err != nil:
		return err
	case row[0] != string(broker.Pending):
		return broker.ErrAlreadyDecided
	}
	return fmt.Errorf("%w: another call was decided", broker.ErrTampered)
}

func (a *applier) sessions() error {
	for _, args := range a.work.sessions {
		if _, err := a.c.exec(sqlSession, args...); err != nil {
			return about("session", fmt.Sprint(args[0]), err)
		}
	}
	return nil
}

func (a *applier) grant() error {
	if a.work.grant == nil {
		return nil
	}
	_, err := a.c.exec(sqlGrant, a.work.grant...)
	if taken(err) {
		err = broker.ErrDuplicate
	}
	return about("grant", a.work.grantID, err)
}

func (a *applier) use() error {
	u := a.work.use
	if u == nil {
		return nil
	}
	n, err := a.c.exec(sqlUse, u.By, u.ID)
	if err == nil && n == 0 {
		if _, err = a.c.row(sqlUsedBy, u.ID); errors.Is(err, errNoRow) {
			err = broker.ErrNotFound
		} else if err == nil {
			err = broker.ErrGrantUsed
		}
	}
	return about("grant", u.ID, err)
}

// append writes one event at the log's end. The log has room for one event of each type about
// a row: a second one means that the row was set back by another program.
func (a *applier) append(e *entry) error {
	if err := a.seal(e); err != nil {
		return err
	}
	l := &e.link
	l.Seq = a.end.seq + 1
	next := head{seq: l.Seq, facts: a.end.facts}
	if e.part.Fact() {
		next.facts++
		l.Subject, e.seal = chain.FactSubject(next.facts), chain.SealFact(next.facts)
	}
	var subject, sealed driver.Value
	if e.part != chain.None {
		l.Seal = string(e.seal[:])
		subject, sealed = l.Subject, e.seal[:]
	}
	next.hash = l.After(a.end.hash)
	a.end, a.placed = next, append(a.placed, next)
	_, err := a.c.exec(sqlAppend, l.Seq, l.AtMS, l.Type, l.Session, l.Request, l.Data, subject, sealed, a.placed[len(a.placed)-1].hash[:])
	if taken(err) {
		err = fmt.Errorf("%w: the log has a %s of %s already", broker.ErrTampered, l.Type, l.Subject)
	}
	return err
}

// seal makes the seals that build on an earlier event.
func (a *applier) seal(e *entry) error {
	switch e.part {
	case chain.Settled:
		made, err := a.made(e.link.Subject, broker.EventRequestCreated)
		e.seal = chain.SealOutcome(made, &a.work.settles[e.index].outcome)
		return err
	case chain.GrantUsed:
		made, err := a.made(e.link.Subject, broker.EventGrantCreated)
		e.seal = chain.SealUse(made, a.work.use.By)
		return err
	case chain.None, chain.InsertMade, chain.InsertEnded, chain.GrantMade,
		chain.RuleSaved, chain.RuleRemoved, chain.FactOnly:
	}
	return nil
}

// made is the seal with which the log recorded the making of subject.
func (a *applier) made(subject, typ string) (chain.Hash, error) {
	row, err := a.c.row(sqlMade, subject, typ)
	if errors.Is(err, errNoRow) {
		return chain.Hash{}, fmt.Errorf("%w: the log does not know %s", broker.ErrTampered, subject)
	}
	if err != nil {
		return chain.Hash{}, err
	}
	return hashOf(row[0])
}

// about says of which row err is.
func about(kind, id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", kind, id, err)
}

func hashOf(v any) (chain.Hash, error) {
	b, ok := v.([]byte)
	if !ok || len(b) != len(chain.Hash{}) {
		return chain.Hash{}, fmt.Errorf("%w: a hash of %T", ErrCorrupt, v)
	}
	return chain.Hash(b), nil
}

// readHead reads the log's end and refuses one that is not the same in both places.
func readHead(c *conn) (head, error) {
	row, err := c.row(sqlHead)
	if errors.Is(err, errNoRow) {
		return head{}, fmt.Errorf("%w: the record of its end is gone", errHead)
	}
	if err != nil {
		return head{}, err
	}
	noted, err := headOf(row[0], row[1])
	if err != nil {
		return head{}, err
	}
	last, err := headOf(row[3], row[4])
	if err != nil {
		return head{}, err
	}
	if noted != last {
		return head{}, fmt.Errorf("%w: it ends at event %d, on record is %d", errHead, last.seq, noted.seq)
	}
	noted.facts, err = intOf(row[2], "a number of facts")
	return noted, err
}

func headOf(seq, hash any) (head, error) {
	n, err := intOf(seq, "an event's number")
	if err != nil {
		return head{}, err
	}
	h, err := hashOf(hash)
	return head{seq: n, hash: h}, err
}
