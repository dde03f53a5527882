package broker

import (
	"errors"
	"time"
)

const (
	// ExtendMargin is how long before its asker would leave a call must have its end.
	ExtendMargin = time.Second
	// LeastMore is the least by which it is worth moving a deadline.
	LeastMore = time.Second
	// KnowsLate is by how much a deadline may be later than its asker knows.
	KnowsLate = 300 * time.Millisecond
)

// ErrNoMoreTime means that a call cannot be given more time; the text says why.
var ErrNoMoreTime = errors.New("no more time can be given")

// ReasonPutOff is why a call that is put off is given no more time.
const ReasonPutOff = "it is deferred, and waits without a deadline"

// ExtendedData is the data of an EventExtended.
type ExtendedData struct {
	From      time.Time `json:"from"`       // the deadline until then
	ExpiresAt time.Time `json:"expires_at"` // the deadline from then on
	By        Actor     `json:"by"`
}

// Extension is the newest EventExtended of a request that is pending.
type Extension struct {
	RequestID string
	At        time.Time
	ExtendedData
}

// ExtensionsOf are those of saved by request id. The store has one of each request at most.
func ExtensionsOf(saved Saved) map[string]Extension {
	m := make(map[string]Extension, len(saved.Extensions))
	for _, x := range saved.Extensions {
		m[x.RequestID] = x
	}
	return m
}
