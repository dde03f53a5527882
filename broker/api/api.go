// Package api answers the broker's HTTP API: over its Unix socket for the processes of its user,
// and over TCP on a loopback address for those that show a token. docs/api.md describes the routes.
//
// A request comes in through a listener that takes no more connections than there are file
// descriptors for (listen.go, tcp.go, conns.go), and through Server.guard, which lets in this
// user's processes and over TCP those that have a token (server.go). callers says who stands behind it:
// the operator, a program that may only ask, or an agent, however it came by its token
// (callers.go, proof.go). Then its route reads it strictly, calls one of the rooms below, and
// writes one whole answer (routes.go; one file for each group of routes). Errors become answers in
// one table (respond.go).
//
// A call that has no answer yet is parked: waiting takes its connection from the HTTP server, and
// it costs one small goroutine and one descriptor until something is to be told (waiting.go,
// parked.go). A peer that is slow, silent or one of too many takes nothing from the others: that
// is the gate's matter (deadlines.go).
//
// The package decides nothing. What its routes need of the rooms behind them is in the interfaces
// of this file, each as small as it can be.
package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/hooks"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/wire"
)

// Options are the rooms that the routes lead to, and the limits of the server.
type Options struct {
	Engine   Engine
	View     View
	Records  Records
	Log      Log
	Calls    Calls
	Sessions Sessions
	Rules    Rules
	Judge    Judge
	Runs     Runs
	Hooks    Hooks
	Settings Settings

	Hold            time.Duration // the longest a hook's poll is held
	ListenOperators bool          // take operator tokens over TCP also from processes that cannot be found here
	Logger          *slog.Logger
}

// Engine takes inputs.
type Engine interface {
	Do(in engine.Input) engine.Reply
	Tell(in engine.Input)
}

// View is the engine's state as it may be read.
type View interface {
	Request(id string) (broker.Request, bool)
	Seen(id string, now time.Time) (engine.Seen, bool)
	Look(req *broker.Request) engine.Look
	Held(sessionID string) bool
	Session(id string) (broker.Session, bool)
	News(sessionID string) bool
	Freezes(sessionID string) (all bool, sessions, held int)
	Health() broker.Health
	Rule(id string) (rules.Rule, bool)
	Tokens() []engine.Token
	Agent(pid int) (engine.AgentRun, bool)
}

// Records has the requests and sessions as they are now.
type Records interface {
	Request(ctx context.Context, id string) (broker.Request, error)
	RequestByKey(ctx context.Context, key string) (broker.Request, error)
	Pending(sessionID string) []broker.Request
	Session(ctx context.Context, id string) (broker.Session, error)
	Sessions(ctx context.Context) ([]broker.Session, error)
	Recall(ctx context.Context, id string) (broker.Session, error)
	StopRequested(ctx context.Context, sessionID string) (bool, error)
	Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error)
	Status() broker.Status
	NoteRefusal(about broker.Request, d broker.RefusedData)
}

// Log is what is on record.
type Log interface {
	Requests(ctx context.Context, f broker.RequestFilter) ([]broker.Request, error)
	Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error)
	Grants(ctx context.Context) ([]broker.Grant, error)
}

// Calls is what may be done about calls.
type Calls interface {
	Submit(ctx context.Context, q broker.Question) (broker.Request, error)
	AllowedFirst(ctx context.Context, h agents.Hook, pid int) bool
	Tellable(ctx context.Context, r broker.Request) (broker.Request, error)
	IsHeir(id, talk string) bool
	GiveDeferred(ctx context.Context, req broker.Request) (broker.Request, error)
	Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error)
	Withdraw(ctx context.Context, id, reason string, by broker.Actor) (broker.Request, error)
	RevokeGrant(ctx context.Context, id string, by broker.Actor) error
	Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error
}

// Sessions is what may be done about sessions.
type Sessions interface {
	Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error)
	TurnStopped(ctx context.Context, sessionID, subagentID string)
	Observe(ctx context.Context, sessionID string, on bool, by broker.Actor) error
	Processes(ctx context.Context, sessionID string) (broker.Killed, error)
	Kill(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, broker.Killed, error)
}

