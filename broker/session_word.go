package broker

import "strings"

// Over reports whether no process stands behind s: it ended, or it was stopped and its agent left.
func (s *Session) Over() bool { return s.State.Ended() || !s.EndedAt.IsZero() }

// Open reports whether there is something to do about s: a process stands behind it, or a call
// of it is put off. The console and every command count and list these as sessions.
func (s *Session) Open() bool { return !s.Over() || s.PutOff() }

// PutOff reports whether s has no process because a call of it is put off.
func (s *Session) PutOff() bool {
	return s.Over() && (s.Deferred > 0 || s.Run != nil && s.Run.Turn == TurnDeferred)
}

// WordPutOff is the word for a session without a process whose call is put off, of which it has
// one at most.
const WordPutOff = "put off"

// Word is where s stands, in the word that the console and every command have for it. While
// calls wait, that is "waiting".
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
