package runner

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient"
)

// caller makes one call of the console's API; see hookclient.Call.
type caller func(ctx context.Context, path string, body []byte, limit time.Duration) ([]byte, error)

// link tells the console what happens and asks it what to do. It waits for a console that is
// away: reports are kept meanwhile, in order, and told when the console is back. Several
// goroutines use it: the loop tells, pump delivers, orders polls.
type link struct {
	call  caller
	start wire.RunStart
	log   *slog.Logger

	mu      sync.Mutex
	queue   []wire.RunReport // oldest first; the first may be on its way
	bytes   int
	lost    int           // reports that were dropped
	trouble string        // why the last poll failed, as it was logged; only for orders
	away    bool          // the last call was not heard
	changed chan struct{} // closed and made anew when the queue or away change
}

// The pauses are short: a console that is restarted should find its sessions at once.
const (
	maxReports     = 2000
	maxReportBytes = 8 << 20
	pollTime       = 25 * time.Second
	callTime       = 20 * time.Second
	firstPause     = 100 * time.Millisecond
	longestPause   = 2 * time.Second
)

// newLink speaks to nobody yet.
func newLink(call caller, start wire.RunStart, log *slog.Logger) *link {
	return &link{call: call, start: start, log: log, changed: make(chan struct{})}
}

// path is below the session's own.
func (l *link) path(rest string) string { return "/runs/" + l.start.SessionID + rest }

// register says that this process holds the session. It may be said any number of times; a
// console that knows it answers the same.
func (l *link) register(ctx context.Context) error {
	l.mu.Lock()
	start := l.start
	l.mu.Unlock()
	_, err := l.call(ctx, "/runs", encode(start), callTime)
	l.heard(err)
	return err
}

// heard notes whether the console is there.
func (l *link) heard(err error) {
	// A console that refuses is there.
	away := err != nil && !errors.Is(err, hookclient.ErrRefused)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away != away {
		l.away = away
		l.wake()
	}
}

// wake tells those who wait that something changed. Caller holds mu.
func (l *link) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// tell queues a report. It never waits. Over the bounds the least important report goes.
func (l *link) tell(r wire.RunReport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A console that comes later is told of the agent by the registration, and not of the first
	// message a second time.
	if r.Kind == wire.ReportAgent {
		l.start.AgentPID, l.start.Prompt = r.PID, ""
	}
	l.queue = append(l.queue, r)
	l.bytes += sizeOf(r)
	for len(l.queue) > maxReports || l.bytes > maxReportBytes {
		if !l.shed() {
			break
		}
	}
	l.wake()
}

// sizeOf is about what a report takes in memory.
func sizeOf(r wire.RunReport) int { return len(r.Text) + len(r.Error) + 128 }

// shed drops the oldest report that may be. Where there is none, of two idles the first:
// what the second counts is all of it. The first of the queue may be on its way. Reports that are
// never dropped are few: starts, ends, answers to orders.
func (l *link) shed() bool {
	i := 1 + slices.IndexFunc(l.queue[1:], func(r wire.RunReport) bool {
		switch r.Kind {
		case wire.ReportSaid, wire.ReportNote, wire.ReportStep, wire.ReportWorking:
			return true
		}
		return false
	})
	if i == 0 {
		i = 1 + slices.IndexFunc(l.queue[1:], func(r wire.RunReport) bool { return r.Kind == wire.ReportIdle })
		later := i > 0 && slices.ContainsFunc(l.queue[i+1:], func(r wire.RunReport) bool { return r.Kind == wire.ReportIdle })
		if !later {
			return false
		}
	}
	l.bytes -= sizeOf(l.queue[i])
	l.queue = slices.Delete(l.queue, i, i+1)
	l.lost++
	return true
}

// pump tells what is queued until ctx ends. A report leaves the queue once it was delivered, so
// after a crash of the console it is rather told twice than not at all.
func (l *link) pump(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		r, ok := l.next(ctx)
		if !ok {
			return
		}
		if l.deliver(ctx, r) {
			l.sent(r)
			pause = firstPause
			continue
		}
		sleep(ctx, pause)
		pause = min(2*pause, longestPause)
	}
}

// next is the first report of the queue, once there is one.
func (l *link) next(ctx context.Context) (wire.RunReport, bool) {
	for {
		l.mu.Lock()
		if len(l.queue) > 0 {
			r := l.queue[0]
			l.mu.Unlock()
			return r, true
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return wire.RunReport{}, false
		}
	}
}

