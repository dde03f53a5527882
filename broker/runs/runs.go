// Package runs is what can be done with managed sessions: those whose agent's process a runner
// holds ("aoctl run", package hookclient/runner).
//
// There are two sides. A runner says that it has a session (StartRun), polls for its orders
// (Orders) and reports what it did (Reported). Operators and programs send a message, interrupt,
// change model or permission mode (Say, Interrupt, Configure), start a new session (Launch) and
// go on with one whose call was put off (Resume). Every one of these becomes an input of the
// engine. The transitions themselves are pure functions of package broker, which the input
// carries along; what the session's row then says is what the runner is ordered. So there is no
// list of orders that a restart could lose.
//
// A console starts runners itself only through the broker.Launcher of Options; without one a
// session can be watched and stopped, not launched. WatchRuns, which the broker's sweeper calls,
// takes note of runners that died or never came.
//
// A session is held by one process at a time: a second runner gets broker.ErrOtherProcess, and two
// resumes at once start one runner. Starting, resuming and a permission mode that asks less are
// an operator's only (broker.ErrForbidden). What cannot be recorded is not done.
package runs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// Engine takes inputs.
type Engine interface {
	Do(in engine.Input) engine.Reply
	Tell(in engine.Input)
}

// View is the engine's state as it may be read.
type View interface {
	Session(id string) (broker.Session, bool)
	Sessions() []broker.Session
	ResumedBy(sessionID string) broker.Process
	Answered() map[string]broker.Actor
}

// Records has all sessions, and takes note of who tried what is not theirs to do.
type Records interface {
	Session(ctx context.Context, id string) (broker.Session, error)
	Recall(ctx context.Context, id string) (broker.Session, error)
	NoteRefusal(about broker.Request, d broker.RefusedData)
}

// Options are what Runs work with.
type Options struct {
	Engine   Engine
	View     View
	Records  Records
	Launcher broker.Launcher // starts runners; nil: nothing here starts sessions
	Alive    func(broker.Process) bool
	Log      *slog.Logger
}

// Runs are the managed sessions. Several goroutines may use it.
type Runs struct {
	o      Options
	opened opened
}

// New returns the managed sessions of o's engine.
func New(o Options) *Runs { return &Runs{o: o} }

// mostLooks is how often something is looked at anew because it changes meanwhile.
const mostLooks = 100

// newID is an id that is larger than all made before it.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// WatchRuns looks after sessions whose runner died or never came, and resumes those for which a
// message waits.
func (rs *Runs) WatchRuns() {
	for _, s := range rs.o.View.Sessions() {
		switch r := s.Run; {
		case r == nil:
		case !r.Running():
			if s.Message != nil {
				rs.o.Engine.Do(engine.WakeFor{SessionID: s.ID})
			}
		case r.Awaited():
			if time.Since(r.StartedAt) > broker.StartGrace {
				rs.o.Engine.Do(engine.NotStarted{SessionID: s.ID, Cause: errors.New("no runner came")})
			}
		case !rs.o.Alive(r.Runner):
			rs.o.Engine.Do(engine.RunnerGone{SessionID: s.ID, Runner: r.Runner})
		}
	}
}
