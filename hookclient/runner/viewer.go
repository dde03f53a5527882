package runner

import "sync"

// viewer calls show from a goroutine of its own: a terminal that was stopped must not keep
// the runner from the console. The agent waits once too much is unseen. The zero value is not
// ready.
type viewer struct {
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

// maxUnseen is how much is kept for the viewer before the agent is no longer listened
// to, in bytes.
const maxUnseen = 16 << 20

// newViewer starts the goroutine that shows; close ends it.
func newViewer(f func(Seen) error) *viewer {
	v := &viewer{
		show: f, failed: make(chan struct{}), room: make(chan struct{}, 1),
		more: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	go v.run(v.failed)
	return v
}

// put never waits. Whoever puts looks at full before it takes on more.
func (v *viewer) put(seen Seen) {
	v.mu.Lock()
	v.queue = append(v.queue, seen)
	v.bytes += weight(seen)
	v.mu.Unlock()
	nudge(v.more)
}

// weight is about what an entry takes in memory.
func weight(s Seen) int { return len(s.Raw) + len(s.Text) + len(s.Input) + 256 }

// full reports that too much is unseen. room tells when that may be over.
func (v *viewer) full() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes > maxUnseen
}

// close shows the rest and returns then.
func (v *viewer) close() {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	nudge(v.more)
	<-v.gone
}

// run shows what comes until the viewer is closed. When showing fails once, failed is closed and
// the rest is only taken out, so that nobody waits for room here.
func (v *viewer) run(failed chan struct{}) {
	defer close(v.gone)
	broken := false
	for range v.more {
		for {
			seen, ok, done := v.next()
			if done {
				return
			}
			if !ok {
				break
			}
			// A terminal that failed once is not tried again.
			if !broken && v.show(seen) != nil {
				broken = true
				close(failed)
			}
			nudge(v.room)
		}
	}
}

// next takes the oldest entry; done is true when none will come.
func (v *viewer) next() (seen Seen, ok, done bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.queue) == 0 {
		return Seen{}, false, v.closed
	}
	seen, v.queue = v.queue[0], v.queue[1:]
	v.bytes -= weight(seen)
	return seen, true, false
}

// nudge leaves one value in c. c has room for one, so a second nudge before the first was seen is
// the same one.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