// Rules is what may be done about rules.
type Rules interface {
	Rules(ctx context.Context) broker.RuleBook
	SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error)
	RemoveRule(ctx context.Context, id string, by broker.Actor) error
	Preview(ctx context.Context, r rules.Rule) (broker.Preview, error)
}

// Judge says what the rules make of a call.
type Judge interface {
	AssessRequest(req broker.Request, project string, trusted bool) rules.Assessment
}

// Runs is what may be done about managed sessions.
type Runs interface {
	StartRun(ctx context.Context, runner broker.Process, start wire.RunStart, agent broker.Process) (broker.Session, error)
	Reported(ctx context.Context, runner broker.Process, id string, rep wire.RunReport, agent broker.Process) error
	Orders(ctx context.Context, id string, runner broker.Process) (list []wire.RunOrder, again time.Duration, err error)
	Say(ctx context.Context, sessionID, text string, by broker.Actor) (broker.Session, error)
	Interrupt(ctx context.Context, sessionID string, by broker.Actor) error
	Configure(ctx context.Context, sessionID, mode, model string, by broker.Actor) (broker.Session, error)
	ResumeFor(ctx context.Context, sessionID string, by broker.Actor, runner broker.Process) (broker.Resumption, error)
	ShowResume(ctx context.Context, sessionID string, by broker.Actor, runner broker.Process) (broker.Resumption, error)
	OpenToResume(sessionID string) bool
}

// Hooks understands what the hooks of agents ask and tell.
type Hooks interface {
	Decode(hint string, payload []byte, a hooks.Asker) (agents.Dialect, agents.Hook, hooks.Asker, error)
	Behind(h agents.Hook, a hooks.Asker) (agents.Hook, hooks.Asker)
	Observe(ctx context.Context, h agents.Hook, a hooks.Asker) (agents.Answer, error)
	Slash(h agents.Hook, a hooks.Asker) (agents.Hook, bool, error)
	ProgramRan(ctx context.Context, id string, h agents.Hook, data json.RawMessage) (change func(time.Time, *broker.Session) []*broker.Event, after func())
}

// Settings keeps out settings that would switch hooks off.
type Settings interface {
	Change(ctx context.Context, h agents.Hook, a hooks.Asker) error
}

// Server answers the API. Several goroutines may use it.
type Server struct {
	callers // who asks
	waiting // whom to answer later

	o    Options
	gate gate
}

// gate keeps peers from taking more than their part of the console.
type gate struct {
	conns     conns         // of all listeners
	tcpConns  conns         // those among them that come over TCP
	turn      chan struct{} // one token for each call that is being recorded
	slow      chan struct{} // one token for each peer that waits for a no
	deadlines Deadlines
}

// NewServer returns a server that is to be given its rooms by Open before it serves.
func NewServer() *Server {
	sv := &Server{gate: gate{turn: make(chan struct{}, maxRecording), slow: make(chan struct{}, slowPeers), deadlines: UsualDeadlines()}}
	sv.gate.conns.limit = connLimit()
	sv.gate.tcpConns.limit = max(sv.gate.conns.limit/tcpShare, 8)
	return sv
}

// Open says which rooms the routes lead to.
func (sv *Server) Open(o Options) {
	sv.o = o
	sv.callers = callers{view: o.View, records: o.Records, listenOperators: o.ListenOperators}
	sv.waiting = waiting{engine: o.Engine, view: o.View, lines: lines{waiters: map[string][]waiter{}}}
}

// MayWait is how many calls may wait, each on a connection.
func (sv *Server) MayWait() int { return sv.gate.conns.mayWait() }

// SetDeadlines gives peers other times than the usual ones. It comes before Serve.
func (sv *Server) SetDeadlines(d Deadlines) { sv.gate.deadlines = d }

// LimitConns lets peers have n connections in all, in place of what the system allows.
func (sv *Server) LimitConns(n int) {
	for _, cs := range []*conns{&sv.gate.conns, &sv.gate.tcpConns} {
		cs.mu.Lock()
		cs.limit = n
		cs.mu.Unlock()
	}
}

// MayConnect is how many connections there may be.
func (sv *Server) MayConnect() int { return sv.gate.conns.limitNow() }
