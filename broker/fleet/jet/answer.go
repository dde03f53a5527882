package jet

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/link"
)

// errBusy means that the server takes no more batches at the moment, or none at all.
var errBusy = errors.New("the fleet's server takes no batch now")

// perSubject is how a server says that a subject has its one message.
const perSubject = "maximum messages per subject exceeded"

// answer is what a server says of something that was to be stored.
type answer struct {
	err       error
	text      string // the server's own words
	seq       uint64
	duplicate bool // it was stored before, under the same id
}

// read reads the answer of a server.
func read(m *nats.Msg) answer {
	var a struct {
		Error     *jetstream.APIError `json:"error"`
		Seq       uint64              `json:"seq"`
		Duplicate bool                `json:"duplicate"`
	}
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return answer{err: fmt.Errorf("the fleet's server answers what cannot be read: %w", err)}
	}
	if a.Error != nil {
		return answer{err: meaning(a.Error), text: a.Error.Description}
	}
	return answer{seq: a.Seq, duplicate: a.Duplicate}
}

// meaning is what a server's error means to us. Its numbers are those of the NATS server's errors.json.
func meaning(e *jetstream.APIError) error {
	switch int(e.ErrorCode) {
	case 10071, 10164: // wrong last sequence; the second is what replicated streams say
		return link.ErrMoved
	case 10201: // a batch has a message whose id is stored already
		return link.ErrMoved
	case 10077, 10002, 10023, 10028, 10047: // the store refuses, or account, server, memory, disk have no room
		return fmt.Errorf("%w: %s", link.ErrFull, e.Description)
	case 10054:
		return ErrTooLarge
	case 10174, 10210: // no batches; too many at once
		return errBusy
	}
	return e
}
