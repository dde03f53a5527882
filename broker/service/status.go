package service

import (
	"cmp"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
)

// Status counts what there is now.
func (b *Broker) Status() broker.Status {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	s := broker.Status{Observing: b.observing, FrozenAll: b.freezes[""] != nil, Problem: b.health.Problem()}
	var oldest *broker.Request
	for _, se := range b.sessions {
		if !se.savedAt.IsZero() {
			s.Count(se.s)
		}
		for _, e := range se.pending {
			if !e.saved || e.req.State != broker.Pending {
				continue
			}
			s.Waiting++
			if e.req.Held != "" {
				s.Held++
			}
			if a := e.req.Assessment; a != nil && a.Class >= risk.Dangerous {
				s.Dangerous++
			}
			if oldest == nil || e.req.CreatedAt.Before(oldest.CreatedAt) {
				oldest = &e.req
			}
		}
	}
	if oldest != nil {
		name := cmp.Or(b.sessions[oldest.SessionID].s.Name, oldest.SessionID)
		s.Oldest = &broker.Oldest{RequestID: oldest.ID, SessionID: oldest.SessionID, SessionName: name, ToolName: oldest.ToolName}
		s.OldestWaitMS = max(now.Sub(oldest.CreatedAt).Milliseconds(), 1)
	}
	return s
}

func (b *Broker) getStatus(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, b.Status())
}
