package service

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Between showing a call and allowing it, a link may be pointed elsewhere and a script
// be rewritten: what runs would not be what was shown. A stamp covers, for every path
// that the call names, where it leads, and for files that the call would change or run
// also which content they have.

// open reports whether e may still be allowed: it waits, or it is late. Caller holds
// Broker.mu.
func (e *entry) open() bool { return e.req.State == broker.Pending || time.Now().Before(e.lateUntil) }

// unchanged compares the files of a waiting or late call with what they were when it was
// shown. When one changed, the card starts anew with what is there now, and the error
// is ErrChanged: whoever wants to allow the call has to look again.
func (b *Broker) unchanged(ctx context.Context, id string) error {
	b.mu.Lock()
	e, ok := b.requests[id]
	if !ok || !e.open() {
		b.mu.Unlock()
		return nil // ended already: the caller learns that next
	}
	req, shown, project := e.req, e.stamp, b.projectOf(e.req)
	b.mu.Unlock()
	call, legible := b.read(req, project, req.Vouched(), b.opts.Vet.Call)
	now := workspace.CallStamp(call)
	if now == shown {
		return nil
	}
	a := b.assess(call, project, time.Now())
	b.mu.Lock()
	e.stamp, e.req.Assessment, e.req.Legible = now, &a, legible
	if e.open() {
		b.publish(broker.Update{Request: new(e.req)})
	}
	b.mu.Unlock()
	if was := req.Assessment; was != nil && was.Unread != a.Unread {
		return broker.ErrReadAnew
	}
	b.log.InfoContext(ctx, "a file of a waiting call changed", "request_id", id)
	return broker.ErrChanged
}

// restamp stamps and assesses the calls that an earlier broker left waiting or late:
// nobody has seen them here yet. There may be very many, and agents wait for the broker.
func (b *Broker) restamp() {
	calls := make(chan broker.Request)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for req := range calls {
				b.restampOne(req)
			}
		})
	}
	for _, req := range b.unassessed() {
		calls <- req
	}
	close(calls)
	wg.Wait()
}

func (b *Broker) restampOne(req broker.Request) {
	b.mu.Lock()
	project := b.projectOf(req)
	b.mu.Unlock()
	call, legible := b.read(req, project, req.Vouched(), b.opts.Vet.Call)
	stamp, a := workspace.CallStamp(call), b.assess(call, project, time.Now())
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.requests[req.ID]; ok { // it may have become late meanwhile
		if e.req.State == broker.Allowed || e.req.State == broker.Denied {
			stamp = "" // not of the files as they were when it was answered
		}
		e.stamp, e.req.Assessment, e.req.Legible = stamp, new(broker.AsWaiting(a, e.req, e.headless)), legible
	}
}
