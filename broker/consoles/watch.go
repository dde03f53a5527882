package consoles

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
)

const (
	// holdFor is how long a console's question for what is new is held when nothing is.
	holdFor = time.Second
	// batchMost is how many changes one answer has at most.
	batchMost = 2048
)

// Watched is the beginning of a watch.
type Watched struct {
	Snapshot broker.Snapshot `json:"snapshot"`
	Watch    int             `json:"watch"` // its number, for Next
	Broker   Welcome         `json:"broker"`
}

// Batch is what changed; Ended says that nothing more comes.
type Batch struct {
	List    []broker.Update `json:"list,omitempty"`
	Notices []Notice        `json:"notices,omitempty"`
	Ended   bool            `json:"ended,omitempty"`
}

// Notice is something that the operator is to be told, and that is no state of anything.
type Notice struct {
	SessionID string `json:"session_id,omitempty"` // that it is about; "" for all
	Text      string `json:"text"`
}

// noticesKept is how many wait for a console; the oldest give way.
const noticesKept = 16

// Tell tells all consoles something, within holdFor.
func (s *Server) Tell(n Notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.here {
		if v.watching {
			v.notices = append(v.notices, n)
			v.notices = v.notices[max(0, len(v.notices)-noticesKept):]
		}
	}
}

// told takes what the console has not been told yet.
func (v *visit) told() []Notice {
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	list := v.notices
	v.notices = nil
	return list
}

// watch is what a console is told of. Its zero value is none.
type watch struct {
	number  int
	updates <-chan broker.Update
	stop    context.CancelFunc
}

// end stops the broker's telling.
func (w watch) end() {
	if w.stop != nil {
		w.stop()
	}
}

// errNoWatch says that there is no watch of this number.
var errNoWatch = errors.New("no such watch")

// Watch begins a watch. An older one of the same console ends.
func (d callDesk) Watch(_ struct{}, out *Reply[Watched]) error {
	return read(d.visit, out, func() (Watched, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.watched.end()
		ctx, end := context.WithCancel(d.ctx)
		snap, updates := d.server.o.Broker.Watch(ctx)
		d.watched = watch{number: d.watched.number + 1, updates: updates, stop: end}
		d.server.awake(d.visit)
		return Watched{snap, d.watched.number, d.welcome()}, nil
	})
}

// awake notes that a console has something to draw.
func (s *Server) awake(v *visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.watching = true
}

// Next is what changed since the last time. It waits for a while if nothing did.
func (d callDesk) Next(number int, out *Reply[Batch]) error {
	return read(d.visit, out, func() (Batch, error) {
		d.mu.Lock()
		w := d.watched
		d.mu.Unlock()
		if w.number != number {
			return Batch{}, errNoWatch
		}
		b := gather(d.ctx, w.updates)
		if _, err := d.paired(); err != nil {
			return Batch{}, err // its key was revoked meanwhile
		}
		b.Notices = d.told()
		return b, nil
	})
}

// gather waits for a change and takes all that have come by then.
func gather(ctx context.Context, updates <-chan broker.Update) (b Batch) {
	hold := time.NewTimer(holdFor)
	defer hold.Stop()
	select {
	case u, ok := <-updates:
		if !ok {
			return Batch{Ended: true}
		}
		b.List = append(b.List, u)
	case <-hold.C:
		return b
	case <-ctx.Done():
		return Batch{Ended: true}
	}
	for len(b.List) < batchMost {
		select {
		case u, ok := <-updates:
			if !ok {
				b.Ended = true
				return b
			}
			b.List = append(b.List, u)
		default:
			return b
		}
	}
	return b
}
