package service

import (
	"context"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// toldAgainAfter is how long a runner's poll is held although there are orders, because it
// was told of just these a moment ago and is at it.
const toldAgainAfter = 2 * time.Second

// ordersNow is what the runner of session id shall do. When it was told so just now, again
// says how long that need not be repeated. A message is told only once it is on record
// that it is. Errors: ErrNotFound, ErrNotManaged, errNotRunner, ErrNotRecorded.
func (b *Broker) ordersNow(ctx context.Context, id string, runner broker.Process) (list []wire.RunOrder, again time.Duration, err error) {
	se, err := b.recall(ctx, id)
	if err != nil {
		return nil, 0, fmt.Errorf("orders: %w", err)
	}
	b.mu.Lock()
	s := se.s
	b.mu.Unlock()
	switch {
	case s.Run == nil:
		return nil, 0, fmt.Errorf("orders of %s: %w", broker.Clip(id), broker.ErrNotManaged)
	case s.Run.Runner != runner:
		return nil, 0, fmt.Errorf("orders of %s: %w", broker.Clip(id), broker.ErrNotRunner)
	}
	if s.MayTell() {
		if s, err = b.changeRun(ctx, id, false, func(s *broker.Session) ([]*broker.Event, error) {
			if !s.MayTell() || s.Run.Runner != runner {
				return nil, broker.ErrNoChange
			}
			s.Run.Told, s.Message = s.Message, nil
			return nil, nil
		}); err != nil {
			return nil, 0, fmt.Errorf("orders of %s: %w", broker.Clip(id), err)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if se.s.Run == nil || se.s.Run.Runner != runner {
		return nil, 0, fmt.Errorf("orders of %s: %w", broker.Clip(id), broker.ErrNotRunner)
	}
	list = se.s.Orders(se.run.done)
	if ids := broker.OrderIDs(list); ids == se.run.told {
		again = max(0, toldAgainAfter-time.Since(se.run.toldAt))
	}
	return list, again, nil
}

// noteTold keeps in mind what the runner of session id is being told.
func (b *Broker) noteTold(id string, list []wire.RunOrder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if se, ok := b.sessions[id]; ok && len(list) > 0 {
		se.run.told, se.run.toldAt = broker.OrderIDs(list), time.Now()
	}
}

// wakeRunner ends the held poll of the session's runner when there is something to be told
// that it was not told yet. Caller holds mu.
func (se *sessionEntry) wakeRunner() {
	if se.run.poll != nil && se.news() {
		se.run.poll.wake()
	}
}

// news reports whether the session's runner has to be told anything new. Caller holds mu.
func (se *sessionEntry) news() bool {
	if se.s.MayTell() {
		return true
	}
	list := se.s.Orders(se.run.done)
	return len(list) > 0 && broker.OrderIDs(list) != se.run.told
}
