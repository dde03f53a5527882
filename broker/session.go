package broker

import (
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
)

// SessionState is where an agent's session stands.
type SessionState string

// The states of a session. "Waiting" is not stored: a session waits while it has
// pending requests (Session.Word).
const (
	SessionActive   SessionState = "active"   // a turn is running
	SessionIdle     SessionState = "idle"     // the turn ended, the user is to speak
	SessionStopping SessionState = "stopping" // a stop was asked for, the turn has not been seen to end
	SessionStopped  SessionState = "stopped"  // a stop was asked for and the turn ended
	SessionFinished SessionState = "finished" // the agent said goodbye
	SessionGone     SessionState = "gone"     // the agent's process died without a word
)

// Ended reports whether no process stands behind a session in this state.
func (s SessionState) Ended() bool { return s == SessionFinished || s == SessionGone }

// UnderStop reports whether nothing of a session in this state may run.
func (s SessionState) UnderStop() bool { return s == SessionStopping || s == SessionStopped }

// Session is one conversation of one agent.
type Session struct {
	ID          string       `json:"id"`
	Agent       string       `json:"agent"`
	Name        string       `json:"name"` // the agent's title for it, else the folder's name
	CWD         string       `json:"cwd,omitempty"`
	ProjectDir  string       `json:"project_dir,omitempty"`
	Mode        string       `json:"permission_mode,omitempty"`
	Pane        string       `json:"pane,omitempty"`        // tmux pane, such as %4, as the hook says
	TmuxServer  string       `json:"tmux_server,omitempty"` // socket of the tmux that has Pane, as the hook says; not stored
	Transcript  string       `json:"transcript,omitempty"`  // file in which the agent writes the session down, as it says
	Process     Process      `json:"process,omitzero"`
	State       SessionState `json:"state"`
	StartedAt   time.Time    `json:"started_at"`
	LastSeenAt  time.Time    `json:"last_seen_at"`
	StopAskedAt time.Time    `json:"stop_asked_at,omitzero"`

	SessionEnd
	SessionMarks

	Subagents []Subagent `json:"subagents,omitempty"` // running ones only
	Pending   int        `json:"pending"`             // calls waiting now; not stored
	Observed  bool       `json:"observed,omitempty"`  // nothing of it is held; not stored: a new console gates again
	Alarm     *Alarm     `json:"alarm,omitempty"`     // a call of it ran otherwise than it was allowed, and nobody has acknowledged that; part of the log, not of the record
	Asks      *Asks      `json:"asks,omitempty"`      // what its agent asks in its own terminal; not stored
	Run       *Run       `json:"run,omitempty"`       // how a runner holds it; nil for sessions that aoctl only watches
	Message   *Message   `json:"message,omitempty"`   // what its user says next, as soon as its turn is over
	Frozen    bool       `json:"frozen,omitempty"`    // its calls are held, by a freeze of its own or of all; not stored: the log's facts tell
	Deferred  int        `json:"deferred,omitempty"`  // calls of it that were put off and wait for an answer, or for their session to be resumed; not stored
	Machine   string     `json:"machine,omitempty"`   // of a fleet: the id of the machine that it is on; "" at a broker's own console; not stored
	TurnOver  bool       `json:"-" cbor:"turn_over"`  // while stopping: the main agent's turn ended, sub-agents may still run; not stored
}

// SessionEnd is how a session ended. While it has not, the most that is said here is how the last
// turn of an idle one failed.
type SessionEnd struct {
	EndedAt   time.Time `json:"ended_at,omitzero"`
	ExitCode  *int      `json:"exit_code,omitempty"`
	EndReason string    `json:"end_reason,omitempty"` // "stopped_by_user", "gone", or the agent's own word; of a turn that failed what the agent says of it
}

// SessionMarks are what a person said of a session.
type SessionMarks struct {
	Renamed  bool `json:"renamed,omitempty"`  // its name is the person's, not the agent's
	Archived bool `json:"archived,omitempty"` // it is not listed until its agent is heard of again
}

// SessionChange is what a person wants to be otherwise about a session; nil leaves as it is.
type SessionChange struct {
	Name     *string `json:"name,omitempty"` // "": what its agent calls it
	Archived *bool   `json:"archived,omitempty"`
	Removed  bool    `json:"removed,omitempty"` // it is over, and no list has it any more
}

