// Package hooks understands what the hooks of agents ask and tell: it turns a payload into a question,
// records what an agent says of its session and of calls that ran, compares those with what was
// allowed, and keeps settings out that would switch the hooks off.
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
