// Package hooks understands what the hooks of agents ask and tell.
//
// An agent runs the hook client at every event, and the client sends the agent's bytes as they
// are. With the bytes comes an Asker: what the request's headers and the kernel say of the
// sender. Hooks.Decode finds out which agent it is and reads the payload into an agents.Hook;
// Behind adds the agent's process and whether a user sits before it. After that there are two
// ways. A call that must not run before it is allowed becomes a broker.Question (the function
// Question), which package calls submits. Everything else goes through Observe: sessions that
// start and end, prompts, ends of turns and of calls. It tells the engine and says what the
// agent is to be answered.
//
// Three things are checked here because nobody else sees them:
//
//   - A prompt lifts a stop, so it must come from the user. One that the agent scheduled for
//     itself, or that another process than the agent's hook sent, lifts nothing (prompter.go).
//   - A call that ran is compared with what was allowed. A difference is an alarm (ran.go).
//   - A settings file that would switch the hooks off is kept out, and the files of projects
//     that are worked in are looked at again and again (Settings, settings.go).
//
// A custom command that the user typed may run shell commands as it is read; slash.go finds them
// and makes a call of them.
//
// Nothing that a payload says of itself is believed when it would allow something. What cannot
// be read is refused, and what a hook reports never decides a call that waits. The routes of
// package api call this package; service builds it.
package hooks

import (
	"errors"
	"log/slog"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/records"
)

// Engine takes inputs.
type Engine interface {
	Do(in engine.Input) engine.Reply
}

// View is the engine's state as it may be read.
type View interface {
	Session(id string) (broker.Session, bool)
	Sessions() []broker.Session
	Health() broker.Health
	WouldAsk(sessionID, tool string) bool
	RanLike(h agents.Hook) bool
	MayBeStarting(sessionID string, now time.Time, within time.Duration) bool
}

// Options are what Hooks work with.
type Options struct {
	Engine   Engine
	View     View
	Records  *records.Records
	Store    broker.Store
	NoOutput bool                         // nothing that tools gave back is recorded
	Silences func(settings []byte) string // why a settings file may not hold, "" when it may; nil: none may
	Alive    func(broker.Process) bool
	Age      func(broker.Process) (time.Duration, bool) // how long ago a process started, if that is known
	Log      *slog.Logger
}

// Hooks understands hooks. Several goroutines may use it.
type Hooks struct{ o Options }

// New returns what understands the hooks of agents.
func New(o Options) *Hooks { return &Hooks{o} }

// Why something that an agent asks for is refused before anybody is asked.
var (
	ErrSettings = errors.New("these settings are kept out")
	ErrTooLong  = errors.New("the call is too long")
)

// refusal is one of these errors in words of its own.
type refusal struct {
	kind error
	text string
}

func (r refusal) Error() string        { return r.text }
func (r refusal) Is(target error) bool { return target == r.kind }
