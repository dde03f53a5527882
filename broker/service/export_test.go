package service

import (
	"context"
	"crypto/rand"
	"net"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// Hear lets tests hand in a hook event without a socket.
func (b *Broker) Hear(ctx context.Context, h agents.Hook) (agents.Answer, error) {
	return b.observe(ctx, h, asking{})
}

// TurnStopped lets tests say that an answer which ends a turn was delivered.
func (b *Broker) TurnStopped(ctx context.Context, sessionID, subagentID string) {
	b.noteTurnStopped(ctx, sessionID, subagentID)
}

// AnswerTo is what a request's agent is told.
func AnswerTo(r broker.Request) agents.Answer { return broker.AnswerTo(r) }

// Events lists what is in the log, oldest first.
func (b *Broker) Events(ctx context.Context) ([]broker.Event, error) {
	return b.store.Events(ctx, broker.EventFilter{After: -1})
}

// AgentAbove says why a process counts as an agent's.
func (b *Broker) AgentAbove(pid int) string { return b.agentAbove(pid) }

// MarkIn is the sign of an agent in an environment.
func MarkIn(env []byte) string { return peers.MarkIn(env) }

// HurryPeers gives peers a 25th of their usual time. It must come before Serve.
func (b *Broker) HurryPeers() {
	for _, d := range []*time.Duration{&b.gate.deadlines.header, &b.gate.deadlines.body, &b.gate.deadlines.idle} {
		*d /= 25
	}
}

// AnswerWrongTokensAtOnce spares tests the wait with which guessing is slowed down.
func (b *Broker) AnswerWrongTokensAtOnce() { b.gate.deadlines.wrong = 0 }

// UsualDeadlines are those for a request's head and body, and between two requests.
func UsualDeadlines() (header, body, idle time.Duration) {
	d := usualDeadlines()
	return d.header, d.body, d.idle
}

// ToolKey is the key of a call that its agent gave an id.
func ToolKey(agent, session, subagent, event, toolUse string) string {
	return broker.ToolKey(agent, session, subagent, event, toolUse)
}

// LimitConns lets tests have few file descriptors.
func (b *Broker) LimitConns(n int) {
	for _, cs := range []*conns{&b.gate.conns, &b.gate.tcpConns} {
		cs.mu.Lock()
		cs.limit = n
		cs.mu.Unlock()
	}
}

// MayWait is how many calls may wait, and how many connections there may be.
func (b *Broker) MayWait() (calls, conns int) { return b.opts.MaxPending, b.gate.conns.limit }

// Kin is one process of an ancestry.
type Kin = peers.Kin

// CutOff reports whether what started a process seems to have ended.
func CutOff(chain []Kin, own map[int]bool, shell func(pid int) bool) bool {
	return peers.CutOff(chain, own, shell)
}

// AnswerHook takes one payload of a gate event that needs nobody, as the route for hooks
// does, and returns the agent's answer.
func (b *Broker) AnswerHook(ctx context.Context, agent string, payload []byte) ([]byte, error) {
	d, err := dialectFor(agent, payload, nil)
	if err != nil {
		return nil, err
	}
	h, err := d.Decode(payload)
	if err != nil {
		return nil, err
	}
	req, err := b.Submit(ctx, question(h, asking{correlation: rand.Text()}))
	if err != nil {
		return nil, err
	}
	return b.hookReply(d, req).body, nil
}

// RanData is what is recorded of the end that h tells.
func (b *Broker) RanData(h agents.Hook) broker.RanData { return b.ranData(h) }

// Tellable is what the asker of r may be told.
func (b *Broker) Tellable(ctx context.Context, r broker.Request) (broker.Request, error) {
	return b.tellable(ctx, r)
}

// AllowedFirst reports whether h asks again about a call that was just allowed.
func (b *Broker) AllowedFirst(ctx context.Context, h agents.Hook) bool {
	return b.allowedFirst(ctx, h, asking{})
}

// StartRun, Reported and OrdersNow let tests be a runner without a socket.
func (b *Broker) StartRun(ctx context.Context, runner broker.Process, start wire.RunStart, agent broker.Process) (broker.Session, error) {
	return b.startRun(ctx, runner, start, agent)
}

// Reported is reported.
func (b *Broker) Reported(ctx context.Context, runner broker.Process, id string, rep wire.RunReport, agent broker.Process) error {
	return b.reported(ctx, runner, id, rep, agent)
}

// OrdersNow is what a poll is answered.
func (b *Broker) OrdersNow(ctx context.Context, id string, runner broker.Process) ([]wire.RunOrder, time.Duration, error) {
	list, again, err := b.ordersNow(ctx, id, runner)
	if err == nil {
		b.tell(id, list)
	}
	return list, again, err
}

// HoldPoll holds a poll that came over conn, as the route does, and says whether an answer
// is due.
func (b *Broker) HoldPoll(conn net.Conn, id string, wait time.Duration) bool {
	return b.holdPoll(&parked{conn: conn}, id, wait)
}

// Drain is drain.
func (b *Broker) Drain() { b.drain() }

// The limits on what is tried and kept.
const (
	MaxFailures = broker.MaxFailures
	MaxSaid     = broker.MaxSaid
	MaxSteps    = broker.MaxSteps
	StartGrace  = broker.StartGrace
)

// ResumeFor is Resume for a process that is going to run the command itself.
func (b *Broker) ResumeFor(ctx context.Context, id string, by broker.Actor, runner broker.Process) (broker.Resumption, error) {
	return b.resume(ctx, id, by, runner)
}

// ShowResume says what Resume would do.
func (b *Broker) ShowResume(ctx context.Context, id string, by broker.Actor) (broker.Resumption, error) {
	return b.showResume(ctx, id, by, broker.Process{})
}

// Heard is r as its hook hears of it.
func (b *Broker) Heard(ctx context.Context, r broker.Request) (broker.Request, error) {
	if r.Checkpoint == nil || !r.State.Terminal() {
		return r, nil
	}
	return b.giveDeferred(ctx, r)
}

// ErrStopped is errStopped.
var ErrStopped = broker.ErrStopped

// HoldAsker waits for the answer of request id over conn, as the routes do. looks says that
// it is one look of many.
func (b *Broker) HoldAsker(conn net.Conn, id string, hold time.Duration, looks bool) bool {
	return b.waitParked(&parked{conn: conn, looks: looks}, id, hold)
}

// NoteLook is noteLook.
func (b *Broker) NoteLook(id string, again time.Duration) {
	b.loop.Do(engine.Looked{ID: id, Again: again})
}

// NoteHeard is heard.
func (b *Broker) NoteHeard(id string) { b.loop.Do(engine.Heard{ID: id}) }

// Untold is how many allowed calls have an asker who was not told yet.
func (b *Broker) Untold() int { return b.view.Untold() }
