package broker

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
)

// ExitStopped is the exit code in the session_stop event of a session that a
// person stopped: what a shell reports for Ctrl-C.
const ExitStopped = 130

// Why sessions ended of which no process told.
const (
	ReasonStopped = "stopped_by_user" // beside ExitStopped
	ReasonSilent  = "silent"          // no process is known, and nothing was heard of it for long
	ReasonRemoved = "removed"         // a person removed it from the list
)

// SessionEvent is an event about s. It is in the log of s, and of no request.
func SessionEvent(now time.Time, typ string, s Session, data any) *Event {
	return NewEvent(now, typ, Request{SessionID: s.ID}, data)
}

type stopData struct {
	ExitCode *int   `json:"exit_code,omitempty"`
	Reason   string `json:"reason"`
}

// Heard is the transition when s was heard of; agent is "" when it is not the agent that spoke. Its
// process is for the caller to note. What the agent tells once stays: a later hook without a
// folder or title does not clear them. A pane and its server belong together, so they are taken
// together.
func Heard(now time.Time, s *Session, agent, cwd, mode string, hint SessionHint) {
	at := Instant(now)
	if s.StartedAt.IsZero() {
		s.StartedAt, s.LastSeenAt = at, at
	}
	if agent == "" {
		return
	}
	s.LastSeenAt, s.Agent, s.Archived = at, agent, false
	s.CWD = cmp.Or(s.CWD, cwd)
	s.Mode = cmp.Or(mode, s.Mode)
	if hint.Pane != "" { // a pane is one of its own server's
		s.Pane, s.TmuxServer = hint.Pane, hint.TmuxServer
	}
	s.Transcript = cmp.Or(hint.Transcript, s.Transcript)
	s.ProjectDir = cmp.Or(s.ProjectDir, hint.ProjectDir)
	if !s.Renamed && (s.Run == nil || !s.Run.Named) {
		s.Name = cmp.Or(hint.Name, s.Name)
	}
	nameByFolder(s)
}

func nameByFolder(s *Session) {
	if dir := cmp.Or(s.ProjectDir, s.CWD); s.Name == "" && dir != "" {
		s.Name = filepath.Base(dir)
	}
}

// ChangeSession is the transition when a person names s, puts it away or takes it back, or has it
// removed. Errors: ErrNoChange.
func ChangeSession(now time.Time, s *Session, c SessionChange, by Actor) (events []*Event, err error) {
	name, marks := s.Name, s.SessionMarks
	if c.Name != nil {
		s.Name, s.Renamed = *c.Name, *c.Name != ""
		nameByFolder(s)
	}
	if c.Archived != nil {
		s.Archived = *c.Archived
	}
	if c.Removed {
		s.Archived = true
	}
	if s.Name == name && s.SessionMarks == marks && (!c.Removed || s.Over()) {
		return nil, ErrNoChange
	}
	events = append(events, SessionEvent(now, EventSessionChanged, *s, SessionChangedData{c, by}))
	if c.Removed {
		events = append(events, EndSession(now, s, SessionFinished, nil, ReasonRemoved)...)
	}
	return events, nil
}

// EndTurn is the transition when the main agent's turn is seen to end. A stopping
// session is stopped only when its sub-agents are over as well: they outlive the turn. An end of
// a turn that comes for a session that is over changes nothing.
func EndTurn(now time.Time, s *Session) []*Event {
	switch s.State {
	case SessionStopping:
		s.TurnOver = true
		return StoppedIfOver(now, s)
	case SessionActive:
		s.State = SessionIdle
	case SessionIdle, SessionStopped, SessionFinished, SessionGone:
	}
	return nil
}

// StoppedIfOver ends a stop once nothing of the session is left running: of a managed one
// not even its process.
func StoppedIfOver(now time.Time, s *Session) []*Event {
	if s.State != SessionStopping || !s.TurnOver || len(s.Subagents) > 0 || s.Run.Running() {
		return nil
	}
	return []*Event{markStopped(now, s)}
}

// markStopped is the transition when nothing of a stopping session runs any more. The exit code
// is fixed: no process has one, as an agent's turn was ended and not its process.
func markStopped(now time.Time, s *Session) *Event {
	code := ExitStopped
	s.State, s.ExitCode, s.EndReason, s.Subagents = SessionStopped, &code, ReasonStopped, nil
	return SessionEvent(now, EventSessionStop, *s, stopData{ExitCode: &code, Reason: ReasonStopped})
}

