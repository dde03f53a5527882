package broker

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// toldAgainAfter is how long a runner's poll is held although there are orders, because it
// was told of just these a moment ago and is at it.
const toldAgainAfter = 2 * time.Second

// orders are what the runner of s shall do. They follow from the session's state, so that a
// stop and an interrupt outlive the console; only which orders of a stop were carried out
// is forgotten with it, and told once more, under the same ids.
func (s *Session) orders(done map[string]bool) []wire.RunOrder {
	r := s.Run
	switch {
	case !r.running() || r.Runner.PID == 0:
		return nil
	case s.State.underStop():
		at := "stop-" + strconv.FormatInt(s.StopAskedAt.UnixMilli(), 36)
		list := []wire.RunOrder{{ID: at + "-interrupt", Kind: wire.OrderInterrupt}, {ID: at + "-end", Kind: wire.OrderEnd}}
		return slices.DeleteFunc(list, func(o wire.RunOrder) bool { return done[o.ID] })
	}
	list := slices.DeleteFunc(slices.Clone(r.Orders), func(o wire.RunOrder) bool {
		return o.Kind == wire.OrderInterrupt && r.Turn == TurnIdle // of the turn that the message is about to begin
	})
	if r.Told != nil && r.Turn == TurnIdle && !s.Frozen {
		list = append(list, wire.RunOrder{ID: r.Told.ID, Kind: wire.OrderMessage, Text: r.Told.Text})
	}
	return list
}

// mayTell reports whether the message that waits can be told to the agent now: its turn is
// over, and not because its process is about to end, and no freeze holds it.
func (s *Session) mayTell() bool {
	r := s.Run
	return s.Message != nil && s.Message.Failures < maxFailures && r.running() && r.Turn == TurnIdle && r.Result != resultTool &&
		r.Told == nil && r.Runner.PID != 0 && !s.State.underStop() && !s.Frozen
}

// ordersNow is what the runner of session id shall do. When it was told so just now, again
// says how long that need not be repeated. A message is told only once it is on record
// that it is. Errors: ErrNotFound, ErrNotManaged, errNotRunner, ErrNotRecorded.
func (b *Broker) ordersNow(ctx context.Context, id string, runner Process) (list []wire.RunOrder, again time.Duration, err error) {
	se, err := b.recall(ctx, id)
	if err != nil {
		return nil, 0, fmt.Errorf("orders: %w", err)
	}
	b.mu.Lock()
	s := se.s
	b.mu.Unlock()
	switch {
	case s.Run == nil:
		return nil, 0, fmt.Errorf("orders of %s: %w", clip(id), ErrNotManaged)
	case s.Run.Runner != runner:
		return nil, 0, fmt.Errorf("orders of %s: %w", clip(id), errNotRunner)
	}
	if s.mayTell() {
		if s, err = b.changeRun(ctx, id, false, func(s *Session) ([]*Event, error) {
			if !s.mayTell() || s.Run.Runner != runner {
				return nil, errSame
			}
			s.Run.Told, s.Message = s.Message, nil
			return nil, nil
		}); err != nil {
			return nil, 0, fmt.Errorf("orders of %s: %w", clip(id), err)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if se.s.Run == nil || se.s.Run.Runner != runner {
		return nil, 0, fmt.Errorf("orders of %s: %w", clip(id), errNotRunner)
	}
	list = se.s.orders(se.run.done)
	if ids := idsOf(list); ids == se.run.told {
		again = max(0, toldAgainAfter-time.Since(se.run.toldAt))
	}
	return list, again, nil
}

func idsOf(list []wire.RunOrder) string {
	ids := make([]string, len(list))
	for i, o := range list {
		ids[i] = o.ID
	}
	return strings.Join(ids, " ")
}

// noteTold keeps in mind what the runner of session id is being told.
func (b *Broker) noteTold(id string, list []wire.RunOrder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if se, ok := b.sessions[id]; ok && len(list) > 0 {
		se.run.told, se.run.toldAt = idsOf(list), time.Now()
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
	if se.s.mayTell() {
		return true
	}
	list := se.s.orders(se.run.done)
	return len(list) > 0 && idsOf(list) != se.run.told
}
