package feed

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// lastRead is the longest that a tap reads on when it is closed.
const lastRead = 500 * time.Millisecond

// Tap hands every event that is recorded to a room of this process, once and in order.
type Tap struct {
	o    *Options
	take func(broker.Event)
	wake chan struct{}

	mu   sync.Mutex // held while take runs
	last int64      // the newest event that was handed over, or archived before
}

// Tap has take told of each event that is recorded from now on, of no session as well, until
// remove is called. remove first hands over what is on record by then; it is called once. take is
// never called twice at a time, and the log is not read on before it returns; who records waits
// for none of this.
func (f *Feed) Tap(take func(broker.Event)) (t *Tap, remove func()) {
	t = &Tap{o: &f.o, take: take, wake: make(chan struct{}, 1)}
	t.last, _ = f.o.Log.Head()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { t.follow(ctx) })
	f.mu.Lock()
	defer f.mu.Unlock()
	f.setTaps(append(slices.Clone(f.tapped()), t))
	return t, func() {
		f.mu.Lock()
		f.setTaps(slices.DeleteFunc(slices.Clone(f.tapped()), func(o *Tap) bool { return o == t }))
		f.mu.Unlock()
		cancel()
		done.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), lastRead)
		defer cancel()
		t.Catch(ctx)
	}
}

// setTaps has the loop wake these from now on. Caller holds mu.
func (f *Feed) setTaps(list []*Tap) { f.taps.Store(&list) }

// tapped are those that the loop wakes.
func (f *Feed) tapped() []*Tap {
	if list := f.taps.Load(); list != nil {
		return *list
	}
	return nil
}

// follow reads when it is woken, and now and then, as a tail does.
func (t *Tap) follow(ctx context.Context) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for ctx.Err() == nil {
		if t.Catch(ctx) {
			pause(ctx, pace)
		}
		select {
		case <-ctx.Done():
		case <-t.wake:
		case <-poll.C:
		}
	}
}

// Catch hands over what is on record and was not handed over yet, and reports whether that was
// anything. It is for those who want to count now. A log that cannot be read is read again later.
func (t *Tap) Catch(ctx context.Context) (any bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if head, _ := t.o.Log.Head(); head <= t.last {
			return any
		}
		f := broker.EventFilter{After: t.last, Limit: eventsRead}
		if t.last == 0 {
			f.After = -1 // 0 would list the newest first
		}
		list, err := t.o.Log.Events(ctx, f)
		if err != nil {
			if ctx.Err() == nil {
				t.o.Logger.WarnContext(ctx, "the log cannot be read to count its events", "err", err)
			}
			return any
		}
		for i := range list {
			t.last = list[i].Seq
			t.take(list[i])
		}
		if any = any || len(list) > 0; len(list) < eventsRead {
			return any
		}
	}
}

// nudge never waits.
func (t *Tap) nudge() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
