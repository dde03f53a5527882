package service

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/vet"
)

// sweepEvery is how often the broker looks after askers and agents that may have gone without a
// word.
const sweepEvery = 500 * time.Millisecond

// sweeping is what the sweeper has going on beside.
type sweeping struct{ resuming, rereading, settings atomic.Bool }

// sweep is, every so often, the loop of what nobody asks for, until ctx ends. Everything that may take long runs
// beside it: a slow disk must not keep it from noticing that an agent is gone.
func (b *Broker) sweep(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	last, waited := time.Now(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			stood := time.Since(last) > 2*every && !waited
			if last, waited = time.Now(), stood; stood { // the broker stood still: who asked meanwhile is heard first
				t.Reset(every)
				continue
			}
			b.tick()
			b.WatchRuns()
			b.mend(ctx)
			if b.opts.Launcher != nil && len(b.view.Answered()) > 0 {
				b.beside(&b.sweeping.resuming, func() { b.ResumeAnswered(ctx) })
			}
			if list := b.view.PendingWhich(maxReread, tooBusy); len(list) > 0 { // the vetter takes its time when it is busy
				b.beside(&b.sweeping.rereading, func() { b.reread(list) })
			}
			b.beside(&b.sweeping.settings, func() { b.settings.Watch(ctx) }) // a file system may take its time
		}
	}
}

// beside does something that may take long, unless it goes on still.
func (b *Broker) beside(busy *atomic.Bool, do func()) {
	if busy.CompareAndSwap(false, true) {
		b.wg.Go(func() {
			defer busy.Store(false)
			do()
		})
	}
}

// tick tells the engine which processes are no more. Whether a process lives is found out here,
// since the engine may not look.
func (b *Broker) tick() {
	var in engine.Tick
	began := time.Now()
	for _, p := range b.view.Watched() {
		if !b.opts.Alive(p) {
			in.Dead = append(in.Dead, p)
		}
	}
	if time.Since(began) > 2*sweepEvery { // that took so long that who asked meanwhile is heard first
		return
	}
	in.LogSeq, in.LogHash = b.store.Head()
	b.loop.Do(in)
}

// mend brings the store up to date after it failed, and finds out whether it works. Debts are
// paid one at a time, and the first that fails ends the attempt: the disk is still full.
func (b *Broker) mend(ctx context.Context) {
	n, failing := b.view.Failures()
	calls, strays, rest := b.view.Debts()
	for _, id := range calls {
		if !b.payDebt(ctx, id, n) {
			return // still broken; the next sweep tries again
		}
	}
	for _, id := range strays {
		if err := b.loop.Do(engine.PayRest{Stray: id}).Err; err != nil && !errors.Is(err, broker.ErrNotFound) {
			return
		}
	}
	if rest && b.loop.Do(engine.PayRest{}).Err != nil {
		return
	}
	if failing {
		if r := b.loop.Do(engine.Probe{Failures: n}); r.Done {
			b.opts.Log.InfoContext(ctx, "the log can be written again")
		}
	}
}

// payDebt has the end of a call recorded that the store could not take.
func (b *Broker) payDebt(ctx context.Context, id string, failures int) bool {
	look, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	r, err := b.store.Request(look, id)
	in := engine.PayDebt{Call: r, Failures: failures}
	switch {
	case errors.Is(err, broker.ErrTampered):
		b.opts.Log.ErrorContext(ctx, "a call whose record failed is not as the log has it", "request_id", id, "err", err)
		in.Gone = true
	case errors.Is(err, broker.ErrNotFound):
		in.Gone = true
	case err != nil:
		return false
	}
	in.Call.ID = id
	return b.loop.Do(in).Err == nil
}

// maxReread is how many calls the sweeper reads again at a time.
const maxReread = 64

// tooBusy reports whether r was not read because the vetter had too much to do.
func tooBusy(r *broker.Request) bool { return r.Assessment != nil && r.Assessment.Unread == vet.Busy }

// reread reads calls again that tooBusy picked, so that rules and the screen have more than their
// raw text.
func (b *Broker) reread(ids []string) {
	for _, id := range ids {
		b.Reread(id)
	}
}
