package console

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// How much --on-wait may run. A flood of calls must not become a flood of processes: an
// agent chooses how many calls there are.
const (
	waitHooksAtOnce = 4
	waitHooksBurst  = 10               // commands before the rate counts
	waitHooksEvery  = time.Second      // and then one in this time
	waitHooksQueued = 64               // calls that wait for their command; beyond it the oldest goes without
	waitHookTime    = 30 * time.Second // then a command is killed
)

// waitOptions are what runs when a call begins to wait.
type waitOptions struct {
	onWait      string // run by sh for each call; "" for none
	onWaitToken bool   // it gets a token for the call
}

// waitHook runs the operator's command for each call that begins to wait. All fields belong
// to the goroutine of run; commands run in goroutines of their own and only report to
// ended.
type waitHook struct {
	start func(ctx context.Context, r broker.Request, skipped int) // runs one command, and blocks
	log   *slog.Logger

	known   map[string]bool // calls that were seen to wait
	queue   []broker.Request
	skipped int // calls that went without a command since the last one
	running int
	ended   chan struct{}
	tokens  float64
	refill  time.Time // when tokens was true
}

// newWaitHook is a waitHook whose bucket is full. start is what runs a command; tests give
// another.
func newWaitHook(log *slog.Logger, start func(context.Context, broker.Request, int)) *waitHook {
	return &waitHook{start: start, log: log, known: map[string]bool{}, ended: make(chan struct{}), tokens: waitHooksBurst, refill: time.Now()}
}

// watcher is what a waitHook needs from a broker. The channel is closed for a watcher that
// falls behind.
type watcher interface {
	Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update)
}

// run follows b from what its Watch returned until ctx ends, and then waits until no
// command runs. Calls that an earlier console left waiting had their command there.
func (h *waitHook) run(ctx context.Context, b watcher, snap broker.Snapshot, updates <-chan broker.Update) {
	h.renew(snap, false)
	h.follow(ctx, updates)
	// The updates ended: this watcher was too slow, or the broker closes. Watching anew
	// shows all that waits, and what is new among it gets its command late rather than
	// never.
	for waitFor(ctx, waitHooksPause) == nil {
		snap, updates = b.Watch(ctx)
		h.renew(snap, true)
		h.follow(ctx, updates)
	}
	for ; h.running > 0; h.running-- {
		<-h.ended
	}
}

// waitHooksPause is how long a waitHook that fell behind waits before it looks again.
// Without a pause a flood would have it do nothing but look.
const waitHooksPause = 50 * time.Millisecond

// renew takes in all that waits; fresh says that what is new among it needs a command.
// Calls that are queued and no longer wait lose their command: there is nothing to tell of
// them.
func (h *waitHook) renew(snap broker.Snapshot, fresh bool) {
	before := h.known
	h.known = map[string]bool{}
	h.queue = slices.DeleteFunc(h.queue, func(r broker.Request) bool {
		return !slices.ContainsFunc(snap.Requests, func(now broker.Request) bool { return now.ID == r.ID && now.State == broker.Pending })
	})
	for _, r := range snap.Requests {
		if r.State != broker.Pending {
			continue
		}
		h.known[r.ID] = true
		if fresh && !before[r.ID] {
			h.enqueue(r)
		}
	}
}

// follow takes in changes until there are no more. It starts commands between them, as soon
// as they may run.
func (h *waitHook) follow(ctx context.Context, updates <-chan broker.Update) {
	for {
		// due stays nil, and is never ready, when only the end of a command can bring the
		// next one.
		var due <-chan time.Time
		if wait, ok := h.startDue(ctx); ok {
			due = time.After(wait)
		}
		select {
		case u, ok := <-updates:
			if !ok {
				return
			}
			if u.Request != nil {
				h.take(*u.Request)
			}
		case <-h.ended:
			h.running--
		case <-due:
		case <-ctx.Done():
			return
		}
	}
}

// take takes in the new value of a call. A call that comes to wait again, such as a
// deferred one, counts as new.
func (h *waitHook) take(r broker.Request) {
	switch {
	case r.State != broker.Pending:
		delete(h.known, r.ID)
		h.queue = slices.DeleteFunc(h.queue, func(q broker.Request) bool { return q.ID == r.ID })
	case !h.known[r.ID]:
		h.known[r.ID] = true
		h.enqueue(r)
	}
}

// enqueue puts a call behind those that wait for their command. A full queue loses its
// oldest call: the newest ones are those that somebody can still answer. The next command
// is told how many went without.
func (h *waitHook) enqueue(r broker.Request) {
	if len(h.queue) == waitHooksQueued {
		if h.queue = slices.Delete(h.queue, 0, 1); h.skipped == 0 {
			h.log.Warn("calls come faster than their on-wait commands may run")
		}
		h.skipped++
	}
	h.queue = append(h.queue, r)
}

// startDue starts what may run now. It says when to try again, if that is a matter of time.
// It is a token bucket: a burst at once, then one in each waitHooksEvery.
func (h *waitHook) startDue(ctx context.Context) (wait time.Duration, again bool) {
	now := time.Now()
	// Tokens come back with time, up to a full bucket.
	h.tokens = min(waitHooksBurst, h.tokens+float64(now.Sub(h.refill))/float64(waitHooksEvery))
	h.refill = now
	for len(h.queue) > 0 && h.running < waitHooksAtOnce {
		if h.tokens < 1 {
			return time.Duration((1-h.tokens)*float64(waitHooksEvery)) + time.Millisecond, true // rounded up, or it would spin
		}
		h.tokens--
		r, skipped := h.queue[0], h.skipped
		h.queue = slices.Delete(h.queue, 0, 1)
		h.skipped = 0
		h.running++
		go func() {
			// The send blocks until run takes it, also while run ends, which waits for each
			// of them.
			h.start(ctx, r, skipped)
			h.ended <- struct{}{}
		}()
	}
	return 0, false
}
