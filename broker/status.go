package broker

import (
	"cmp"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
)

// Status is the console in a few numbers, for a status line.
type Status struct {
	Waiting   int `json:"waiting"`   // calls
	Dangerous int `json:"dangerous"` // of them
	Sessions  int `json:"sessions"`  // that have not ended
	Stopped   int `json:"stopped"`   // of them: stopping or stopped
	Observed  int `json:"observed"`  // of them: nothing is held
	Frozen    int `json:"frozen"`    // of them: their calls are held, by a freeze of their own or of all
	Held      int `json:"held"`      // of the waiting calls: a freeze holds them
	Failed    int `json:"failed"`    // of them: something went wrong in their last turn
	Alarms    int `json:"alarms"`    // sessions with an alarm that nobody has acknowledged

	Observing bool   `json:"observing"`         // nothing is held, in any session
	FrozenAll bool   `json:"frozen_all"`        // every call is held, in every session
	Problem   string `json:"problem,omitempty"` // "not_recording", "log_changed" or "log_unread"

	OldestWaitMS int64   `json:"oldest_wait_ms"`   // how long the oldest call waits; 0 when none does
	Oldest       *Oldest `json:"oldest,omitempty"` // nil when none does
}

// Oldest names the call that waits longest. The names are agents' words.
type Oldest struct {
	RequestID   string `json:"request_id"`
	SessionID   string `json:"session_id"`
	SessionName string `json:"session_name"`
	ToolName    string `json:"tool_name"`
}

// Status counts what there is now.
func (b *Broker) Status() Status {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{Observing: b.observing, FrozenAll: b.freezes[""] != nil, Problem: b.health.problem()}
	var oldest *Request
	for _, se := range b.sessions {
		if !se.savedAt.IsZero() {
			s.count(se.s)
		}
		for _, e := range se.pending {
			if !e.saved || e.req.State != Pending {
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
		s.Oldest = &Oldest{RequestID: oldest.ID, SessionID: oldest.SessionID, SessionName: name, ToolName: oldest.ToolName}
		s.OldestWaitMS = max(now.Sub(oldest.CreatedAt).Milliseconds(), 1)
	}
	return s
}

func (s *Status) count(se Session) {
	if se.Alarm != nil {
		s.Alarms++
	}
	if se.State.Ended() {
		return
	}
	s.Sessions++
	if se.State.underStop() {
		s.Stopped++
	}
	if se.Observed {
		s.Observed++
	}
	if se.Frozen {
		s.Frozen++
	}
	if se.Failure() != "" {
		s.Failed++
	}
}

// problem is why no rule may allow anything now, in a word; "" when all is well.
func (h Health) problem() string {
	switch {
	case h.StoreErr != "":
		return "not_recording"
	case h.LogBroken != "":
		return "log_changed"
	case h.LogUnread != "":
		return "log_unread"
	}
	return ""
}

func (b *Broker) getStatus(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, b.Status())
}
