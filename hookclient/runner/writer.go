package runner

import (
	"io"
	"sync"
)

// writer writes lines to the agent, one after the other, from a goroutine of its own: an
// agent that does not read holds up nobody else.
type writer struct {
	to io.WriteCloser

	mu      sync.Mutex
	queue   [][]byte
	bytes   int
	shut    bool // close when everything is written
	changed chan struct{}
	taken   chan struct{} // one value when a line was written
	gone    chan struct{} // closed when nothing is written any more
}

// newWriter starts the goroutine that writes.
func newWriter(to io.WriteCloser) *writer {
	w := &writer{to: to, changed: make(chan struct{}, 1), taken: make(chan struct{}, 1), gone: make(chan struct{})}
	go w.run()
	return w
}

// put adds a line. What is put after close is dropped.
func (w *writer) put(line []byte) {
	w.mu.Lock()
	if !w.shut {
		w.queue = append(w.queue, line)
		w.bytes += len(line)
	}
	w.mu.Unlock()
	nudge(w.changed)
}

// close ends the agent's input behind what was put. It does not wait for that.
func (w *writer) close() {
	w.mu.Lock()
	w.shut = true
	w.mu.Unlock()
	nudge(w.changed)
}

// abort ends it at once, even in the middle of a line. The goroutine ends soon after.
func (w *writer) abort() {
	w.close()
	_ = w.to.Close() // ends a write that is under way
}

// full says that the agent does not take what is put.
func (w *writer) full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bytes > maxBacklog
}

// maxBacklog is how much is kept for an agent that does not read before it is no longer
// listened to, in bytes.
const maxBacklog = 16 << 20

// run writes one line after the other, in a goroutine of its own: an agent that does not read
// must hold up nothing else.
func (w *writer) run() {
	defer close(w.gone)
	defer func() { _ = w.to.Close() }()
	for range w.changed {
		for {
			line, done := w.next()
			if done {
				return
			}
			if line == nil {
				break
			}
			if _, err := w.to.Write(line); err != nil {
				w.drop()
				return // the agent is gone, or will be: its exit tells
			}
			w.mu.Lock()
			w.bytes -= len(line)
			w.mu.Unlock()
			nudge(w.taken)
		}
	}
}

// drop forgets what nobody will read. If it stayed, the writer would count as full, and we
// would not hear what the agent still says.
func (w *writer) drop() {
	w.mu.Lock()
	w.shut, w.queue, w.bytes = true, nil, 0
	w.mu.Unlock()
	nudge(w.taken)
}

// next is the line to write, nil when there is none now.
func (w *writer) next() (line []byte, done bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return nil, w.shut
	}
	line, w.queue = w.queue[0], w.queue[1:]
	return line, false
}
