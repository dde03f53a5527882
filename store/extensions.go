package store

import (
	"encoding/json"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// A request's row keeps the deadline that it was asked with. The one that it was given
// since is in the log alone: in the newest event about that, which follows the one that
// made the request.

const sqlExtensions = `SELECT r.id,
		e.seq, e.at_ms, e.session_id, e.request_id, e.data, e.seal, e.hash, p.hash
	FROM requests r
	JOIN events c ON c.subject = 'request/' || r.id AND c.type = '` + broker.EventRequestCreated + `'
	JOIN events e ON e.seq = (SELECT max(seq) FROM events WHERE session_id = r.session_id AND seq > c.seq
		AND request_id = r.id AND type = '` + broker.EventExtended + `')
	LEFT JOIN events p ON p.seq = e.seq - 1
	WHERE r.status = 'pending'
	ORDER BY e.seq`

func scanTrustedExtension(row scanner) (t trusted[broker.Extension], err error) {
	var said witness
	if err := row.Scan(append([]any{&t.row.RequestID}, said.dest()...)...); err != nil {
		return t, err
	}
	t.row.At = chain.Time(said.at.Int64)
	t.subject, t.doubt = "extension of request/"+t.row.RequestID, said.follows(broker.EventExtended, "")
	if t.doubt == nil {
		t.doubt = json.Unmarshal([]byte(said.data.String), &t.row.ExtendedData)
	}
	return t, nil
}
