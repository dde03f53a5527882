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
// parked.go). Those who follow the feed stay on theirs until either side ends it (streams.go). A
// peer that is slow, silent or one of too many takes nothing from the others: that is the gate's
// matter (deadlines.go).
//
// The package decides nothing. What its routes need of the rooms behind them is in the interfaces
// of this file, each as small as it can be.
//
// Two locks matter here. conns.mu guards the connections and is taken last; lines.mu guards those
// who wait. Neither is held while a peer is written to, so no peer can hold up another.
//
// What a client says of itself is never a reason to allow. Its process comes from the kernel, its
// right from its token, and the call from the store: a body names a call by its id and digest,
// and nothing else of it is believed.
//
// Open api.go first for what is needed from outside, then routes.go for the table of routes, and
// server.go for what each request passes before its route.
package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/feed"
	"github.com/aoctl/aoctl/broker/hooks"
	"github.com/aoctl/aoctl/broker/once"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/wire"
)

// Options are the rooms that the routes lead to, and the limits of the server.
type Options struct {
	// Engine and View are the two ends of the same loop: what changes goes in through Engine,
	// what is on record is read through View. A route that mixes up the two would show what may
	// still be undone.
	Engine   Engine
	View     View
	Records  Records
	Log      Log
	Calls    Calls
	Sessions Sessions
	Rules    Rules

	Proposals Proposals
	Judge     Judge
	Runs      Runs
	Hooks     Hooks
	Settings  Settings
	Feed      Feed
	Once      *once.Tokens // for one call each

	Hold            time.Duration // the longest a hook's poll is held
	ListenOperators bool          // take operator tokens over TCP also from processes that cannot be found here
	Logger          *slog.Logger
}

// Engine takes inputs.
type Engine interface {
	// Do waits until in is on record, and returns its reply. After the loop has ended that is
	// broker.ErrClosed.
	Do(in engine.Input) engine.Reply
	// Tell waits for nothing. It is for what nobody needs an answer to, such as that a peer has
	// left.
	Tell(in engine.Input)
}

// View is the engine's state as it may be read.
type View interface {
	Request(id string) (broker.Request, bool)
	// Seen is a call with all that it takes to judge it; false when it is no longer in memory.
	Seen(id string, now time.Time) (engine.Seen, bool)
	// Look is what a judgement of req rests on now. req need not exist: an explanation asks about
	// a call that nobody makes.
	Look(req *broker.Request) engine.Look
	// Held reports whether a freeze holds the session, be it one of its own or that of all.
	Held(sessionID string) bool
	Session(id string) (broker.Session, bool)
	// News reports whether the session's runner has orders that it was not told yet.
	News(sessionID string) bool
	// Freezes counts what is frozen: whether everything is, how many sessions one by one, and how
	// many waiting calls of sessionID are held, of all for "".
	Freezes(sessionID string) (all bool, sessions, held int)
	// Health is what the console's status line says of the broker itself.
	Health() broker.Health
	Rule(id string) (rules.Rule, bool)
	// Tokens are those in force. When the log is in doubt there are none, so that a revoked token
	// does not come back.
	Tokens() []engine.Token
	// Agent tells whether a process is one of an agent's; such a process is never an operator.
	Agent(pid int) (engine.AgentRun, bool)
}

// Records has the requests and sessions as they are now. Requests and sessions that are over have
// left the engine's memory, so these methods may read the store: they take a context and may
// fail.
type Records interface {
	Request(ctx context.Context, id string) (broker.Request, error)
	RequestByKey(ctx context.Context, key string) (broker.Request, error)
	// Pending lists what waits in a session, in all for "", the oldest first.
	Pending(sessionID string) []broker.Request
	Session(ctx context.Context, id string) (broker.Session, error)
	Sessions(ctx context.Context) ([]broker.Session, error)
	// Recall brings a session that was silent for long back into the engine's memory, so that
	// inputs about it find it.
	Recall(ctx context.Context, id string) (broker.Session, error)
	// StopRequested reports whether nothing of the session may run. Errors: broker.ErrNotFound,
	// and the store's.
	StopRequested(ctx context.Context, sessionID string) (bool, error)
	Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error)
	Status() broker.Status
	// NoteRefusal records that somebody was turned away. It limits itself: a crowd of attempts is
	// counted, not written one by one.
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
	// Submit asks, or finds the request that asks the same already. What it returns may be
	// decided.
	Submit(ctx context.Context, q broker.Question) (broker.Request, error)
	// AllowedFirst reports whether h is the second question about a call that was allowed a
	// moment ago. Some agents ask twice.
	AllowedFirst(ctx context.Context, h agents.Hook, pid int) bool
	// Tellable is r as its asker may be told of it. While a freeze keeps an answer back, that is
	// a request that still waits.
	Tellable(ctx context.Context, r broker.Request) (broker.Request, error)
	// IsHeir reports whether this conversation may have the answer that the call is owed; another
	// one of the same call would make it run twice.
	IsHeir(id, talk string) bool
	// GiveDeferred gives the answer to a call that was put off, and records that its agent has
	// it.
	GiveDeferred(ctx context.Context, req broker.Request) (broker.Request, error)
	// Decide ends a call. With broker.ErrAlreadyDecided comes the request as it ended.
	Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error)
	Withdraw(ctx context.Context, id, reason string, by broker.Actor) (broker.Request, error)
	RevokeGrant(ctx context.Context, id string, by broker.Actor) error
	// Freeze holds a session, or everything for "", or lifts that.
	Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error
}

