package service

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/policy"
)

// Options tunes a Broker. Zero fields take the defaults named. New copies them; to change one
// later has no effect.
type Options struct {
	ApprovalTimeout time.Duration   // an operator's time to answer; 10 min
	LateFor         time.Duration   // how long an expired or cancelled card stays as late; 5 min
	Hold            time.Duration   // the longest a hook's poll is held; 25 s
	AskerGrace      time.Duration   // how long a living asker may be disconnected; 30 s
	MaxPerSession   int             // pending calls of one session; 64
	MaxPending      int             // pending calls in all; 4,096
	MaxSessions     int             // sessions kept in memory; 4,096
	Silence         time.Duration   // after it a session ends of which no process is known; an hour. Negative: never
	Rate            int             // new calls a second of one session, five times that at once; 20. Negative: no limit, and none on new sessions
	Socket          string          // for the status line
	Guard           Guard           // what keeps agents from getting around aoctl
	Recording       Recording       // what is recorded of calls beside what must be
	Observe         bool            // hold nothing: record what the rules would have said
	ListenOperators bool            // take operator tokens over TCP also from processes that cannot be found here
	Launcher        broker.Launcher // starts runners; nil: sessions cannot be launched or resumed from here
	OnTimeout       broker.Verdict  // what becomes of a call whose time is over: Deny; Defer or Ask where its agent can; Deny when empty
	Vet             policy.Vetter   // reads what agents wrote before the broker does; nil: everything comes through
	Log             *slog.Logger    // discarded when nil

	// Alive reports whether a process still runs; the platform's own by default.
	Alive func(broker.Process) bool
	// Age tells how long ago a process started, if that is known; the platform's own by default.
	Age func(broker.Process) (time.Duration, bool)
}

// Recording is what is recorded of calls beside what must be.
type Recording struct {
	NoOutput   bool                              // of a call's end that it ended and how long it took, but nothing that the tool gave back
	Difference func(a, b json.RawMessage) string // the unified difference of two inputs; nil records none
}

// Guard is what of the machine an agent may not change at will: with it, it could get around aoctl.
type Guard struct {
	Paths    []string                     // aoctl's own folders and files: calls that touch them always ask
	Port     string                       // where aoctl listens on this machine, "" for none
	Silences func(settings []byte) string // why a settings file may not hold while aoctl guards its agent, "" when it may; nil: none may
	// Eyes says which calls two operators must allow; see NeedTwo. It is called before anything is judged
	// or its time is over, and may read what is on record; nil: one operator is enough.
	Eyes func(*Broker) policy.Eyes
}

// How much one session may ask, unless Options say otherwise; see package engine.
const (
	defaultPerSession = 64   // calls of one session that wait
	defaultPending    = 4096 // calls that wait in all
	defaultRate       = 20   // calls a second of one session
	defaultSessions   = 4096 // sessions kept in memory
)
