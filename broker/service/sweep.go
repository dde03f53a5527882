package service

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// sweepEvery is how often the broker looks after askers and agents that may have
// gone without a word.
const sweepEvery = 500 * time.Millisecond

func (b *Broker) sweep(ctx context.Context) {
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	last, waited := time.Now(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			stood := time.Since(last) > 2*sweepEvery && !waited
			if last, waited = time.Now(), stood; stood { // the broker stood still: who asked meanwhile is heard first
				t.Reset(sweepEvery)
				continue
			}
			b.cancelAbandoned(ctx)
			b.tellUnheard(ctx)
			b.noticeGone(ctx)
			b.watchRuns(ctx)
			b.mend(ctx)
			b.clearStrays(ctx)
			b.resumeLater(ctx)
			b.rereadLater(ctx)
			if b.watching.busy.CompareAndSwap(false, true) {
				b.wg.Go(func() { // a file system may take its time
					defer b.watching.busy.Store(false)
					b.watchSettings(ctx)
				})
			}
			b.noteFloods(ctx, false)
			b.publishHealth()
			b.forgetDeadAgents()
			b.countRefusals(ctx, time.Now())
		}
	}
}

// noticeGone marks sessions whose agent's process is no more. Of one that a runner holds,
// the runner tells how it ended.
func (b *Broker) noticeGone(ctx context.Context) {
	b.mu.Lock()
	watched := map[string]broker.Process{}
	for id, se := range b.sessions {
		if se.s.Process.PID != 0 && se.s.EndedAt.IsZero() && !se.savedAt.IsZero() && !se.s.Run.Running() {
			watched[id] = se.s.Process
		}
	}
	b.mu.Unlock()
	for id, p := range watched {
		if b.opts.Alive(p) {
			continue
		}
		err := b.changeSession(ctx, broker.Question{Request: broker.Request{SessionID: id}}, func(s *broker.Session) []*broker.Event {
			if s.Process != p {
				return nil // resumed as another process meanwhile
			}
			return broker.EndSession(now(), s, broker.SessionGone, nil, "gone")
		})
		if err == nil {
			b.cancelCallsOf(ctx, id, p)
		}
	}
}

// cancelCallsOf ends what waits for a process of session id that is gone. Another process
// may have resumed the session meanwhile, and wait for an answer of its own.
func (b *Broker) cancelCallsOf(ctx context.Context, id string, gone broker.Process) {
	b.mu.Lock()
	var ids []string
	if se, ok := b.sessions[id]; ok {
		resumed := se.s.Process != gone
		for call, e := range se.pending {
			if e.agent == gone || e.agent.PID == 0 && !resumed {
				ids = append(ids, call)
			}
		}
	}
	b.mu.Unlock()
	if len(ids) > 0 {
		_, _ = b.endAll(ctx, ids, broker.Outcome{State: broker.Cancelled, By: broker.Actor{Kind: broker.ByAgent}, Reason: "the agent's process is gone"}, nil)
	}
}

// publishHealth tells watchers what changes too often to be told each time: the log's
// end and how often rules spoke.
func (b *Broker) publishHealth() {
	seq, hash := b.store.Head()
	b.mu.Lock()
	defer b.mu.Unlock()
	if seq != b.health.LogSeq {
		b.health.LogSeq, b.health.LogHash = seq, hash
		b.publish(broker.Update{Health: new(b.health)})
	}
	if b.keeper.counted {
		b.publishRules()
	}
}
