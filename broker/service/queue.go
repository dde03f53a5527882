package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
)

// Fleet is the other machines of a fleet, which share calls under ids of their callers' own; see
// package broker/fleet/queue.
type Fleet interface {
	// Claim returns which machine asks r under its id, "" for this one. After an error nobody knows, and
	// the call must not be asked.
	Claim(ctx context.Context, r broker.Request) (owner string, err error)
	// Follow has Response ask owner what becomes of r.
	Follow(owner string, r broker.Request)
	// Response is what became of a call that another machine asks; known is false for every other one.
	Response(ctx context.Context, id string, wait, again time.Duration) (r broker.Request, known bool, err error)
}

// ShareCalls has the approval queue be one with that of f. It is called before the broker serves.
func (b *Broker) ShareCalls(f Fleet) { b.ShareQueue(shared{b, f}) }

// shared is the queue of a fleet as the API wants it. What this machine refuses stays refused here,
// whoever asks the call.
type shared struct {
	b     *Broker
	fleet Fleet
}

// Elsewhere reports whether another machine asks q. What this one knows already is its own.
func (s shared) Elsewhere(ctx context.Context, q broker.Question) (bool, error) {
	if err := q.Validate(); err != nil {
		return false, err // of a call that cannot be asked no id is claimed
	}
	if _, err := s.b.Request(ctx, q.ID); !errors.Is(err, broker.ErrNotFound) {
		return false, err
	}
	q.Digest = broker.Digest(q.ToolName, q.ToolInput, q.CWD)
	owner, err := s.fleet.Claim(ctx, q.Request)
	if err != nil || owner == "" {
		return false, err
	}
	a := s.b.policy.AssessRequest(q.Request, s.b.view.Look(&q.Request).Project, q.Trusted)
	if a.Verdict == rules.Deny {
		return false, broker.ErrRefused
	}
	q.Assessment = &rules.Assessment{Risk: a.Risk} // what counts needs of it
	s.fleet.Follow(owner, q.Request)
	return true, nil
}

// Response is what another machine says of a call. While this one is frozen an allow waits here.
func (s shared) Response(ctx context.Context, id string, wait, again time.Duration) (broker.Request, error) {
	r, known, err := s.fleet.Response(ctx, id, wait, again)
	switch {
	case err != nil:
		return broker.Request{}, err
	case !known:
		return broker.Request{}, broker.ErrNotFound
	case r.State != broker.Allowed:
		return r, nil
	}
	if err := s.counts(r); err != nil {
		return broker.Request{}, err
	}
	stopped, err := s.b.StopRequested(ctx, r.SessionID)
	switch {
	case err != nil && !errors.Is(err, broker.ErrNotFound):
		return broker.Request{}, err
	case stopped:
		return broker.Request{}, broker.ErrStopped
	case s.b.view.Held(r.SessionID):
		r.State, r.Outcome = broker.Pending, nil
	}
	return r, nil
}

// counts reports why another machine's allow of r does not count here. That shows the order of one person,
// and where two must allow a call that is one too few: the other machine may go by another list, or by
// none. An input that was edited there is one that this machine has not judged yet.
func (s shared) counts(r broker.Request) error {
	two := s.b.policy.NeedsTwo(&r)
	if input := r.Outcome.UpdatedInput; len(input) > 0 && !two {
		e, _ := s.b.policy.Edited(r, input)
		if e.Deny != "" {
			return fmt.Errorf("%w: %s", broker.ErrRefused, e.Deny)
		}
		two = e.Request.NeedsTwo()
	}
	if two {
		return fmt.Errorf("%w: two operators must allow it, at the machine that asks it", broker.ErrElsewhere)
	}
	return nil
}

// Callers are those who ask at other machines of a fleet what became of a call here.
type Callers struct{ b *Broker }

// CallersOf are those of b.
func CallersOf(b *Broker) Callers { return Callers{b} }

// AwaitCall waits as a caller does that polls, for one at another machine: until call id may be told to
// have ended, or hold or ctx is over. Errors: broker.ErrNotFound, and the store's.
func (c Callers) AwaitCall(ctx context.Context, id string, hold, again time.Duration) (broker.Request, error) {
	c.b.loop.Tell(engine.Polled{ID: id, Within: again})
	here, there := net.Pipe()
	defer func() { _, _ = here.Close(), there.Close() }()
	defer context.AfterFunc(ctx, func() { _ = there.Close() })()
	c.b.HoldCall(&api.Parked{Conn: here, Polls: true}, id, min(hold, c.b.opts.Hold))
	req, err := c.b.Request(ctx, id)
	if err != nil {
		return req, err
	}
	return c.b.Tellable(ctx, req)
}

// CallHeard notes that the caller of call id was told its end.
func (c Callers) CallHeard(id string) { c.b.loop.Tell(engine.Heard{ID: id}) }
