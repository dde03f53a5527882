package broker

// Status is the console in a few numbers, for a status line.
type Status struct {
	Waiting   int `json:"waiting"`   // calls
	Dangerous int `json:"dangerous"` // of them
	Sessions  int `json:"sessions"`  // that are open, see Session.Open
	Stopped   int `json:"stopped"`   // of them: stopping or stopped
	Observed  int `json:"observed"`  // of them: nothing is held
	Frozen    int `json:"frozen"`    // of them: their calls are held, by a freeze of their own or of all
	Held      int `json:"held"`      // of the waiting calls: a freeze holds them
	PutOff    int `json:"put_off"`   // of them: no process, but a call that waits for an answer
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

// Count adds a session. An ended session still counts for its alarm: nobody has looked at it yet.
func (s *Status) Count(se Session) {
	if se.Alarm != nil {
		s.Alarms++
	}
	if !se.Open() {
		return
	}
	s.Sessions++
	if se.PutOff() {
		s.PutOff++
	}
	if se.State.UnderStop() {
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

// Problems are all that Problem says, the first of which is the one that is told: a store that
// fails, a log that was changed, a log that is not checked yet.
var Problems = [...]string{"not_recording", "log_changed", "log_unread"}

// Problem is why no rule may allow anything now, in a word; "" when all is well. Only the first
// of Problems is told.
func (h Health) Problem() string {
	for i, what := range [...]string{h.StoreErr, h.LogBroken, h.LogUnread} {
		if what != "" {
			return Problems[i]
		}
	}
	return ""
}
