package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// Why events do not go out.
var (
	ErrFull  = errors.New("the fleet's stream is full")
	ErrMoved = errors.New("somebody else wrote to this machine's place in the stream") // another broker with its key
)

// Message is something told, with the name that keeps it from being stored twice.
type Message struct {
	Subject string
	ID      string
	Body    []byte // a keys.Signed
	Leaves  bool   // it is kept for a while only
}

// Last is the newest message under a subject.
type Last struct {
	Seq  uint64 // in the stream; 0 for none
	Body []byte
}

// Events is the stream of events.
type Events interface {
	// Newest is the newest message whose subject begins with that of a machine's events.
	Newest(ctx context.Context) (Last, error)
	// Find is the greatest stored number of an event that same says is ours, 0 for none. It reads
	// all of a machine's, and is for logs that were put back from a copy.
	Find(ctx context.Context, same func(body []byte) (number int64, ok bool)) (int64, error)
	// Append stores messages in order, all or none, if the newest one is still that of after, and
	// returns where the last of them stands. Errors: ErrFull, ErrMoved. After any other error
	// nobody knows whether they are stored: Newest says.
	Append(ctx context.Context, after uint64, list []Message) (uint64, error)
}

// Log is what is on record.
type Log interface {
	Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error)
	Head() (seq int64, hash string)
}

// Requests has the calls that events are about.
type Requests interface {
	Request(ctx context.Context, id string) (broker.Request, error)
}

// Bounds of one Append.
const (
	batchMost  = 128
	batchBytes = 512 << 10
)

// outbox carries the log out: every event once, in the order of the log, from where the stream has
// it. It keeps nothing itself, so nothing of it can be lost. One goroutine uses it; sent may be read
// by all.
type outbox struct {
	events   Events
	log      Log
	requests Requests
	speaker  *told.Speaker
	epoch    func() *seals.Epoch

	known bool   // the two below are what the stream has
	after uint64 // the newest of ours in the stream
	next  int64  // the first event that is to be sent
	sent  atomic.Int64
}

// step sends the next events, and reports whether there were any. After an error it begins again
// with what the stream has.
func (o *outbox) step(ctx context.Context) (any bool, err error) {
	if !o.known {
		if err := o.look(ctx); err != nil {
			return false, err
		}
	}
	list, next, err := o.gather(ctx)
	if err != nil || len(list) == 0 {
		return false, err
	}
	after, err := o.events.Append(ctx, o.after, list)
	if err != nil {
		o.known = false
		return false, err
	}
	o.after, o.next = after, next
	o.sent.Store(next - 1)
	return true, nil
}

// look finds where the stream ends. Where its end is no event of our log, the log was put back from
// a copy: what both have is found, and everything after that is told anew.
func (o *outbox) look(ctx context.Context) error {
	last, err := o.events.Newest(ctx)
	if err != nil {
		return fmt.Errorf("look what the fleet has: %w", err)
	}
	o.after, o.next = last.Seq, 1
	if last.Seq != 0 {
		number, ours := o.ours(ctx, last.Body)
		if !ours {
			number, err = o.events.Find(ctx, func(body []byte) (int64, bool) { return o.ours(ctx, body) })
			if err != nil {
				return fmt.Errorf("look what the fleet has: %w", err)
			}
		}
		o.next = number + 1
	}
	o.sent.Store(o.next - 1)
	o.known = true
	return nil
}

// ours is the number of an event in the stream, and whether our log has it. Whoever serves the stream
// may have put something there, so it must be we who signed it; that is looked at last, as it costs most.
func (o *outbox) ours(ctx context.Context, body []byte) (int64, bool) {
	var s keys.Signed
	var t told.Told
	if keys.Decode(body, &s) != nil || keys.Decode(s.Body, &t) != nil || t.Machine != o.speaker.Machine() {
		return 0, false
	}
	n := int64(t.Number) //nolint:gosec // one that is too large is none of ours
	list, err := o.log.Events(ctx, broker.EventFilter{After: orAll(n - 1), Limit: 1})
	if err != nil || len(list) != 1 || list[0].Seq != n || list[0].Hash != t.Hash {
		return 0, false
	}
	return n, slices.Equal(s.By, o.speaker.Key.Public().Sign) && s.Verify(keys.KindTold) == nil
}

// orAll is an EventFilter.After: there 0 lists the newest first.
func orAll(after int64) int64 {
	if after <= 0 {
		return -1
	}
	return after
}

// gather signs the next events, as many as fit one Append; next is the one behind them.
func (o *outbox) gather(ctx context.Context) (list []Message, next int64, err error) {
	next = o.next
	if head, _ := o.log.Head(); head < next {
		return nil, next, nil
	}
	events, err := o.log.Events(ctx, broker.EventFilter{After: orAll(next - 1), Limit: batchMost})
	if err != nil {
		return nil, next, fmt.Errorf("read the log for the fleet: %w", err)
	}
	size := 0
	for i := range events {
		e := &events[i]
		m, err := o.message(ctx, e, e.Seq-next)
		if err != nil {
			return nil, next, err
		}
		if size += len(m.Body); size > batchBytes && len(list) > 0 {
			break
		}
		list, next = append(list, m), e.Seq+1
	}
	return list, next, nil
}

// message is an event as it is told. missed are those before it that are no longer in the log.
func (o *outbox) message(ctx context.Context, e *broker.Event, missed int64) (Message, error) {
	what := told.Event{Event: *e, Missed: missed}
	if e.Type == broker.EventRequestCreated {
		if r, err := o.requests.Request(ctx, e.RequestID); err == nil {
			what.Request = &r
		}
	}
	s, err := o.speaker.TellEvent(o.epoch(), what)
	if err != nil {
		return Message{}, fmt.Errorf("sign event %d: %w", e.Seq, err)
	}
	body, err := keys.Encode(s)
	machine := o.speaker.Machine()
	names := told.Names{Fleet: o.speaker.Fleet}
	return Message{Subject: names.At(machine, told.PlaceOfEvent(e)), ID: fmt.Sprintf("%s/%d/%.16s", machine, e.Seq, e.Hash), Body: body}, err
}

// backoff is how long to wait after so many failures in a row.
func backoff(failures int) time.Duration {
	return min(time.Duration(1<<min(failures, 6))*250*time.Millisecond, 15*time.Second)
}
