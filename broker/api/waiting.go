package api

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// waiting holds the connections whose peers wait to be told something. Each was taken from the
// HTTP server. Waking is separate from knowing. A waiter that is woken looks for itself whether
// there is news, so a wake too many does no harm, and the loop that wakes never waits.
type waiting struct {
	engine   Engine // hears who waits for a call, and who has left
	view     View
	lines    lines        // who waits for news of a call, or of a session for its runner
	parked   sync.RWMutex // each who is parked holds it for reading, and the end locks it
	draining atomic.Bool  // those who wait are answered at once
}

// CallChanged wakes those who wait for call id: it has an end, or its deadline moved.
func (wt *waiting) CallChanged(id string) { wt.lines.wake(id) }

// SessionChanged wakes the runner of session id.
func (wt *waiting) SessionChanged(id string) { wt.lines.wake(runnerLine(id)) }

// Drain makes held polls answer at once, so that a shutdown need not wait for them. The flag is
// set before the engine hears of it and before anybody is woken, so that whoever looks sees it.
func (wt *waiting) Drain() {
	wt.draining.Store(true)
	wt.engine.Tell(engine.Closing{Drain: true})
	wt.lines.wakeAll()
}

// park takes w's connection from the HTTP server and hands it to wait, which runs beside
// and sends the answer. The connection ends with it. A second request in it would be lost, so a
// peer that sent more is hung up on instead: nobody of ours speaks before the answer.
//
// The end waits for the server's connections and then for parked, so parked counts it first.
func (wt *waiting) park(w http.ResponseWriter, wait func(*Parked)) {
	if !wt.parked.TryRLock() {
		fail(w, broker.ErrClosed)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		wt.parked.RUnlock()
		fail(w, fmt.Errorf("take the connection: %w", err))
		return
	}
	silent := buffered.Reader.Buffered() == 0
	go func() {
		defer wt.parked.RUnlock()
		defer func() { _ = conn.Close() }()
		if silent {
			wait(&Parked{Conn: conn})
		}
	}()
}

// HoldCall waits until something is to be said about request id; false when the peer has
// left or spoke out of turn. Neither it nor its callers hold a Request: what they hold stays on the
// stack for as long as the call waits.
//
// It joins the line before it looks. News that come between the look and the wait wake it; the
// other way round they would be lost.
func (wt *waiting) HoldCall(p *Parked, id string, hold time.Duration) bool {
	wt.lines.join(id, p)
	defer wt.lines.leave(id, p)
	if wt.isNews(p, id) {
		return p.Conn.SetDeadline(time.Now().Add(writeTimeout)) == nil
	}
	// From here on the engine counts somebody as waiting, so an allow has a hearer.
	wt.engine.Tell(engine.Attach{ID: id})
	stays := p.await(time.Now().Add(hold), func() bool { return wt.isNews(p, id) })
	wt.engine.Tell(engine.Detach{ID: id, HungUp: !stays && !p.Polls})
	return stays
}

// HoldOrders waits until the runner of session id has to be told something, or the time is over; it
// is false when the runner has left or spoke out of turn. A later poll ends an earlier one. Two
// polls at once are one runner that came back after its connection broke without a word.
func (wt *waiting) HoldOrders(p *Parked, id string, wait time.Duration) bool {
	line := runnerLine(id)
	wt.lines.join(line, p)
	wt.lines.wake(line) // an earlier one ends
	defer wt.lines.leave(line, p)
	return p.await(time.Now().Add(wait), func() bool {
		_, ok := wt.view.Session(id)
		return !ok || wt.draining.Load() || wt.view.News(id) || wt.lines.later(line, p)
	})
}

// isNews reports whether there is anything to tell p of request id now. A call that is unknown is
// news: its asker is to read its end from the store.
func (wt *waiting) isNews(p *Parked, id string) bool {
	x, ok := wt.view.Seen(id, time.Now())
	r := &x.Request
	switch {
	case wt.draining.Load(), !ok: // it was decided and forgotten; its end is in the store
		return true
	case r.State.Terminal() || r.Checkpoint != nil && r.Event != "":
		// While a freeze keeps an answer back, it is none yet.
		return !x.Kept || !wt.view.Held(r.SessionID)
	}
	return !p.knowsDeadline(&x) // they would leave too early
}

// waiter waits for news, and looks for it when woken. Waking never blocks, and may happen twice.
// An interface, so that lines can be tried without connections.
type waiter interface{ wake() }

// lines has those who wait, by what they wait for: a request's id, or runnerLine of a session.
type lines struct {
	mu      sync.Mutex
	waiters map[string][]waiter
}

// runnerLine is the line of the runner that holds a session.
func runnerLine(sessionID string) string { return "runner\x1f" + sessionID }

// join adds w at the end of the line; later tells who came last.
func (l *lines) join(id string, w waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiters[id] = append(l.waiters[id], w)
}

// leave takes w out, and forgets the line when it is empty: there is a line for each call that
// ever waited.
func (l *lines) leave(id string, w waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if list := slices.DeleteFunc(l.waiters[id], func(o waiter) bool { return o == w }); len(list) > 0 {
		l.waiters[id] = list
	} else {
		delete(l.waiters, id)
	}
}

// wake holds the lock while it wakes, which sets a deadline and never blocks.
func (l *lines) wake(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.waiters[id] {
		w.wake()
	}
}

// later reports whether somebody joined a line after w.
func (l *lines) later(id string, w waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.waiters[id]
	return len(list) > 0 && list[len(list)-1] != w
}

// wakeAll wakes everybody, for a shutdown.
func (l *lines) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.waiters {
		for _, w := range list {
			w.wake()
		}
	}
}
