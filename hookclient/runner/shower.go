package runner

import "sync"

// shower calls show from a goroutine of its own, so that a terminal that was stopped holds
// up nobody but the agent's talk.
type shower struct {
	show   func(Seen) error
	failed chan struct{} // closed when show failed
	room   chan struct{} // one value when there is room again
	more   chan struct{}
	gone   chan struct{}

	mu     sync.Mutex
	queue  []Seen
	bytes  int
	closed bool
}

// maxUnseen is what is kept for who looks on, before the agent is no longer listened to,
// bytes.
const maxUnseen = 16 << 20

func newShower(f func(Seen) error) *shower {
	s := &shower{
		show: f, failed: make(chan struct{}), room: make(chan struct{}, 1),
		more: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	go s.run(s.failed)
	return s
}

func (s *shower) put(seen Seen) {
	s.mu.Lock()
	s.queue = append(s.queue, seen)
	s.bytes += weight(seen)
	s.mu.Unlock()
	nudge(s.more)
}

func weight(s Seen) int { return len(s.Raw) + len(s.Text) + len(s.Input) + 256 }

func (s *shower) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes > maxUnseen
}

// close shows the rest and returns then.
func (s *shower) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	nudge(s.more)
	<-s.gone
}

func (s *shower) run(failed chan struct{}) {
	defer close(s.gone)
	broken := false
	for range s.more {
		for {
			seen, ok, done := s.next()
			if done {
				return
			}
			if !ok {
				break
			}
			if !broken && s.show(seen) != nil {
				broken = true
				close(failed)
			}
			nudge(s.room)
		}
	}
}

func (s *shower) next() (seen Seen, ok, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return Seen{}, false, s.closed
	}
	seen, s.queue = s.queue[0], s.queue[1:]
	s.bytes -= weight(seen)
	return seen, true, false
}

// nudge leaves one value in c.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
