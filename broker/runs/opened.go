package runs

import (
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// opened are the sessions that the console's keyboard opened, so that a person at a terminal may
// resume them without a token. It is not on record and no state of a session: a console that starts
// anew has none.
type opened struct {
	mu   sync.Mutex
	list map[string]opening // by session
}

// opening is for one deferred call, and for some time.
type opening struct {
	call  string
	until time.Time
}

// open opens a session for the call that is deferred in it.
func (rs *Runs) open(sessionID string, by broker.Actor) error {
	r := rs.mayResume(engine.Resume{SessionID: sessionID, By: by})
	if r.Err != nil {
		return r.Err
	}
	rs.opened.mu.Lock()
	defer rs.opened.mu.Unlock()
	now := time.Now()
	list := map[string]opening{sessionID: {r.Call.ID, now.Add(broker.ResumeOpen)}}
	for id, o := range rs.opened.list {
		if id != sessionID && !over(o.until) {
			list[id] = o
		}
	}
	rs.opened.list = list
	return nil
}

// OpenToResume reports whether a person at a terminal may resume a session without a token: it was
// opened a short while ago, for the call that is deferred now. The error says what else is in the way
// of a session that was opened. It counts as refused: what is in the way may be gone a moment later, and
// another call may be the deferred one then.
func (rs *Runs) OpenToResume(sessionID string) (bool, error) {
	rs.opened.mu.Lock()
	o := rs.opened.list[sessionID]
	rs.opened.mu.Unlock()
	if over(o.until) {
		return false, nil
	}
	r := rs.mayResume(engine.Resume{SessionID: sessionID})
	return r.Err == nil && r.Call.ID == o.call, r.Err
}

// over reports whether an instant has passed, by either clock: one stands still while the machine sleeps,
// the other may be set.
func over(until time.Time) bool {
	now := time.Now()
	return !now.Before(until) || !now.Round(0).Before(until.Round(0))
}
