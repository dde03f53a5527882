package service

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// watchBuffer is how many updates a watcher may lag behind: the denial of a few
// thousand calls at once still fits.
const watchBuffer = 1 << 14

type watcher struct{ ch chan broker.Update }

// Watch returns the state and a channel of every later change; see Console.
func (b *Broker) Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	w := &watcher{ch: make(chan broker.Update, watchBuffer)}
	b.mu.Lock()
	defer b.mu.Unlock()
	snap := b.snapshot()
	if b.closed {
		close(w.ch)
		return snap, w.ch
	}
	b.watchers[w] = struct{}{}
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.dropWatcher(w)
	})
	return snap, w.ch
}

// snapshot copies what a console draws. Caller holds mu.
func (b *Broker) snapshot() broker.Snapshot {
	now := time.Now()
	s := broker.Snapshot{Health: b.health, Rules: b.ruleBook()}
	for _, e := range b.requests {
		if e.saved && (e.req.State == broker.Pending || now.Before(e.lateUntil)) {
			s.Requests = append(s.Requests, e.req)
		}
	}
	broker.SortRequests(s.Requests)
	for _, se := range b.sessions {
		if !se.savedAt.IsZero() {
			s.Sessions = append(s.Sessions, se.view())
		}
	}
	return s
}

// publish hands u to every watcher; one that is full is dropped and will ask for a
// new snapshot. Caller holds mu, which keeps updates in order.
func (b *Broker) publish(u broker.Update) {
	for w := range b.watchers {
		select {
		case w.ch <- u:
		default:
			b.dropWatcher(w)
		}
	}
}

// publishSession tells watchers of se, and its runner of what it shall do. Caller holds mu.
func (b *Broker) publishSession(se *sessionEntry) {
	se.wakeRunner()
	if len(b.watchers) > 0 && !se.savedAt.IsZero() {
		b.publish(broker.Update{Session: new(se.view())})
	}
}

// view is a copy of the session that others may keep. Caller holds mu.
func (se *sessionEntry) view() broker.Session {
	s := se.s
	s.Pending, s.Deferred = len(se.pending), len(se.deferred)
	s.Subagents = append([]broker.Subagent(nil), s.Subagents...)
	return s
}

// dropWatcher closes w, once. Caller holds mu.
func (b *Broker) dropWatcher(w *watcher) {
	if _, ok := b.watchers[w]; ok {
		delete(b.watchers, w)
		close(w.ch)
	}
}
