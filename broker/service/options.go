package service

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/story"
)

// Options tunes a Broker. Zero fields take the defaults named.
type Options struct {
	ApprovalTimeout time.Duration                     // an operator's time to answer; 10 min
	LateFor         time.Duration                     // how long an expired or cancelled card stays as late; 5 min
	Hold            time.Duration                     // the longest a hook's poll is held; 25 s
	AskerGrace      time.Duration                     // how long a living asker may be disconnected; 30 s
	MaxPerSession   int                               // pending calls of one session; 64
	MaxPending      int                               // pending calls in all; 4,096
	MaxSessions     int                               // sessions kept in memory; 4,096
	Rate            int                               // new calls a second of one session, five times that at once; 20. Negative: no limit, and none on new sessions
	Socket          string                            // for the status line
	Guarded         []string                          // aoctl's own folders and files: calls that touch them always ask
	Silences        func(settings []byte) string      // why a settings file may not hold while aoctl guards its agent, "" when it may; nil: none may
	NoOutput        bool                              // record of a call's end that it ended and how long it took, but nothing that the tool gave back
	Observe         bool                              // hold nothing: record what the rules would have said
	ListenOperators bool                              // take operator tokens over TCP also from processes that cannot be found here
	Launcher        broker.Launcher                   // starts runners; nil: sessions cannot be launched or resumed from here
	OnTimeout       broker.Verdict                    // what becomes of a call whose time is over: Deny, or Defer where its agent can; Deny when empty
	Vet             policy.Vetter                     // reads what agents wrote before the broker does; nil: everything comes through
	Difference      func(a, b json.RawMessage) string // the unified difference of two inputs, for the record; nil records none
	Log             *slog.Logger                      // discarded when nil

	// Alive reports whether a process still runs; the platform's own by default.
	Alive func(broker.Process) bool
	// Age tells how long ago a process started, if that is known; the platform's own by default.
	Age func(broker.Process) (time.Duration, bool)
}