// Sessions is what may be done about sessions.
type Sessions interface {
	Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error)
	// TurnStopped says that the agent was told to end its turn, so that the stop is not waited
	// for in vain.
	TurnStopped(ctx context.Context, sessionID, subagentID string)
	Observe(ctx context.Context, sessionID string, on bool, by broker.Actor) error
	ChangeSession(ctx context.Context, sessionID string, c broker.SessionChange, by broker.Actor) (broker.Session, error)
	// Processes lists what Kill would end, and touches nothing.
	Processes(ctx context.Context, sessionID string) (broker.Killed, error)
	// Kill may fail after it has ended processes: then the report has them, and the error says
	// what was not recorded.
	Kill(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, broker.Killed, error)
}

// Rules is what may be done about rules.
type Rules interface {
	Rules(ctx context.Context) broker.RuleBook
	// SaveRule makes a rule or changes one, and ends the waiting calls that it decides. Anybody
	// may save one that only refuses; broker.ErrForbidden is for the others.
	SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error)
	RemoveRule(ctx context.Context, id string, by broker.Actor) error
	// Preview looks at recorded calls, so it may take a while; it changes nothing.
	Preview(ctx context.Context, r rules.Rule) (broker.Preview, error)
	// ProjectAt looks at the disk.
	ProjectAt(ctx context.Context, dir string) broker.Project
}

// Judge says what the rules make of a call.
type Judge interface {
	// AssessRequest has the parse guard read the call first. It counts no use of a rule.
	AssessRequest(req broker.Request, project string, trusted bool) rules.Assessment
}

// Runs is what may be done about managed sessions. The process in each of these methods is what
// the kernel said of the peer. A runner that names another process is not believed.
type Runs interface {
	StartRun(ctx context.Context, runner broker.Process, start wire.RunStart, agent broker.Process) (broker.Session, error)
	Reported(ctx context.Context, runner broker.Process, id string, rep wire.RunReport, agent broker.Process) error
	// Orders are what the runner has to do. again is how long it may be left alone with orders
	// that it was told before.
	Orders(ctx context.Context, id string, runner broker.Process) (list []wire.RunOrder, again time.Duration, err error)
	// Say queues a message in the place of the one that waits; "" takes that one back.
	Say(ctx context.Context, sessionID, text string, by broker.Actor) (broker.Session, error)
	Interrupt(ctx context.Context, sessionID string, by broker.Actor) error
	Configure(ctx context.Context, sessionID, mode, model string, by broker.Actor) (broker.Session, error)
	// ResumeFor begins to resume a session. runner is who will run the command itself; its zero
	// value means that nobody does.
	ResumeFor(ctx context.Context, sessionID string, by broker.Actor, runner broker.Process) (broker.Resumption, error)
	ShowResume(ctx context.Context, sessionID string, by broker.Actor, runner broker.Process) (broker.Resumption, error)
	OpenToResume(sessionID string) (bool, error)
}

// Hooks understands what the hooks of agents ask and tell.
type Hooks interface {
	// Decode finds out which agent speaks, which may be another than hint says, and reads its
	// payload strictly.
	Decode(hint string, payload []byte, a hooks.Asker) (agents.Dialect, agents.Hook, hooks.Asker, error)
	// Behind adds the agent's process, and whether a user sits before it.
	Behind(h agents.Hook, a hooks.Asker) (agents.Hook, hooks.Asker)
	// Observe takes a hook that asks nothing, and returns what its agent is told all the same.
	Observe(ctx context.Context, h agents.Hook, a hooks.Asker) (agents.Answer, error)
	// Slash makes a call of a custom command that the user typed. It is false when its text runs
	// nothing, so that nobody need be asked.
	Slash(h agents.Hook, a hooks.Asker) (agents.Hook, bool, error)
	// ProgramRan compares what a program without hooks ran with what it was allowed. change goes
	// into the engine with the event; after follows once that is on record.
	ProgramRan(ctx context.Context, id string, h agents.Hook, data json.RawMessage) (change func(time.Time, *broker.Session) []*broker.Event, after func())
}

