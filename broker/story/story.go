package story

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Calls has the requests and sessions as they are now, those that wait among them. Both methods
// give copies, which the caller may change.
type Calls interface {
	Request(ctx context.Context, id string) (broker.Request, error)
	Session(ctx context.Context, id string) (broker.Session, error)
}

// Log is what is on record.
type Log interface {
	Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error)
	Head() (seq int64, hash string)
}

// Reader tells stories of calls and sessions.
type Reader struct {
	calls Calls
	log   Log
}

// NewReader returns a reader of what calls and log have.
func NewReader(calls Calls, log Log) *Reader { return &Reader{calls, log} }

// Story is what led to a call and what came of it.
type Story struct {
	Asked   string        // what the session's user said last before it, its beginning; "" when that is not known
	AskedAt time.Time     // when
	Before  []EarlierCall // the calls of the session that were decided before it, the newest first; at most three

	Ran   *broker.RanData // how it ended; nil while nothing was heard of that
	RanAt time.Time
}

// EarlierCall is an earlier call and how it ended.
type EarlierCall struct {
	Request broker.Request
	Ran     *broker.RanData // nil when nothing was heard of that
}

// An agent may schedule prompts of its own, so a few are passed over to find one of the user's.
const (
	earlierShown = 3  // calls before a call
	promptsRead  = 20 // prompts that are looked through for one of the user's
)

// Story tells what led to request id and what came of it. Errors: ErrNotFound. A call whose story
// is not all on record, as after an archive, is told as far as it is.
func (r *Reader) Story(ctx context.Context, id string) (Story, error) {
	req, err := r.calls.Request(ctx, id)
	if err != nil {
		return Story{}, fmt.Errorf("story of %s: %w", broker.Clip(id), err)
	}
	var s Story
	if s.Ran, s.RanAt, err = r.ran(ctx, id); err == nil {
		s.Asked, s.AskedAt, err = r.lastPrompt(ctx, req)
	}
	if err == nil {
		s.Before, err = r.before(ctx, req)
	}
	if err != nil {
		return Story{}, fmt.Errorf("story of %s: %w", broker.Clip(id), err)
	}
	return s, nil
}

// ran is how the call of request id ended, as was heard last; nil when nothing was.
func (r *Reader) ran(ctx context.Context, id string) (*broker.RanData, time.Time, error) {
	events, err := r.log.Events(ctx, broker.EventFilter{Ran: id, Limit: 1})
	if err != nil || len(events) == 0 {
		return nil, time.Time{}, err
	}
	var d broker.RanData
	if json.Unmarshal(events[0].Data, &d) != nil {
		return nil, time.Time{}, nil //nolint:nilerr // an event of another shape tells nothing
	}
	return &d, events[0].At, nil
}

// lastPrompt is what the user said last before req: nothing that the agent made itself.
func (r *Reader) lastPrompt(ctx context.Context, req broker.Request) (string, time.Time, error) {
	// Newest first, so the first one that fits is the last that was said.
	events, err := r.log.Events(ctx, broker.EventFilter{SessionID: req.SessionID, Types: []string{broker.EventUser}, Until: req.CreatedAt, Limit: promptsRead})
	for _, e := range events {
		var d UserData
		if json.Unmarshal(e.Data, &d) == nil && !d.FromAgent && d.Words() != "" {
			return d.Words(), e.At, nil
		}
	}
	return "", time.Time{}, err
}

// before lists what was decided before req was asked.
func (r *Reader) before(ctx context.Context, req broker.Request) ([]EarlierCall, error) {
	events, err := r.log.Events(ctx, broker.EventFilter{
		// One more than is shown: the call itself may be among them when a rule decided it at
		// once.
		SessionID: req.SessionID, Types: []string{broker.EventRequestDecided}, Until: req.CreatedAt, Limit: earlierShown + 1,
	})
	var list []EarlierCall
	for _, e := range events {
		if e.RequestID == req.ID || len(list) == earlierShown {
			continue
		}
		earlier, err := r.calls.Request(ctx, e.RequestID)
		switch {
		case errors.Is(err, broker.ErrNotFound), errors.Is(err, broker.ErrTampered):
			continue // archived, or not what the log says it was
		case err != nil:
			return nil, err
		}
		p := EarlierCall{Request: earlier}
		if p.Ran, _, err = r.ran(ctx, earlier.ID); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, err
}

// UserData is the data of an EventUser. A program that tells of one over the API has
// its text in Message.
type UserData struct {
	Text      string `json:"text"`
	Message   string `json:"message"`
	FromAgent bool   `json:"from_agent"` // not the user's words: the agent's own, such as a report of a task
}

// Words are what was said.
func (d UserData) Words() string { return cmp.Or(d.Text, d.Message) }

// Moment is one event of a session, with the call that it is about.
type Moment struct {
	Event broker.Event
	Call  *broker.Request // nil when it is about none, or when that is not on record any more
}

// timelineBytes bounds the inputs of a page; each may have a mebibyte.
const timelineBytes = 8 << 20

// Timeline is a page of a session's events with the calls they are about, in the order and
// as many as f says; fewer where their inputs are very large, but never none while there are
// any. A call is read once for all of its events on the page.
func (r *Reader) Timeline(ctx context.Context, f broker.EventFilter) ([]Moment, error) {
	events, err := r.log.Events(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("timeline of %s: %w", broker.Clip(f.SessionID), err)
	}
	calls, size := map[string]*broker.Request{}, 0
	list := make([]Moment, 0, len(events))
	for _, e := range events {
		m := Moment{Event: e}
		if e.RequestID != "" {
			call, known := calls[e.RequestID]
			if !known {
				if got, err := r.calls.Request(ctx, e.RequestID); err == nil {
					call = &got
					size += len(got.ToolInput)
				}
				calls[e.RequestID] = call
			}
			m.Call = call
		}
		// The event that exceeds the limit is still on the page, so a page is never empty.
		if list = append(list, m); size > timelineBytes {
			break
		}
	}
	return list, nil
}