// EndSession is the transition when the agent's process is over: it said goodbye (final
// SessionFinished) or vanished (final SessionGone). It may be called again for a session that has
// ended, and returns no events then.
func EndSession(now time.Time, s *Session, final SessionState, code *int, reason string) []*Event {
	ended := Instant(now)
	s.Subagents = nil
	defer func() { s.EndedAt = ended }()
	switch s.State {
	case SessionStopping:
		return []*Event{markStopped(now, s)}
	case SessionStopped:
		if !s.EndedAt.IsZero() {
			ended = s.EndedAt
			return nil
		}
		return []*Event{SessionEvent(now, EventSessionEnd, *s, stopData{Reason: reason})}
	case SessionFinished, SessionGone:
		ended = s.EndedAt
		return nil
	case SessionActive, SessionIdle:
	}
	s.State, s.ExitCode, s.EndReason = final, code, reason
	return []*Event{SessionEvent(now, EventSessionStop, *s, stopData{ExitCode: code, Reason: reason})}
}

// startTurn is the transition when the session's user speaks. It lifts a stop. Whoever calls it
// has made sure that it was the user (see package hooks): nothing else lifts a stop but LiftStop.
func startTurn(now time.Time, s *Session) []*Event {
	var events []*Event
	if s.State == SessionStopping || s.State == SessionStopped {
		events = append(events, SessionEvent(now, EventStopLifted, *s, map[string]string{"by": "prompt"}))
		s.StopAskedAt = time.Time{}
	}
	s.State, s.SessionEnd = SessionActive, SessionEnd{}
	s.TurnOver = false
	return events
}

// ApplyHook changes s as h tells and says what to log.
//
// It believes what a hook tells of its own session, since the worst that comes of a lie is a
// wrong word on the screen. What would lift a stop has been looked at before, and comes with
// FromApp set when it was not the user.
func ApplyHook(now time.Time, s *Session, h agents.Hook) []*Event {
	log := func(typ string, data map[string]any) *Event {
		if h.SubagentID != "" {
			data["subagent_id"], data["subagent_type"] = h.SubagentID, h.SubagentType
		}
		for k, v := range data {
			if v == "" {
				delete(data, k)
			}
		}
		return SessionEvent(now, typ, *s, data)
	}
	switch h.Kind {
	case agents.SessionStart:
		// A compaction starts the same session anew in the middle of a turn, which goes on.
		if s.State.Ended() || s.State == SessionActive && h.Text != "compact" {
			s.State, s.SessionEnd = SessionIdle, SessionEnd{}
		} else {
			s.EndedAt = time.Time{}
		}
		return []*Event{log(EventSessionStart, map[string]any{"agent": s.Agent, "cwd": s.CWD, "source": h.Text})}
	case agents.SessionEnd:
		return EndSession(now, s, SessionFinished, new(0), cmp.Or(h.Text, "ended"))
	case agents.Prompt:
		events := []*Event{log(EventUser, map[string]any{"text": Excerpt(h.Text), "from_agent": h.FromApp})}
		if h.FromApp {
			return events
		}
		return append(events, startTurn(now, s)...)
	case agents.TurnEnd:
		data := map[string]any{"text": Excerpt(h.Text)}
		if h.Failed {
			data["failed"] = true
		}
		events := append([]*Event{log(EventTurnEnd, data)}, EndTurn(now, s)...)
		switch main := h.SubagentID == "" && s.State == SessionIdle; {
		case main && h.Failed:
			s.EndReason = cmp.Or(Excerpt(h.Text), "it did not say why")
		case main && agents.TraitsOf(h.Agent).TriesAgain:
			s.EndReason = ""
		}
		return events
	case agents.SubagentStart:
		s.Subagents = append(WithoutSubagent(s.Subagents, h.SubagentID), Subagent{ID: h.SubagentID, Type: h.SubagentType})
		return []*Event{log(EventSubagentStart, map[string]any{})}
	case agents.SubagentStop:
		s.Subagents = WithoutSubagent(s.Subagents, h.SubagentID)
		return append([]*Event{log(EventSubagentStop, map[string]any{"text": Excerpt(h.Text)})}, StoppedIfOver(now, s)...)
	case agents.Notify:
		events := []*Event{log(EventNotification, map[string]any{"message": Excerpt(h.Text), "type": h.Note})}
		if h.Note == "idle_prompt" { // nothing runs any more, whatever was or was not heard before
			s.Subagents = nil
			events = append(events, EndTurn(now, s)...)
		}
		return events
	case agents.Observe:
		if h.Unknown {
			return []*Event{log(EventUnknown, map[string]any{"event": h.Event})}
		}
	case agents.Gate, agents.Settings, agents.ToolDone:
	}
	return nil
}

// WithoutSubagent is a copy of list without the sub-agent id. The list itself is left alone, as
// readers may share it.
func WithoutSubagent(list []Subagent, id string) []Subagent {
	kept := make([]Subagent, 0, len(list)+1)
	for _, a := range list {
		if a.ID != id {
			kept = append(kept, a)
		}
	}
	return kept
}

// Excerpt keeps the log readable: the first 1,000 bytes. Whole texts are in the agent's own
// transcript.
func Excerpt(s string) string { return Cut(s, 1000) }

// Cut is the first bytes of s, most of them at the most, cut between runes and marked.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
