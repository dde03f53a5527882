package broker

import (
	"context"
	"log/slog"
	"time"
)

// Options tunes a Broker. Zero fields take the defaults named.
type Options struct {
	ApprovalTimeout time.Duration // an operator's time to answer; 10 min
	LateFor         time.Duration // how long an expired or cancelled card stays as late; 5 min
	Hold            time.Duration // the longest a hook's poll is held; 25 s
	AskerGrace      time.Duration // how long a living asker may be disconnected; 30 s
	MaxPerSession   int           // pending calls of one session; 64
	MaxPending      int           // pending calls in all; 20,000
	Socket          string        // for the status line
	Guarded         []string      // aoctl's own folders and files: calls that touch them always ask
	Log             *slog.Logger  // discarded when nil

	// Alive reports whether a process still runs; the platform's own by default.
	Alive func(Process) bool
}

// Console is what a console may do; *Broker has these methods.
type Console interface {
	// Watch returns all that is, and a channel of what changes from then on. The
	// channel is closed when ctx ends, the broker closes, or the reader falls
	// behind: the reader simply calls Watch again.
	Watch(ctx context.Context) (Snapshot, <-chan Update)
	// Decide ends request id. Allowing an expired or cancelled request that is
	// still late leaves a single-use grant instead (the returned request stays as
	// it was). Errors: ErrNotFound, ErrAlreadyDecided (with the request as it is),
	// ErrStale, ErrNotRecorded.
	Decide(ctx context.Context, id string, d Decision) (Request, error)
	// Stop denies the session's pending calls and every later one until its user
	// speaks again. Stopping twice is fine. Errors: ErrNotFound, ErrSessionEnded.
	Stop(ctx context.Context, sessionID string, by Actor) (Session, error)
	// StopAll stops every session that has not ended and says how many sessions
	// and pending calls that were.
	StopAll(ctx context.Context, by Actor) (sessions, denied int, err error)
	// History lists decided requests, newest decision first.
	History(ctx context.Context, limit int) ([]Request, error)
}
