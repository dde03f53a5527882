package store

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// A checkpoint lets a call that was decided long ago have its answer, so its row counts
// only when the log vouches for it: the newest event about it says the same.

const (
	sqlCheckpoint     = `INSERT OR REPLACE INTO checkpoints (request_id, session_id, data) VALUES (?, ?, ?)`
	sqlDropCheckpoint = `DELETE FROM checkpoints WHERE request_id = ?`

	sqlCheckpoints = `SELECT k.request_id, k.session_id, k.data, coalesce(e.type, '` + broker.EventDeferred + `'),
			e.seq, e.at_ms, e.session_id, e.request_id, e.data, e.seal, e.hash, p.hash
		FROM checkpoints k
		LEFT JOIN events e ON e.seq = (SELECT max(seq) FROM events WHERE session_id = k.session_id AND request_id = k.request_id
			AND type IN ('` + broker.EventDeferred + `', '` + broker.EventTakenUpAgain + `', '` + broker.EventNotDeferred + `'))
		LEFT JOIN events p ON p.seq = e.seq - 1
		ORDER BY e.seq`
)

// sqlNoCheckpoint lists the newest events about calls that ought to have a checkpoint and
// have none. It goes with the answer that was given, with that of a call that was taken up
// again, and when its session is stopped or ended for good.
var sqlNoCheckpoint = `SELECT e.seq, e.request_id FROM events e LEFT JOIN requests r ON r.id = e.request_id
	WHERE e.type IN ('` + broker.EventDeferred + `', '` + broker.EventTakenUpAgain + `')
		AND NOT EXISTS (SELECT 1 FROM checkpoints k WHERE k.request_id = e.request_id)
		AND coalesce(` + inJSON("e.data", "given") + `, '') = ''
		AND NOT (e.type = '` + broker.EventTakenUpAgain + `' AND r.status <> 'pending')
		AND r.by_kind <> '` + string(broker.ByStop) + `'
		AND NOT EXISTS (SELECT 1 FROM events n WHERE n.session_id = e.session_id AND n.seq > e.seq AND (
			n.request_id = e.request_id AND n.type IN ('` + broker.EventDeferred + `', '` + broker.EventTakenUpAgain + `', '` + broker.EventNotDeferred + `')
			OR n.type = '` + broker.EventStopRequested + `'
			OR n.type IN ('` + broker.EventSessionStop + `', '` + broker.EventSessionEnd + `') AND ` + inJSON("n.data", "reason") + ` = '` + broker.RejectedReason + `'))
	ORDER BY e.seq`

// inJSON is a member of a column of JSON; NULL where that is none any more.
func inJSON(column, member string) string {
	return `CASE WHEN json_valid(` + column + `) THEN json_extract(` + column + `, '$.` + member + `') END`
}

// checkpointSchema is the first schema that has checkpoints.
const checkpointSchema = 5

// checkpointWork adds what c does to checkpoints.
func (w *work) checkpointWork(c *broker.Change) error {
	w.dropped = append(w.dropped, c.DropCheckpoints...)
	if c.Checkpoint == nil {
		return nil
	}
	data, err := json.Marshal(c.Checkpoint)
	if err != nil {
		return fmt.Errorf("checkpoint of request %s: %w", c.Checkpoint.RequestID, err)
	}
	w.deferred = []driver.Value{c.Checkpoint.RequestID, c.Checkpoint.SessionID, string(data)}
	return nil
}

func (a *applier) checkpoints() error {
	if a.work.deferred != nil {
		if _, err := a.c.exec(sqlCheckpoint, a.work.deferred...); err != nil {
			return about("checkpoint of request", fmt.Sprint(a.work.deferred[0]), err)
		}
	}
	for _, id := range a.work.dropped {
		n, err := a.c.exec(sqlDropCheckpoint, id)
		if err == nil && n == 0 {
			err = broker.ErrNotFound
		}
		if err != nil {
			return about("checkpoint of request", id, err)
		}
	}
	return nil
}

// scanTrustedCheckpoint reads a checkpoint and compares it with the event that recorded it.
func scanTrustedCheckpoint(row scanner) (t trusted[broker.Checkpoint], err error) {
	var request, session, data, typ string
	var said witness
	if err := row.Scan(append([]any{&request, &session, &data, &typ}, said.dest()...)...); err != nil {
		return t, err
	}
	t.subject, t.doubt = "checkpoint/"+request, json.Unmarshal([]byte(data), &t.row)
	if t.doubt == nil {
		t.doubt = said.follows(typ, "")
	}
	if t.doubt == nil && (t.row.RequestID != request || t.row.SessionID != session || !sameCheckpoint(t.row, said.data.String)) {
		t.doubt = fmt.Errorf("it is not what event %d recorded", said.seq.Int64)
	}
	return t, nil
}

// sameCheckpoint reports whether the event's data says what c says, but for when a resume
// was begun.
func sameCheckpoint(c broker.Checkpoint, data string) bool {
	var said broker.CheckpointData
	if json.Unmarshal([]byte(data), &said) != nil {
		return false
	}
	c.ResumedAt, said.ResumedAt = time.Time{}, time.Time{}
	x, err1 := json.Marshal(broker.CheckpointData{Checkpoint: c})
	y, err2 := json.Marshal(said)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// checkpoints holds the rows against the log.
func (r *Report) checkpoints(ctx context.Context, q querier) error {
	version, err := schemaOf(ctx, q)
	if err != nil || version < checkpointSchema {
		return err
	}
	if err := rows(ctx, q, r, new(int64), scanTrustedCheckpoint, sqlCheckpoints); err != nil {
		return err
	}
	return each(ctx, q, func(row scanner) error {
		var seq int64
		var request string
		err := row.Scan(&seq, &request)
		if err == nil {
			r.add(seq, "checkpoint/"+request, "the row that it is about is gone")
		}
		return err
	}, sqlNoCheckpoint)
}
