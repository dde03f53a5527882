package feed

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// ErrReaders means that as many read already as may.
var ErrReaders = errors.New("too many read the feed already")

const (
	writeTime = 10 * time.Second // the longest that a reader may take over what is written to it
	beatEvery = 15 * time.Second // comments that keep a quiet stream open
	pingEvery = 30 * time.Second // of a WebSocket
)

// Log is what is on record.
type Log interface {
	// Events lists oldest first, since the feed always names an After.
	Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error)
	Head() (seq int64, hash string)
}

// Records has the requests and sessions as they are now.
type Records interface {
	Sessions(ctx context.Context) ([]broker.Session, error)
	Request(ctx context.Context, id string) (broker.Request, error)
	Pending(sessionID string) []broker.Request
}

// Options are what a feed reads from.
type Options struct {
	Log     Log
	Records Records
	// Watch tells of sessions that change; see engine.Loop.
	Watch func(context.Context) (broker.Snapshot, <-chan broker.Update)
	// View is a session as GET /sessions gives it.
	View func(broker.Session) any
	// Most is how many may read at a time.
	Most   func() int
	Logger *slog.Logger
}

// Feed lets readers follow what happens. Several goroutines may use it.
type Feed struct {
	o      Options
	closed chan struct{}
	tail   atomic.Pointer[tail]   // nil while nobody reads; changed with mu held
	taps   atomic.Pointer[[]*Tap] // nil before the first one; a new list for each change, with mu held

	mu      sync.Mutex
	readers int
	over    bool
}

// New returns a feed that nobody reads yet.
func New(o Options) *Feed { return &Feed{o: o, closed: make(chan struct{})} }

// Committed says that something may be on record which was not. It never waits.
func (f *Feed) Committed() {
	if t := f.tail.Load(); t != nil {
		t.nudge()
	}
	for _, t := range f.tapped() {
		t.nudge()
	}
}

// Readers is how many read now.
func (f *Feed) Readers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readers
}

// Close ends every stream, and lets no reader in any more. It may be called twice.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.over = true
		close(f.closed)
	}
}

// join lets a reader in. Who joined leaves once. The first one has the tail begin at the end of
// the log, and the last one ends it.
func (f *Feed) join() (t *tail, leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.over:
		return nil, nil, broker.ErrClosed
	case f.readers >= f.o.Most():
		return nil, nil, ErrReaders
	}
	f.readers++
	t = f.tail.Load()
	if t == nil {
		t = newTail(&f.o)
		f.tail.Store(t)
		t.start()
	}
	return t, func() { f.leave(t) }, nil
}

// leave waits for the tail's end when the last reader goes, so that none is left behind.
func (f *Feed) leave(t *tail) {
	f.mu.Lock()
	f.readers--
	last := f.readers == 0
	if last {
		f.tail.Store(nil)
	}
	f.mu.Unlock()
	if last {
		t.stop()
	}
}