// Check says what is wrong with c. Errors: ErrInvalid.
func (c SessionChange) Check() error {
	if c == (SessionChange{}) {
		return fmt.Errorf("%w: nothing is to change", ErrInvalid)
	}
	if c.Name == nil {
		return nil
	}
	return CheckName("name", *c.Name)
}

// Ended reports whether no process stands behind s any more. One that was stopped stays
// "stopped" when its agent leaves.
func (s Session) Ended() bool { return s.State.Ended() || !s.EndedAt.IsZero() }

// Subagent is a helper that runs inside a session.
type Subagent struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// Named is what a person calls s, for an error's text. Both the name and the id are foreign text,
// so both are cut.
func (s *Session) Named() string {
	if s.Name != "" && s.Name != s.ID {
		return Clip(s.Name) + " (" + Clip(s.ID) + ")"
	}
	return Clip(s.ID)
}

// Failure is what went wrong last, in words that may be the agent's; "" when nothing did. An idle
// session's EndReason is what the agent said of its last turn; of an ended one it is how it
// ended, which is no failure.
func (s Session) Failure() string {
	switch {
	case s.Run != nil && s.Run.Error != "":
		return s.Run.Error
	case s.State == SessionIdle:
		return s.EndReason
	}
	return ""
}

// EndsTurns reports whether a refusal can end the turn of s. Where it cannot, a stop
// refuses each call until the session's user speaks.
func (s Session) EndsTurns() bool { return agents.TraitsOf(s.Agent).StopTurn }

// SharesProcess reports whether other sessions of s's agent may run in the same process, and
// in other terminals than the one that it was started in.
func (s Session) SharesProcess() bool { return agents.TraitsOf(s.Agent).OneServer }

// Over reports whether no process stands behind s: it ended, or it was stopped and its agent left.
func (s *Session) Over() bool { return s.State.Ended() || !s.EndedAt.IsZero() }

// Open reports whether there is something to do about s: a process stands behind it, or a call
// of it is put off. The console and every command count and list these as sessions.
//
// There is one definition, so that the console's header, the status line and "aoctl sessions"
// count the same.
func (s *Session) Open() bool { return (!s.Over() || s.PutOff()) && !s.Away() }

// Away reports whether s was put away, and nothing of it waits for an answer.
func (s *Session) Away() bool { return s.Archived && s.Pending+s.Deferred == 0 }

// Removed reports whether no list has s any more.
func (s *Session) Removed() bool { return s.Away() && s.Over() }

// PutOff reports whether s has no process because a call of it is put off.
func (s *Session) PutOff() bool {
	return s.Over() && (s.Deferred > 0 || s.Run != nil && s.Run.Turn == TurnDeferred)
}

// WordPutOff is the word for a session without a process whose call is put off, of which it has
// one at most.
const WordPutOff = "deferred"

// Word is where s stands, in the word that the console and every command have for it. While
// calls wait, that is "waiting". The order is that of what a person can do about it: a call that
// is put off comes before a stop, a stop before an end.
func (s *Session) Word() string {
	switch {
	case s.PutOff():
		return WordPutOff
	case s.State.UnderStop():
		return string(s.State)
	case s.State.Ended():
		return s.endWord()
	case s.Pending > 0:
		return "waiting"
	case s.Asks != nil:
		return "asks you"
	case s.Run != nil:
		return s.Run.turnWord()
	case s.Failure() != "":
		return "failed"
	case s.State == SessionIdle:
		return "idle"
	}
	return "working"
}

// endWord is how s ended. Many agents say no goodbye, so a process that just went away is no
// failure.
func (s *Session) endWord() string {
	switch {
	case s.EndReason == RejectedReason:
		return s.EndReason
	case s.Run != nil && strings.Contains(s.Run.Error, "killed"):
		return "killed"
	}
	return "ended"
}

// turnWord is what the agent of a managed session does.
func (r *Run) turnWord() string {
	if r.Turn == TurnDeferred {
		return WordPutOff
	}
	return string(r.Turn)
}
