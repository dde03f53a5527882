package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// walker walks the log from where it begins and reports what does not fit.
type walker struct {
	r     *Report
	prev  head
	trail trail
	spoke map[string]int64 // by rule id: how often it spoke, as decided events say
	mine  head             // the end of the log as this process wrote it; zero when it wrote nothing
}

// walk goes on with at most limit events (all for -1) up to number upTo, and says how
// many there were.
func (w *walker) walk(ctx context.Context, q querier, upTo, limit int64) (n int64, err error) {
	err = each(ctx, q, func(row scanner) error {
		l, hash, err := scanLink(row)
		if err == nil {
			n++
			w.step(&l, hash)
		}
		return err
	}, sqlWalk, w.prev.seq, upTo, limit)
	return n, err
}

const sqlWalk = `SELECT seq, at_ms, type, session_id, request_id, data, subject, seal, hash FROM events
	WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`

// scanLink reads an event as it is hashed, its hash, and what else the query has.
func scanLink(row scanner, more ...any) (l chain.Link, hash []byte, err error) {
	var subject sql.NullString
	var seal []byte
	err = row.Scan(append([]any{&l.Seq, &l.AtMS, &l.Type, &l.Session, &l.Request, &l.Data, &subject, &seal, &hash}, more...)...)
	l.Subject, l.Seal = subject.String, string(seal)
	return l, hash, err
}

// toEnd goes on to the end of the log, and looks whether that is where it is on record.
func (w *walker) toEnd(ctx context.Context, q querier) error {
	if _, err := w.walk(ctx, q, math.MaxInt64, -1); err != nil {
		return err
	}
	e, err := readEnd(ctx, q)
	if err == nil {
		w.compare(e)
	}
	return err
}

// step checks the event l, which is written with the given hash.
func (w *walker) step(l *chain.Link, hash []byte) {
	w.r.Events++
	if l.Seq != w.prev.seq+1 {
		w.r.add(l.Seq, "", fmt.Sprintf("events %d to %d before it are gone", w.prev.seq+1, l.Seq-1))
	} else if h := l.After(w.prev.hash); string(h[:]) != string(hash) {
		w.r.add(l.Seq, l.Subject, "it was changed, or the event before it was")
	}
	if why := w.trail.follow(l); why != "" {
		w.r.add(l.Seq, "", why)
	}
	if l.Type == broker.EventRequestDecided {
		w.count(l.Data)
	}
	w.prev = head{seq: l.Seq}
	copy(w.prev.hash[:], hash) // go on from what is written, to find what else is wrong
	if l.Seq == w.mine.seq && w.prev.hash != w.mine.hash {
		w.r.add(l.Seq, "", "it is not the one that this console wrote")
	}
	w.r.HeadSeq, w.r.HeadHash = l.Seq, hex.EncodeToString(hash)
}

// count adds up the rules that an event's data names. Most name none, and are not read.
func (w *walker) count(data string) {
	if !strings.Contains(data, `"rules":[`) {
		return
	}
	var d struct {
		Rules []string `json:"rules"`
	}
	if json.Unmarshal([]byte(data), &d) != nil {
		return // then its hash is wrong, or it is no event of ours
	}
	if w.spoke == nil {
		w.spoke = map[string]int64{}
	}
	for _, id := range d.Rules {
		w.spoke[id]++
	}
}

// uses compares how often rules spoke with what was counted: a count that another
// program set back would let them speak more often than they may.
func (w *walker) uses(ctx context.Context, q querier) error {
	if len(w.spoke) == 0 {
		return nil
	}
	spoke := w.spoke
	err := each(ctx, q, func(row scanner) error {
		var id string
		var counted int64
		err := row.Scan(&id, &counted)
		if n := spoke[id]; n > counted {
			w.r.add(0, "rule/"+id, fmt.Sprintf("%d uses are counted, the log has %d", counted, n))
		}
		delete(spoke, id)
		return err
	}, `SELECT id, uses FROM rule_use`)
	for _, id := range slices.Sorted(maps.Keys(spoke)) {
		w.r.add(0, "rule/"+id, fmt.Sprintf("no uses are counted, the log has %d", spoke[id]))
	}
	return err
}

// end is the log's own record of its end.
type end struct {
	gone  bool // there is no record
	seq   int64
	hash  []byte
	facts int64
}

func readEnd(ctx context.Context, q querier) (e end, err error) {
	has, err := hasRules(ctx, q)
	if err != nil {
		return e, err
	}
	query := `SELECT seq, hash, facts FROM head`
	if !has {
		query = `SELECT seq, hash, 0 FROM head`
	}
	err = q.QueryRowContext(ctx, query).Scan(&e.seq, &e.hash, &e.facts)
	if errors.Is(err, sql.ErrNoRows) {
		return end{gone: true}, nil
	}
	return e, err
}

// compare compares where the walk ended with the record of the log's end.
func (w *walker) compare(e end) {
	r := w.r
	switch {
	case e.gone:
		r.add(r.HeadSeq, "", "the record of the log's end is gone")
		return
	case e.seq > r.HeadSeq:
		r.add(r.HeadSeq, "", fmt.Sprintf("the log ends here, but its end was event %d", e.seq))
	case e.seq < r.HeadSeq:
		r.add(e.seq+1, "", fmt.Sprintf("the log goes on to event %d, but its end was event %d", r.HeadSeq, e.seq))
	case e.seq > 0 && hex.EncodeToString(e.hash) != r.HeadHash:
		r.add(e.seq, "", "the log's end is not the one on record")
	}
	if why := w.trail.end(e.facts); why != "" {
		r.add(0, "", why)
	}
}
