package brokertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Request implements broker.Store.
func (m *Memory) Request(ctx context.Context, id string) (broker.Request, error) {
	if err := ctx.Err(); err != nil {
		return broker.Request{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.requests[id]
	if !ok {
		return broker.Request{}, fmt.Errorf("request %s: %w", id, broker.ErrNotFound)
	}
	return copyRequest(r.Request), nil
}

// RequestByKey implements broker.Store.
func (m *Memory) RequestByKey(ctx context.Context, key string) (broker.Request, error) {
	if err := ctx.Err(); err != nil {
		return broker.Request{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id, ok := m.keys[key]
	if !ok {
		return broker.Request{}, fmt.Errorf("request with key %s: %w", key, broker.ErrNotFound)
	}
	return copyRequest(m.requests[id].Request), nil
}

// Requests implements broker.Store. The order is that of insertion, which is that of time for all
// requests of this package.
func (m *Memory) Requests(ctx context.Context, f broker.RequestFilter) ([]broker.Request, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []broker.Request
	// Newest first is the order from the end.
	for _, id := range slices.Backward(m.order) {
		if r := m.requests[id]; selects(f, &r.Request) && (!f.Late || !m.granted(id)) {
			list = append(list, copyRequest(r.Request))
		}
	}
	if f.Decided {
		slices.SortStableFunc(list, func(a, b broker.Request) int { return b.Outcome.At.Compare(a.Outcome.At) })
	}
	return upTo(f.MaxBytes, atMost(list, f.Limit)), nil
}

// upTo cuts list behind the request with which its inputs reach most bytes. The one that reaches
// the limit is still in the list, so a list is never empty because its first call is large.
func upTo(most int, list []broker.Request) []broker.Request {
	n := 0
	for i, r := range list {
		if n += len(r.ToolInput); r.Outcome != nil {
			n += len(r.Outcome.UpdatedInput)
		}
		if most > 0 && n >= most {
			return list[:i+1]
		}
	}
	return list
}

// selects reports whether f picks r, leaving aside its limits and Late, which need more than the
// row.
func selects(f broker.RequestFilter, r *broker.Request) bool {
	at := r.CreatedAt
	if f.Decided {
		if !r.State.Terminal() {
			return false
		}
		at = r.Outcome.At
	}
	if !strings.HasPrefix(r.ID, f.Begins) {
		return false
	}
	if f.Late && r.State != broker.Expired && r.State != broker.Cancelled {
		return false
	}
	// An empty list of ids picks nothing; nil picks everything.
	return (f.IDs == nil || slices.Contains(f.IDs, r.ID)) &&
		(f.State == "" || r.State == f.State) &&
		(f.SessionID == "" || r.SessionID == f.SessionID) &&
		(f.Since.IsZero() || !at.Before(round(f.Since)))
}

// granted reports whether a grant was made for request id. Caller holds mu.
func (m *Memory) granted(id string) bool {
	for _, g := range m.grants {
		if g.RequestID == id {
			return true
		}
	}
	return false
}

// Sessions implements broker.Store. Pending and Deferred are zero in what it returns: they are
// counted by who runs.
func (m *Memory) Sessions(ctx context.Context, f broker.SessionFilter) ([]broker.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []broker.Session
	for _, s := range m.sorted() {
		if f.ID == "" || s.ID == f.ID {
			list = append(list, copySession(s))
		}
	}
	return atMost(list, f.Limit), nil
}

// Events implements broker.Store. They come oldest first when the filter names a place to go on
// from, newest first otherwise.
func (m *Memory) Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []broker.Event
	for _, e := range m.events {
		if f.Console && e.SessionID != "" || len(f.Types) > 0 && !slices.Contains(f.Types, e.Type) {
			continue
		}
		// Until is part of the span, Before is not.
		if !f.Until.IsZero() && e.At.After(round(f.Until)) || f.Before != 0 && e.Seq >= f.Before || f.Ran != "" && (e.Type != broker.EventPostTool || e.RequestID != f.Ran) {
			continue
		}
		if e.Seq > f.After && (f.SessionID == "" || e.SessionID == f.SessionID) && (f.Since.IsZero() || !e.At.Before(round(f.Since))) {
			list = append(list, copyEvent(e))
		}
	}
	// -1 also means the oldest first, from the beginning.
	if f.After == 0 {
		slices.Reverse(list)
	}
	return atMost(list, f.Limit), nil
}

// atMost cuts a list to its limit; 0 is the usual one.
func atMost[T any](list []T, limit int) []T {
	if limit <= 0 {
		limit = defaultLimit
	}
	return list[:min(limit, len(list))]
}

// round is t as it comes back from a store: UTC, whole milliseconds.
func round(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// copyRequest is r as a store hands it out: nothing shared, nothing that is not stored, times as
// they are recorded.
func copyRequest(r broker.Request) broker.Request {
	r.Assessment = nil // worked out when a call is asked, never stored
	r.Checkpoint = nil // has a place of its own
	r.Held, r.Deferrable = "", false
	r.ExtendedAt, r.MayWaitUntil = time.Time{}, time.Time{} // the log has it, and nobody
	r.ToolInput = slices.Clone(r.ToolInput)
	r.CreatedAt, r.ExpiresAt = round(r.CreatedAt), round(r.ExpiresAt)
	if r.Outcome != nil {
		r.Outcome = copyOutcome(r.Outcome)
	}
	return r
}

// copyOutcome makes no difference between an empty and a missing input, as a database column does
// not.
func copyOutcome(o *broker.Outcome) *broker.Outcome {
	c := *o
	c.At = round(c.At)
	c.UpdatedInput = slices.Clone(c.UpdatedInput)
	if len(c.UpdatedInput) == 0 {
		c.UpdatedInput = nil
	}
	return &c
}

// copySession leaves out what is only known while a broker runs.
func copySession(s broker.Session) broker.Session {
	s.StartedAt, s.LastSeenAt = round(s.StartedAt), round(s.LastSeenAt)
	s.StopAskedAt, s.EndedAt = round(s.StopAskedAt), round(s.EndedAt)
	if s.ExitCode != nil {
		code := *s.ExitCode
		s.ExitCode = &code
	}
	s.Subagents = slices.Clone(s.Subagents)
	if len(s.Subagents) == 0 {
		s.Subagents = nil
	}
	s.Pending, s.Deferred, s.TurnOver = 0, 0, false
	return s
}

// copyEvent keeps the bytes of Data, as the hash covers them.
func copyEvent(e broker.Event) broker.Event {
	e.At = round(e.At)
	e.Data = slices.Clone(e.Data)
	if len(e.Data) == 0 {
		e.Data = nil
	}
	return e
}
