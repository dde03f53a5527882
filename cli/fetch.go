package cli

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// rawSession is a session as the console sent it: read for people, kept as it
// came for programs.
type rawSession struct {
	broker.Session
	raw json.RawMessage
}

func (s *rawSession) UnmarshalJSON(text []byte) error {
	s.raw = append(s.raw[:0], text...)
	return json.Unmarshal(text, &s.Session)
}

func (s rawSession) MarshalJSON() ([]byte, error) { return s.raw, nil }

// sessions asks for all sessions, ended ones too.
func (c *client) sessions(ctx context.Context) ([]rawSession, error) {
	var all []rawSession
	if err := c.get(ctx, "/sessions", nil, &all); err != nil {
		return nil, err
	}
	return all, nil
}

// plainSessions drops the raw form.
func plainSessions(raw []rawSession) []broker.Session {
	plain := make([]broker.Session, len(raw))
	for i, s := range raw {
		plain[i] = s.Session
	}
	return plain
}

// rawRequest is a call as the console sent it: read for people, kept as it came
// for programs.
type rawRequest struct {
	broker.Request
	raw json.RawMessage
}

func (r *rawRequest) UnmarshalJSON(text []byte) error {
	r.raw = append(r.raw[:0], text...)
	return json.Unmarshal(text, &r.Request)
}

func (r rawRequest) MarshalJSON() ([]byte, error) { return r.raw, nil }

// pending asks for the waiting calls, oldest first; of one session when its id is given.
func (c *client) pending(ctx context.Context, sessionID string) ([]rawRequest, error) {
	query := url.Values{"status": {string(broker.Pending)}}
	if sessionID != "" {
		query.Set("session_id", sessionID)
	}
	var waiting []rawRequest
	if err := c.get(ctx, "/approval-requests", query, &waiting); err != nil {
		return nil, err
	}
	sortByAge(waiting)
	return waiting, nil
}

// sortByAge puts the call that waits longest first.
func sortByAge(waiting []rawRequest) {
	slices.SortStableFunc(waiting, func(a, b rawRequest) int { return a.CreatedAt.Compare(b.CreatedAt) })
}
