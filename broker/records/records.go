// Package records returns requests and sessions as they are now, wherever they are.
//
// The engine keeps in memory what waits and what ended lately; the store has everything. Those
// who ask for a request or a session need not know which. So each method of Records looks
// into the engine's View first, then into the store, and adds what only memory knows: whether a
// session is frozen, which alarm a call has, whether the screen may parse its command.
//
// Methods return copies. What they return can be old at once: nothing may be decided by it that
// the engine does not check again when its input comes. Recall is the one method that puts
// something back: it has a session that was silent for long in the engine's memory again.
// NoteRefusal, the one that writes, records an attempt that was turned away.
//
// Errors are broker.ErrNotFound and those of the store (broker.ErrTampered for a row that the log
// does not vouch for). Packages calls, hooks, runs, policy, story and api ask here; service
// builds it.
package records

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// View is what it needs to see of the engine's state.
type View interface {
	Request(id string) (broker.Request, bool)
	ByKey(key string) (broker.Request, bool)
	Seen(id string, now time.Time) (engine.Seen, bool)
	Pending(sessionID string) []broker.Request
	Session(id string) (broker.Session, bool)
	Held(sessionID string) bool
	Alarm(requestID string) *broker.Alarm
	Status(now time.Time) broker.Status
	Tokens() []engine.Token
	Health() broker.Health
}

// Options are what Records reads from.
type Options struct {
	View        View
	Do          func(engine.Input) engine.Reply // sends an input to the engine
	Store       broker.Store
	VetRecorded func([]broker.Request) // says of recorded calls whether the screen may parse them
	Alive       func(broker.Process) bool
}

// Records reads requests and sessions. Several goroutines may use it.
type Records struct{ o Options }

// New returns what o has on record.
func New(o Options) *Records { return &Records{o} }

// historyBytes bounds what History hands out. A screen that lists past calls must not take all
// memory because their inputs are huge.
const historyBytes = 64 << 20 // of the inputs of a history; each may have a mebibyte

// Request returns request id from memory or the store; ErrNotFound.
func (rs *Records) Request(ctx context.Context, id string) (broker.Request, error) {
	if r, ok := rs.o.View.Request(id); ok {
		return r, nil
	}
	return rs.o.Store.Request(ctx, id)
}

// Latest returns req as it is now, or req itself when that cannot be read.
func (rs *Records) Latest(ctx context.Context, req broker.Request) broker.Request {
	if r, err := rs.Request(ctx, req.ID); err == nil {
		return r
	}
	return req
}

// RequestByKey finds a request by its correlation key, in memory or the store; ErrNotFound.
func (rs *Records) RequestByKey(ctx context.Context, key string) (broker.Request, error) {
	if r, ok := rs.o.View.ByKey(key); ok {
		return r, nil
	}
	return rs.o.Store.RequestByKey(ctx, key)
}

// Pending lists the waiting requests of one session, or of all for "", oldest first.
func (rs *Records) Pending(sessionID string) []broker.Request { return rs.o.View.Pending(sessionID) }