// sent takes the first report from the queue. What was dropped is told once it can be told.
func (l *link) sent(r wire.RunReport) {
	l.mu.Lock()
	l.bytes -= sizeOf(r)
	l.queue = l.queue[1:]
	lost := l.lost
	l.lost = 0
	l.wake()
	l.mu.Unlock()
	if lost > 0 {
		l.tell(wire.RunReport{Kind: wire.ReportNote, Text: strconv.Itoa(lost) + " reports of what was said and seen were dropped while no console took them"})
	}
}

// deliver tells one report. It is true when the console has it, or will never take it. A refusal
// that will not change is logged, and the report is given up: it would hold up all others.
func (l *link) deliver(ctx context.Context, r wire.RunReport) bool {
	// A console that was away may be a new one, which must hear first who speaks.
	if l.isAway() && l.register(ctx) != nil {
		return false
	}
	_, err := l.call(ctx, l.path("/reports"), encode(r), callTime)
	l.heard(err)
	if err == nil {
		return true
	}
	var status *hookclient.StatusError
	if !errors.As(err, &status) {
		return false
	}
	l.log.Warn("report refused", "kind", r.Kind, "status", status.Status, "err", err)
	switch {
	// Too fast, or the console's own trouble: later it may go.
	case status.Status == 429, status.Status >= 500:
		return false
	// It was restarted, or restored from a backup, between two calls.
	case unregistered(status):
		if l.register(ctx) != nil {
			return false
		}
		_, err = l.call(ctx, l.path("/reports"), encode(r), callTime)
		l.heard(err)
		return err == nil || errors.As(err, &status) && status.Status < 429
	}
	return true
}

// unregistered reports that the console does not know this runner.
func unregistered(s *hookclient.StatusError) bool {
	return s.Status == 404 || s.Code == "not_the_runner" || s.Code == "not_managed"
}

// isAway reports whether the last call found no console.
func (l *link) isAway() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.away
}

// poll asks once for the orders. The console answers after wait at the latest; callTime more is
// for the way.
func (l *link) poll(ctx context.Context, wait time.Duration) ([]wire.RunOrder, error) {
	path := l.path("/orders?timeout=" + strconv.FormatFloat(wait.Seconds(), 'f', -1, 64))
	raw, err := l.call(ctx, path, nil, wait+callTime)
	// A poll that we end ourselves says nothing of the console.
	if ctx.Err() == nil {
		l.heard(err)
	}
	if err != nil {
		return nil, err
	}
	var o wire.RunOrders
	if err = json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	return o.Orders, nil
}

// orders hands over every answer to a poll until ctx ends. take is given every answer, also an
// empty one: that a message is no longer wanted shows only there.
func (l *link) orders(ctx context.Context, take chan<- []wire.RunOrder) {
	pause := firstPause
	for ctx.Err() == nil {
		begun := time.Now()
		list, err := l.registeredPoll(ctx)
		l.logTrouble(ctx, err)
		if err != nil {
			sleep(ctx, pause)
			pause = min(2*pause, longestPause)
			continue
		}
		pause = firstPause
		select {
		case take <- list:
		case <-ctx.Done():
			return
		}
		if time.Since(begun) < firstPause { // a console that says the same at once must not keep us busy
			sleep(ctx, firstPause)
		}
	}
}

// registeredPoll polls once a console that was away knows of us again.
func (l *link) registeredPoll(ctx context.Context) ([]wire.RunOrder, error) {
	if l.isAway() {
		if err := l.register(ctx); err != nil {
			return nil, err
		}
	}
	list, err := l.poll(ctx, pollTime)
	var status *hookclient.StatusError
	if errors.As(err, &status) && unregistered(status) {
		_ = l.register(ctx) // the next poll tells
	}
	return list, err
}

// logTrouble writes down that orders cannot be had, and when that is over. The same trouble is
// written down once, however long it lasts.
func (l *link) logTrouble(ctx context.Context, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if l.trouble == text || ctx.Err() != nil {
		return
	}
	if l.trouble = text; err != nil {
		l.log.Warn("the console gives no orders", "err", err)
	} else {
		l.log.Info("the console gives orders again")
	}
}

// flush waits until everything was told, at most patience. It reports whether it was. It does not
// deliver anything itself; pump must be running.
func (l *link) flush(ctx context.Context, patience time.Duration) bool {
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		l.mu.Lock()
		left, changed := len(l.queue), l.changed
		l.mu.Unlock()
		if left == 0 {
			return true
		}
		select {
		case <-changed:
		case <-over.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// sleep ends with ctx.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
