package service

import (
	"context"
	"crypto/rand"
	"net"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/hooks"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// NewSweeping is New with a sweeper that looks every so often. Days that pass on a test's clock cost
// it a look each half second otherwise.
func NewSweeping(ctx context.Context, st broker.Store, opts Options, every time.Duration) (*Broker, error) {
	return open(ctx, st, opts, every)
}

// Hear lets tests hand in a hook event without a socket.
func (b *Broker) Hear(ctx context.Context, h agents.Hook) (agents.Answer, error) {
	return b.hooks.Observe(ctx, h, hooks.Asker{})
}

// AnswerTo is what a request's agent is told.
func AnswerTo(r broker.Request) agents.Answer { return broker.AnswerTo(r) }

// Late reports whether r ended without a person's answer so lately that allowing it still helps:
// the agent may ask again.
func (b *Broker) Late(r broker.Request) bool {
	x, ok := b.view.Seen(r.ID, time.Now())
	return ok && x.Late
}

// Events lists what is in the log, oldest first.
func (b *Broker) Events(ctx context.Context) ([]broker.Event, error) {
	return b.store.Events(ctx, broker.EventFilter{After: -1})
}

// MarkIn is the sign of an agent in an environment.
func MarkIn(env []byte) string { return peers.MarkIn(env) }

// HurryPeers gives peers a 25th of their usual time. It must come before Serve.
func (b *Broker) HurryPeers() {
	d := api.UsualDeadlines()
	d.Header, d.Body, d.Idle = d.Header/25, d.Body/25, d.Idle/25
	b.SetDeadlines(d)
}

// AnswerWrongTokensAtOnce spares tests the wait with which guessing is slowed down.
func (b *Broker) AnswerWrongTokensAtOnce() {
	d := api.UsualDeadlines()
	d.Wrong = 0
	b.SetDeadlines(d)
}

// ToolKey is the key of a call that its agent gave an id.
func ToolKey(agent, session, subagent, event, toolUse string) string {
	return broker.ToolKey(agent, session, subagent, event, toolUse)
}

// Ancestor is one process of an ancestry.
type Ancestor = peers.Ancestor

// CutOff reports whether what started a process seems to have ended.
func CutOff(chain []Ancestor, own map[int]bool, shell func(pid int) bool) bool {
	return peers.CutOff(chain, own, shell)
}

// AnswerHook takes one payload of a gate event that needs nobody, as the route for hooks
// does, and returns the agent's answer.
func (b *Broker) AnswerHook(ctx context.Context, agent string, payload []byte) ([]byte, error) {
	d, h, a, err := b.hooks.Decode(agent, payload, hooks.Asker{Correlation: rand.Text()})
	if err != nil {
		return nil, err
	}
	req, err := b.Submit(ctx, hooks.Question(h, a))
	if err != nil {
		return nil, err
	}
	answer := broker.AnswerTo(req)
	answer.Tool = req.ToolName
	return d.Encode(req.Event, req.ToolInput, answer), nil
}

// RanData is what is recorded of the end that h tells.
func (b *Broker) RanData(h agents.Hook) broker.RanData { return b.hooks.RanData(h) }

// OrdersNow is what a poll is answered.
func (b *Broker) OrdersNow(ctx context.Context, id string, runner broker.Process) ([]wire.RunOrder, time.Duration, error) {
	list, again, err := b.Orders(ctx, id, runner)
	if err == nil {
		b.loop.Do(engine.OrdersSent{SessionID: id, List: list})
	}
	return list, again, err
}

// HoldPoll holds a poll that came over conn, as the route does, and says whether an answer
// is due.
func (b *Broker) HoldPoll(conn net.Conn, id string, wait time.Duration) bool {
	return b.HoldOrders(&api.Parked{Conn: conn}, id, wait)
}

// The limits on what is tried and kept.
const (
	MaxFailures = broker.MaxFailures
	MaxSaid     = broker.MaxSaid
	MaxSteps    = broker.MaxSteps
	StartGrace  = broker.StartGrace
)

// Heard is r as its hook hears of it.
func (b *Broker) Heard(ctx context.Context, r broker.Request) (broker.Request, error) {
	if r.Checkpoint == nil || !r.State.Terminal() {
		return r, nil
	}
	return b.GiveDeferred(ctx, r)
}

// ErrStopped is errStopped.
var ErrStopped = broker.ErrStopped

// HoldAsker waits for the answer of request id over conn, as the routes do. looks says that
// it is one look of many.
func (b *Broker) HoldAsker(conn net.Conn, id string, hold time.Duration, looks bool) bool {
	return b.HoldCall(&api.Parked{Conn: conn, Polls: looks}, id, hold)
}

// NoteLook is noteLook.
func (b *Broker) NoteLook(id string, again time.Duration) {
	b.loop.Do(engine.Polled{ID: id, Within: again})
}

// NoteHeard is heard.
func (b *Broker) NoteHeard(id string) { b.loop.Do(engine.Heard{ID: id}) }

// Undelivered reports whether an allowed call has an asker who was not told yet.
func (b *Broker) Undelivered() bool { return b.view.Undelivered() }

// Wait returns request id once it has ended, or as it is when ctx ends first. While it waits,
// the request counts as having an asker.
func (b *Broker) Wait(ctx context.Context, id string) (broker.Request, error) {
	updates := context.WithoutCancel(ctx)
	updates, cancel := context.WithCancel(updates)
	defer cancel()
	_, changes := b.Watch(updates)
	b.loop.Tell(engine.Attach{ID: id})
	defer b.loop.Tell(engine.Detach{ID: id})
	for {
		r, err := b.Request(ctx, id)
		if err != nil || r.State.Terminal() {
			return r, err
		}
		select {
		case <-ctx.Done():
			return b.Request(updates, id)
		case _, ok := <-changes:
			if !ok {
				_, changes = b.Watch(updates)
			}
		}
	}
}

// OnceTokens is how many tokens for one call there are.
func (b *Broker) OnceTokens() int { return b.once.Len() }
