package store

import (
	"context"
	"encoding/json"
	"fmt"

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

// trustedExtension is an extension with the verdict of the log about it.
type trustedExtension struct {
	broker.Extension
	doubt error // nil when the log vouches for it
}

func scanTrustedExtension(row scanner) (trustedExtension, error) {
	var t trustedExtension
	var said witness
	if err := row.Scan(append([]any{&t.RequestID}, said.dest()...)...); err != nil {
		return t, err
	}
	t.At = chain.Time(said.at.Int64)
	if t.doubt = said.follows(broker.EventExtended, ""); t.doubt == nil {
		t.doubt = json.Unmarshal([]byte(said.data.String), &t.ExtendedData)
	}
	return t, nil
}

// loadExtensions adds the extensions to what Load says. Without one for which the log does
// not vouch the request has the time that it had before.
func (s *Store) loadExtensions(ctx context.Context, saved *broker.Saved) error {
	found, err := list(ctx, &s.queries, scanTrustedExtension, sqlExtensions)
	if err != nil {
		return fmt.Errorf("load what was given more time: %w", err)
	}
	for _, x := range found {
		if s.trust(ctx, "extension of request/"+x.RequestID, x.doubt) {
			saved.Extensions = append(saved.Extensions, x.Extension)
		}
	}
	return nil
}
