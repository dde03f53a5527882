package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// world is one trial: a broker that is ended again and again, and those who use it.
type world struct {
	o       options
	dir     string // everything lies here
	home    string
	client  ask.Client
	console *consoles.Client // of the deciders
	feed    reader
	began   time.Time
	tally   tally

	mu        sync.Mutex
	broker    *server
	histories map[string]*history // by session
	finals    map[string]final    // by request name, of sessions that are over
	faults    []window            // when a record could fail
	recent    []recentCall        // decided lately
	bad       error               // the first violation
	stop      context.CancelFunc
}

// window is a span in which a record may fail, nanoseconds since the trial began.
type window struct{ from, to int64 }

type recentCall struct {
	session, name, id, digest string
}

func newWorld(o options, dir string) *world {
	home := filepath.Join(dir, "home")
	return &world{
		o: o, dir: dir, home: home, client: ask.Client{Socket: socketIn(home)}, began: time.Now(),
		histories: map[string]*history{}, finals: map[string]final{},
	}
}

// now is the time on the history's clock.
func (w *world) now() int64 { return int64(time.Since(w.began)) }

// dice returns random numbers of their own for one actor: the trial's seed decides them.
func (w *world) dice(actor string, n uint64) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, c := range []byte(actor) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(w.o.seed, h+n)) //nolint:gosec // G404: load, no secrets
}

// violated notes the first thing that must not happen and ends the trial.
func (w *world) violated(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bad == nil {
		w.bad = fmt.Errorf("after %s: %w", time.Since(w.began).Round(time.Millisecond), err)
	}
	w.stop()
}

func (w *world) violation() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bad
}

// open starts a history for a new session.
func (w *world) open(session string) *history {
	h := newHistory(session, w.now)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.histories[session] = h
	return h
}

func (w *world) history(session string) *history {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.histories[session]
}

// retire checks a session that is over, and forgets all of it but how its requests
// were seen last.
func (w *world) retire(h *history) {
	ops := h.close()
	w.mu.Lock()
	delete(w.histories, h.session)
	w.mu.Unlock()
	v, err := check(h.session, h.requests, ops, w.dir)
	if err == nil {
		err = w.checkFailures(h.session, ops)
	}
	if err != nil {
		if werr := write(w.dir, "session.json", ops); werr != nil {
			fmt.Fprintln(os.Stderr, "robustness:", werr)
		}
		w.violated(err)
		return
	}
	w.tally.count(ops, v.undecided)
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, f := range v.finals {
		w.finals[name] = f
	}
}

// failing notes that records may fail until the returned function is called.
func (w *world) failing() (over func()) {
	from := w.now()
	w.mu.Lock()
	w.faults = append(w.faults, window{from, never})
	i := len(w.faults) - 1
	w.mu.Unlock()
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.faults[i].to = w.now() + int64(3*time.Second) // a statement waits for a lock for two seconds
	}
}

// checkFailures reports a record that failed while nothing was wrong.
func (w *world) checkFailures(session string, ops []*op) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range ops {
		if o.Out != failed {
			continue
		}
		excused := false
		for _, f := range w.faults {
			excused = excused || o.Inv <= f.to && f.from <= o.Ret
		}
		if !excused {
			return fmt.Errorf("%s: a record failed while nothing was wrong: %s", session, o)
		}
	}
	return nil
}

// current is the broker's present life; nil while there is none.
func (w *world) current() *server {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broker
}

func (w *world) remember(c recentCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.recent = append(w.recent, c); len(w.recent) > 200 {
		w.recent = w.recent[100:]
	}
}

func (w *world) someRecent(r *rand.Rand) (recentCall, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.recent) == 0 {
		return recentCall{}, false
	}
	return w.recent[r.IntN(len(w.recent))], true
}

// pause waits for d, or for the end; it reports false at the end.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