// PendingIDs are the ids of all waiting requests, oldest first.
func (rs *Records) PendingIDs() []string {
	list := rs.Pending("")
	ids := make([]string, 0, len(list))
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

// History lists decided requests, newest decision first; limit 0 means 1,000. There are fewer
// where their inputs are very large.
func (rs *Records) History(ctx context.Context, limit int) ([]broker.Request, error) {
	list, err := rs.o.Store.Requests(ctx, broker.RequestFilter{Decided: true, Limit: limit, MaxBytes: historyBytes})
	rs.o.VetRecorded(list)
	for i := range list {
		list[i].Alarm = rs.o.View.Alarm(list[i].ID)
	}
	if err == nil {
		err = rs.markFromLog(ctx, list)
	}
	return list, err
}

// markFromLog notes in list, newest decision first, what only the log knows: which calls were dangerous,
// and of which allowed ones it says that nobody heard the answer. These are two questions: an agent
// that asks for one answer again and again fills the second list, and must not push a danger out.
func (rs *Records) markFromLog(ctx context.Context, list []broker.Request) error {
	if len(list) == 0 {
		return nil
	}
	since := list[len(list)-1].Outcome.At
	decided, err := rs.o.Store.Events(ctx, broker.EventFilter{Types: []string{broker.EventRequestDecided}, Since: since, Limit: len(list)})
	if err != nil {
		return err
	}
	answers, err := rs.o.Store.Events(ctx, broker.EventFilter{Types: []string{broker.EventUnheard, broker.EventAnsweredAgain}, Since: since})
	if err != nil {
		return err
	}
	dangers := make(map[string]string, len(list))
	for _, e := range decided {
		var d struct{ Danger string }
		if json.Unmarshal(e.Data, &d) == nil {
			dangers[e.RequestID] = d.Danger
		}
	}
	unheard := map[string]bool{} // whether the newest event about a call's answer says so
	for _, e := range answers {
		if _, newer := unheard[e.RequestID]; !newer {
			unheard[e.RequestID] = e.Type == broker.EventUnheard
		}
	}
	for i := range list {
		list[i].Danger, list[i].Unheard = dangers[list[i].ID], unheard[list[i].ID]
	}
	return nil
}

// Session returns one session; ErrNotFound.
func (rs *Records) Session(ctx context.Context, id string) (broker.Session, error) {
	if s, ok := rs.o.View.Session(id); ok {
		return s, nil
	}
	list, err := rs.o.Store.Sessions(ctx, broker.SessionFilter{ID: id})
	if err != nil {
		return broker.Session{}, fmt.Errorf("session %s: %w", id, err)
	}
	if len(list) == 0 {
		return broker.Session{}, fmt.Errorf("session %s: %w", id, broker.ErrNotFound)
	}
	list[0].Frozen = rs.o.View.Held(id)
	return list[0], nil
}

// Sessions lists the sessions in memory and the store, last seen first, without those that a person
// removed.
func (rs *Records) Sessions(ctx context.Context) ([]broker.Session, error) {
	list, err := rs.o.Store.Sessions(ctx, broker.SessionFilter{})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	for i, s := range list {
		if now, ok := rs.o.View.Session(s.ID); ok {
			list[i] = now
			continue
		}
		list[i].Frozen = rs.o.View.Held(s.ID)
	}
	return slices.DeleteFunc(list, func(s broker.Session) bool { return s.Removed() }), nil
}

// StopRequested reports whether the session was asked to stop and has not been spoken to since;
// ErrNotFound.
func (rs *Records) StopRequested(ctx context.Context, sessionID string) (bool, error) {
	s, err := rs.Session(ctx, sessionID)
	return err == nil && s.State.UnderStop(), err
}

// Recall has the session id in the engine's memory: from the store, where it is not. Errors:
// ErrNotFound, and the store's.
func (rs *Records) Recall(ctx context.Context, id string) (broker.Session, error) {
	if s, ok := rs.o.View.Session(id); ok {
		return s, nil
	}
	s, err := rs.Session(ctx, id)
	if err == nil {
		err = rs.o.Do(engine.Recall{Row: s}).Err
	}
	return s, err
}

// Stats counts how the calls of one session, or of all for "", ended since a time.
func (rs *Records) Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error) {
	return rs.o.Store.Stats(ctx, sessionID, since)
}

// Status counts what there is now.
func (rs *Records) Status() broker.Status { return rs.o.View.Status(time.Now()) }

// NoteRefusal records an attempt that was turned away, unless there are very many, and tells the
// console. about may be empty.
func (rs *Records) NoteRefusal(about broker.Request, d broker.RefusedData) {
	rs.o.Do(engine.Refused{About: broker.Request{ID: about.ID, SessionID: about.SessionID}, Data: d})
}

// Living is the process of q's session if that is another one than asks now, and lives: under a
// stop it stays the session's.
func (rs *Records) Living(q broker.Question) broker.Process {
	s, ok := rs.o.View.Session(q.SessionID)
	if ok && s.State.UnderStop() && s.Process.PID != 0 && q.Session.Process.PID != 0 && s.Process != q.Session.Process && rs.o.Alive(s.Process) {
		return s.Process
	}
	return broker.Process{}
}
