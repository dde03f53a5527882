package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// A log whose older events were moved to an archive begins after its base. The base's
// own event, and the events before those that stay, are there as stubs: a number, a
// time and a hash, which is all that the next event needs. The newest log_archived
// fact says where the base is and vouches for what stayed.

// stubType is the type of an event of which only the hash is left.
const stubType = "archived"

// The kinds of database.
const (
	kindLog     = "log"
	kindArchive = "archive"
)

// base is where the log begins in this database.
type base struct {
	seq   int64
	hash  chain.Hash
	facts int64
	kind  string
}

func (b base) archive() bool { return b.kind == kindArchive }

// baseSchema is the first schema that has a base.
const baseSchema = 3

func readBase(ctx context.Context, q querier) (b base, err error) {
	b.kind = kindLog
	if version, err := schemaOf(ctx, q); err != nil || version < baseSchema {
		return b, err
	}
	var hash []byte
	err = q.QueryRowContext(ctx, `SELECT seq, hash, facts, kind FROM base`).Scan(&b.seq, &hash, &b.facts, &b.kind)
	copy(b.hash[:], hash)
	return b, err
}

// archived returns what the newest of the log_archived facts says; zero without one.
func archived(events []broker.Event) (d broker.LogArchivedData, err error) {
	for _, e := range events {
		if e.Type != broker.EventLogArchived {
			continue
		}
		d = broker.LogArchivedData{}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return d, fmt.Errorf("event %d (%s) cannot be read: %w", e.Seq, e.Type, err)
		}
	}
	return d, nil
}

// doubtBase reports why the log cannot begin at b, "" when it may: the newest archive's
// record says so, or part of what is in it is still to be removed here. kept is the
// digest over what stayed.
func doubtBase(b base, d broker.LogArchivedData, kept string) string {
	switch {
	case b.archive():
		return "" // its beginning is vouched for by the log that it was cut from
	case b.seq == 0 && d.To == 0:
		return ""
	case b.seq > d.To:
		return fmt.Sprintf("the log begins after event %d, and no archive on record goes so far", b.seq)
	case b.seq < d.From-1:
		return fmt.Sprintf("the log begins after event %d, and the archive on record with event %d", b.seq, d.From)
	case b.seq == d.To && (hex.EncodeToString(b.hash[:]) != d.Hash || b.facts != d.Facts):
		return fmt.Sprintf("the log does not go on where the archive on record ends, at event %d", d.To)
	case kept != d.Kept:
		return "the events that stayed behind when the log was archived are not those on record"
	}
	return ""
}

// sqlKept lists the events up to one that stay when those around them are archived.
var sqlKept = `SELECT seq, hash FROM events
	WHERE seq <= ?1 AND (seq <= ?2 OR ` + ofFactType + ` OR seq IN (` + sqlKeptStops + `)) AND type <> '` + stubType + `' ORDER BY seq`

// sqlKeptStops are the newest stops of sessions, as far as event ?1.
const sqlKeptStops = `SELECT max(seq) FROM events WHERE type IN ('stop_requested', 'stop_lifted') AND seq <= ?1 GROUP BY session_id`

// keptDigest covers numbers and hashes of the events up to event upTo that stay. Behind
// b there may be others that are still to be removed.
func keptDigest(ctx context.Context, q querier, b base, upTo int64) (string, error) {
	h := sha256.New()
	err := each(ctx, q, func(row scanner) error {
		var seq int64
		var hash []byte
		if err := row.Scan(&seq, &hash); err != nil {
			return err
		}
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(seq))) //nolint:gosec // the same 64 bits
		h.Write(hash)
		return nil
	}, sqlKept, upTo, min(b.seq, upTo))
	return hex.EncodeToString(h.Sum(nil)), err
}

// begin makes the walk start where the log does, and checks what is left before that.
func (w *walker) begin(ctx context.Context, q querier) (b base, err error) {
	if b, err = readBase(ctx, q); err != nil {
		return b, err
	}
	if b.archive() {
		w.trail.last = b.facts
	}
	if err := w.remains(ctx, q, b); err != nil {
		return b, err
	}
	if w.trail.last != b.facts {
		w.r.add(0, "", fmt.Sprintf("%d facts are left of the archived events, and %d on record", w.trail.last, b.facts))
	}
	w.prev = head{seq: b.seq, hash: b.hash}
	w.r.HeadSeq, w.r.Base, w.r.Archive = b.seq, b.seq, b.archive()
	w.r.BaseHash = hex.EncodeToString(b.hash[:])
	if b.seq > 0 {
		w.r.HeadHash = hex.EncodeToString(b.hash[:])
	}
	return b, nil
}

// remains checks the rows up to the base: stubs that say nothing, and events each of
// which follows the stub or event before it.
func (w *walker) remains(ctx context.Context, q querier, b base) error {
	var last head
	err := each(ctx, q, func(row scanner) error {
		l, hash, err := scanLink(row)
		if err != nil {
			return err
		}
		w.remaining(&l, last, hash)
		last = head{seq: l.Seq}
		copy(last.hash[:], hash)
		return nil
	}, sqlWalk, -1, b.seq, -1)
	if err == nil && (last.seq != b.seq || last.hash != b.hash) {
		w.r.add(b.seq, "", "the event after which the log begins is not as it was archived")
	}
	return err
}

// remaining checks one event that stayed behind when those around it were archived.
func (w *walker) remaining(l *chain.Link, last head, hash []byte) {
	if l.Type == stubType {
		if l.Session+l.Request+l.Data+l.Subject+l.Seal != "" {
			w.r.add(l.Seq, "", "only the hash of it was left when it was archived, and now it says more")
		}
		return
	}
	if last.seq != l.Seq-1 {
		last.hash = chain.Hash{}
	}
	if h := l.After(last.hash); string(h[:]) != string(hash) {
		w.r.add(l.Seq, l.Subject, "it was changed, or the event before it was")
	}
	if why := w.trail.follow(l); why != "" {
		w.r.add(l.Seq, "", why)
	}
}
