package client

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// Session is a session as the console sent it: read for people, kept as it came for
// programs. The zero value has nothing to print as JSON.
type Session struct {
	broker.Session
	raw json.RawMessage
}

// UnmarshalJSON keeps the text as it came.
func (s *Session) UnmarshalJSON(text []byte) error {
	// The decoder uses its bytes again, so they are copied.
	s.raw = append(s.raw[:0], text...)
	return json.Unmarshal(text, &s.Session)
}

// MarshalJSON gives the text as it came.
func (s Session) MarshalJSON() ([]byte, error) { return s.raw, nil }

// Sessions asks for all sessions, ended ones too, as far as the console still keeps them.
func (c *Client) Sessions(ctx context.Context) ([]Session, error) {
	var all []Session
	if err := c.Get(ctx, "/sessions", nil, &all); err != nil {
		return nil, err
	}
	return all, nil
}

// Plain drops the raw form. The order stays.
func Plain(raw []Session) []broker.Session {
	plain := make([]broker.Session, len(raw))
	for i, s := range raw {
		plain[i] = s.Session
	}
	return plain
}

// Request is a call as the console sent it: read for people, kept as it came
// for programs.
type Request struct {
	broker.Request
	raw json.RawMessage
}

// UnmarshalJSON keeps the text as it came.
func (r *Request) UnmarshalJSON(text []byte) error {
	r.raw = append(r.raw[:0], text...)
	return json.Unmarshal(text, &r.Request)
}

// MarshalJSON gives the text as it came.
func (r Request) MarshalJSON() ([]byte, error) { return r.raw, nil }

// Pending asks for the waiting calls, oldest first; of one session when its id is given.
// Deferred calls wait too and are among them.
func (c *Client) Pending(ctx context.Context, sessionID string) ([]Request, error) {
	query := url.Values{"status": {string(broker.Pending)}}
	if sessionID != "" {
		query.Set("session_id", sessionID)
	}
	var waiting []Request
	if err := c.Get(ctx, "/approval-requests", query, &waiting); err != nil {
		return nil, err
	}
	sortByAge(waiting)
	return waiting, nil
}

// sortByAge puts the call that waits longest first.
func sortByAge(waiting []Request) {
	slices.SortStableFunc(waiting, func(a, b Request) int { return a.CreatedAt.Compare(b.CreatedAt) })
}