// Settings keeps out settings that would switch hooks off.
type Settings interface {
	// Change is hooks.ErrSettings when the new settings would switch a gate off.
	Change(ctx context.Context, h agents.Hook, a hooks.Asker) error
}

// Feed tells those who follow what happens. An error of its methods means that nothing was written.
type Feed interface {
	Stream(w http.ResponseWriter, r *http.Request, wish feed.Wish) error
	// Socket ends when still is false; it is asked now and then.
	Socket(w http.ResponseWriter, r *http.Request, still func() bool) error
	// Close ends all of them.
	Close()
}

// Server answers the API. Several goroutines may use it.
type Server struct {
	callers // who asks
	waiting // whom to answer later

	o        Options
	gate     gate
	consoles Consoles // nil when none can attach
	queue    Queue    // nil when no other machine is ever asked
	hasty    atomic.Bool
	metrics  http.Handler // nil when none are shown
}

// Queue is the other machines of a fleet, where callers may have asked the same call before.
type Queue interface {
	// Elsewhere reports whether another machine asks q, which has an id of its caller's own. After an
	// error nobody knows, and q must not be asked.
	Elsewhere(ctx context.Context, q broker.Question) (bool, error)
	// Response is what that machine says of the call: it waits, or how it ended. Errors:
	// broker.ErrNotFound for a call that no other machine asks, broker.ErrElsewhere, ErrFleetOut.
	Response(ctx context.Context, id string, wait, again time.Duration) (broker.Request, error)
}

// ShareQueue is called before the server serves.
func (sv *Server) ShareQueue(q Queue) { sv.queue = q }

// gate keeps peers from taking more than their part of the console.
type gate struct {
	conns     conns         // of all listeners
	tcpConns  conns         // those among them that come over TCP
	turn      chan struct{} // one token for each call that is being recorded
	slow      chan struct{} // one token for each peer that waits for a no
	deadlines Deadlines
}

// NewServer returns a server that is to be given its rooms by Open before it serves. A server
// exists before its rooms do: they need Server for those who wait (CallChanged), and it needs
// them for its routes. Open closes that circle.
func NewServer() *Server {
	sv := &Server{gate: gate{turn: make(chan struct{}, maxRecording), slow: make(chan struct{}, slowPeers), deadlines: UsualDeadlines()}}
	sv.gate.conns.limit = connLimit()
	// With a small limit of open files TCP keeps a few, so that a forwarded port works.
	sv.gate.tcpConns.limit = max(sv.gate.conns.limit/tcpShare, 8)
	return sv
}

// Open says which rooms the routes lead to. It is called once, before Serve; afterwards nothing
// here changes.
func (sv *Server) Open(o Options) {
	sv.o = o
	sv.callers = callers{view: o.View, records: o.Records, once: o.Once, listenOperators: o.ListenOperators}
	sv.waiting = waiting{engine: o.Engine, view: o.View, lines: lines{waiters: map[string][]waiter{}}}
}

// MayWait is how many calls may wait, each on a connection. The engine takes no more waiting
// calls than this: a call without a connection could not be answered.
func (sv *Server) MayWait() int { return sv.gate.conns.mayWait() }

// MayRead is how many may follow the feed, each on a connection.
func (sv *Server) MayRead() int { return mayRead(sv.gate.conns.limitNow()) }

// SetDeadlines gives peers other times than the usual ones. It comes before Serve.
func (sv *Server) SetDeadlines(d Deadlines) { sv.gate.deadlines = d }

// LimitConns lets peers have n connections in all, in place of what the system allows. It is for
// tests, and for consoles with a smaller share of the machine.
func (sv *Server) LimitConns(n int) {
	for _, cs := range []*conns{&sv.gate.conns, &sv.gate.tcpConns} {
		cs.mu.Lock()
		cs.limit = n
		cs.mu.Unlock()
	}
}

// MayConnect is how many connections there may be.
func (sv *Server) MayConnect() int { return sv.gate.conns.limitNow() }
