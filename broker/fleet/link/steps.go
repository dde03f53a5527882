package link

import (
	"context"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// Steps is a run of a link whose steps somebody else makes, one after the other and at times of their
// own: the simulator. What each does is what Host.Run has done at some time.
type Steps struct {
	run     *run
	updates <-chan broker.Update
	line    time.Time
}

// NewSteps begins a run, called boot, over what the broker has on record. now is the machine's clock,
// and pause is called where a run would wait before it tries something again.
func NewSteps(ctx context.Context, o Options, boot string, now func() time.Time, pause func()) (*Steps, error) {
	h := NewHost(o)
	h.clock, h.pause = now, func(context.Context, time.Duration, <-chan struct{}) { pause() }
	d, ok := o.Home.FleetToken()
	if !ok {
		return nil, ErrNotInIt
	}
	m, book, err := h.recorded(d)
	if err != nil {
		return nil, err
	}
	line, err := o.Dial(ctx, m, d.ID)
	if err != nil {
		return nil, err
	}
	r, err := h.newRun(ctx, m, book, line, boot)
	if err != nil {
		return nil, err
	}
	snap, updates := o.Home.Watch(ctx)
	r.states.begin(snap)
	return &Steps{run: r, updates: updates}, nil
}

// Order takes an order, and returns the answer.
func (s *Steps) Order(ctx context.Context, raw []byte, waited bool) []byte {
	return s.run.inbox.answer(ctx, raw, waited)
}

// Roster takes a roster.
func (s *Steps) Roster(ctx context.Context, r keys.Signed) { s.run.follow(ctx, r) }

// Hello answers somebody who asks whether the machine is there.
func (s *Steps) Hello(asked []byte) []byte { return s.run.hello(asked) }

// Beat is what a beat says.
func (s *Steps) Beat() []byte { return s.run.told(told.PlaceBeat, s.run.pulse()) }

// Tell takes in what changed, and tells what there is.
func (s *Steps) Tell(ctx context.Context) error {
	for {
		select {
		case u, ok := <-s.updates:
			if !ok {
				return fmt.Errorf("tell what there is: %w", broker.ErrClosed)
			}
			s.run.states.apply(u)
			continue
		default:
		}
		return s.run.flushOver(ctx, &s.line)
	}
}

// CarryOut carries out the next events, and reports whether there were any.
func (s *Steps) CarryOut(ctx context.Context) (bool, error) { return s.run.carry(ctx) }