// Console is what a console may do; *Broker has these methods.
type Console interface {
	// Watch returns all that is, and a channel of what changes from then on. The
	// channel is closed when ctx ends, the broker closes, or the reader falls
	// behind: the reader simply calls Watch again.
	Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update)
	// Decide ends request id. Allowing an expired or cancelled request that is
	// still late leaves a single-use grant instead (the returned request stays as
	// it was). Errors: ErrNotFound, ErrAlreadyDecided (with the request as it is),
	// ErrStale, ErrNotRecorded.
	Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error)
	// Stop denies the session's pending calls and every later one until its user
	// speaks again. Stopping twice is fine. Errors: ErrNotFound, ErrSessionEnded.
	Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error)
	// StopAll stops every session that has not ended and says how many sessions
	// and pending calls that were.
	StopAll(ctx context.Context, by broker.Actor) (sessions, denied int, err error)
	// Processes lists the processes of a session as far as they can be found, without
	// touching them. Errors: ErrNotFound, proctree.ErrUnsupported.
	Processes(ctx context.Context, sessionID string) (broker.Killed, error)
	// Kill stops a session, then ends its processes: the agent's, what it started, and
	// what left the tree. It takes up to eight seconds and says what was seen to end.
	// Errors: those of Processes, and ErrNotRecorded (all the same it was done).
	Kill(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, broker.Killed, error)
	// History lists decided requests, newest decision first.
	History(ctx context.Context, limit int) ([]broker.Request, error)

	// Story tells what led to request id and what came of it. Errors: ErrNotFound.
	Story(ctx context.Context, id string) (story.Story, error)
	// Timeline is a page of a session's events with the calls they are about, in the order
	// and as many as f says; fewer where their inputs are very large, but never none while
	// there are any.
	Timeline(ctx context.Context, f broker.EventFilter) ([]story.Moment, error)
	// Transcript reads a part of what was said and done in a session: the newest, the oldest,
	// or the one before or after what the caller has. A Telling puts them together. Where the
	// agent's file cannot be read, what is on record tells alone. Errors: ErrNotFound, and
	// those of reading.
	Transcript(ctx context.Context, sessionID string, part story.TranscriptPart, have story.TranscriptSpan) (story.Transcript, error)

	// Say queues text as the next message of a managed session's user: it is told as soon as
	// the agent's turn is over, and a session that has ended is resumed for it. It takes the
	// place of a message that waits; "" takes that one back. By an operator it lifts a stop.
	// Errors: ErrNotFound, ErrNotManaged, ErrInvalid, ErrForbidden (the session is stopped and
	// by is no operator), ErrNotRecorded.
	Say(ctx context.Context, sessionID, text string, by broker.Actor) (broker.Session, error)
	// Interrupt ends the turn of a managed session and keeps the session. Errors:
	// ErrNotFound, ErrNotManaged, ErrSessionEnded, ErrNotRecorded.
	Interrupt(ctx context.Context, sessionID string, by broker.Actor) error
	// Launch starts a new managed session in the background. Errors: ErrInvalid, ErrForbidden,
	// ErrNotRecorded, and those of the launcher.
	Launch(ctx context.Context, n broker.NewRun, by broker.Actor) (broker.Session, error)
	// Defer puts request id off: its agent's process ends cleanly, and the request waits for
	// an answer as long as it takes. Errors: ErrNotFound, ErrAlreadyDecided, ErrCannotDefer
	// (its text says why), ErrNotRecorded.
	Defer(ctx context.Context, id string, by broker.Actor) (broker.Request, error)
	// Extend gives request id the standard time to answer anew, from now on, or as much of it
	// as whoever asks would wait. Errors: ErrNotFound, ErrAlreadyDecided, ErrForbidden (by is no
	// operator), ErrNoMoreTime (its text says why), ErrNotRecorded (the deadline is as it was).
	Extend(ctx context.Context, id string, by broker.Actor) (broker.Request, error)
	// Resume goes on with a session whose call was put off: it starts a runner where the
	// session is managed, and says what to run where it is not. Two at once start one.
	// Errors: ErrNotFound, ErrForbidden, ErrConflict (a process has the session already),
	// ErrNotRecorded, and those of the launcher.
	Resume(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, error)
	// Freeze holds every agent, or one session's, at its next call, or lets them go on:
	// nothing is denied or ended, rules and people decide once it is lifted. "" means all.
	// Lifting takes an operator. Errors: ErrNotFound, ErrForbidden, ErrNotRecorded (a freeze
	// holds all the same, until the console ends).
	Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error

	// Rules is all that decides without a person; Update.Rules brings later ones.
	Rules(ctx context.Context) broker.RuleBook
	// SaveRule makes r hold: a new rule when its ID is empty, else the next version of
	// the rule with that ID. Waiting calls that it decides are ended at once.
	// Errors: ErrInvalid around *rules.Error, ErrNotFound, ErrConflict (r.Version is not
	// the current one), ErrForbidden (an allow rule by somebody who is no operator),
	// ErrNotRecorded.
	SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error)
	// RemoveRule ends rule id. Errors: ErrNotFound, ErrForbidden, ErrNotRecorded.
	RemoveRule(ctx context.Context, id string, by broker.Actor) error
	// Preview says what r would have done to the recorded calls, and what it would do to
	// those that wait. It may take a second on a long history. Errors: ErrInvalid.
	Preview(ctx context.Context, r rules.Rule) (broker.Preview, error)
	// Offer lists rules that would cover request id from now on, narrowest first; none
	// for a call that no rule may allow. They are drafts, without ID. What the agent suggests
	// comes after ours, with SuggestedByAgent in CreatedBy.
	Offer(ctx context.Context, id string) ([]rules.Rule, error)
	// AssessEdited says what the rules say of request id with another input, and how
	// dangerous it is then. It decides nothing. Errors: ErrNotFound, ErrInvalid (the agent
	// or the tool takes no such input).
	AssessEdited(ctx context.Context, id string, input json.RawMessage) (broker.Edited, error)
	// DecideAll decides several calls as one: all of them must still be as they were
	// shown. Calls of class dangerous are refused (ErrInvalid) unless they are alone.
	DecideAll(ctx context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error)
	// Observe switches observing on or off, of one session or, for "", of all: calls are
	// recorded with what the rules would have said, and nothing is held.
	Observe(ctx context.Context, sessionID string, on bool, by broker.Actor) error
	// Acknowledge takes note of the alarm in Session.Alarm, so that rules may allow again
	// in that session. Errors: ErrNotFound (there is none), ErrForbidden, ErrNotRecorded.
	Acknowledge(ctx context.Context, sessionID string, by broker.Actor) error
	// TrustFile lets the allow rules of a project's rules file count as long as its
	// digest is this one; "" takes the trust back. ErrStale: the file has another digest.
	TrustFile(ctx context.Context, path, digest string, by broker.Actor) error
	// MintToken makes a token and returns it, once. Tokens lists them, RevokeToken ends
	// one. Errors: ErrForbidden, ErrInvalid, ErrNotRecorded.
	MintToken(ctx context.Context, kind broker.TokenKind, label string, by broker.Actor) (string, error)
	Tokens(ctx context.Context) []broker.Token
	RevokeToken(ctx context.Context, id string, by broker.Actor) error
	// Stats counts the calls of one session, or of all for "", since a time.
	Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error)
}

// How much one session may ask, unless Options say otherwise; see package engine.
const (
	defaultPerSession = 64   // calls of one session that wait
	defaultPending    = 4096 // calls that wait in all
	defaultRate       = 20   // calls a second of one session
	defaultSessions   = 4096 // sessions kept in memory
)
