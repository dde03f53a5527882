package engine

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/undo"
)

// Grant lets one later call pass, while its files are as they were when it was allowed.
type Grant struct {
	broker.Grant
	stamp string // "" for one of an earlier console
}

// grants are those in force, by what they cover; see grantKey.
type grants struct{ undo.Map[string, Grant] }

// grantKey is what a grant covers.
func grantKey(session, subagent, digest string) string {
	return strings.Join([]string{session, subagent, digest}, "\x1f")
}

// grant lets the agent's next call like the ended c pass once.
func (in Decide) grant(s *State, now time.Time, c *Call) {
	r, at := c.Req, broker.Instant(now)
	g := broker.Grant{
		ID: in.NewID, SessionID: r.SessionID, SubagentID: r.SubagentID, Digest: r.Digest, RequestID: r.ID,
		By: in.Decision.By, CreatedAt: at, ExpiresAt: at.Add(s.limits.ApprovalTimeout),
	}
	s.change.Grant = &g
	s.noteSynced(now, broker.EventGrantCreated, *r, map[string]any{"grant": g.ID, "digest": g.Digest, "by": g.By, "expires_at": g.ExpiresAt})
	s.grants.Put(grantKey(r.SessionID, r.SubagentID, r.Digest), Grant{g, c.Stamp})
	s.edit(c).LateUntil = time.Time{}
	s.emit(ShowCall{r})
}

// covering is the grant that covers r, whose files have this stamp now.
func (gs *grants) covering(now time.Time, r *broker.Request, stamp string) (Grant, bool) {
	g, ok := gs.Get(grantKey(r.SessionID, r.SubagentID, r.Digest))
	fits := ok && (g.stamp == "" || g.stamp == stamp) && now.Before(g.ExpiresAt)
	return g, fits
}

// RevokeGrant takes a grant back before it is used. Errors: ErrNotFound.
type RevokeGrant struct {
	ID string
	By broker.Actor
}

func (in RevokeGrant) step(s *State, now time.Time) Reply {
	for key, g := range s.grants.All() {
		if g.ID != in.ID {
			continue
		}
		s.grants.Drop(key)
		s.change.UseGrant = &broker.GrantUse{ID: in.ID, By: broker.GrantRevoked}
		s.noteSynced(now, broker.EventGrantUsed, broker.Request{ID: g.RequestID, SessionID: g.SessionID}, map[string]any{"grant": in.ID, "revoked": true, "by": in.By})
		return Reply{Done: true}
	}
	return Reply{Err: broker.ErrNotFound}
}
