package service

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
)

// A flood of attempts must not fill the log: of each kind, aim and peer the first ones of
// a minute are recorded one by one, and the others as a number.
const (
	refusalWindow  = time.Minute
	refusalsEach   = 5   // of one kind from one executable in a window
	refusalsInAll  = 60  // of all together in a window
	refusalSources = 256 // kinds and peers that are told apart
)

// refusals counts attempts. Guarded by Broker.mu.
type refusals struct {
	since   time.Time
	inAll   int
	sources map[string]*refusalSource
}

type refusalSource struct {
	count   int
	skipped int
	last    broker.RefusedData
}

// admit reports whether d is to be recorded by itself. Caller holds the broker's mu.
func (c *refusals) admit(d broker.RefusedData) bool {
	if c.sources == nil {
		c.sources = map[string]*refusalSource{}
	}
	name := strings.Join([]string{string(d.Kind), d.Wanted, d.By.Exe}, "\x00")
	s, ok := c.sources[name]
	if !ok && len(c.sources) >= refusalSources {
		name = "" // whoever comes under ever new names
		s, ok = c.sources[name]
	}
	if !ok {
		s = &refusalSource{}
		c.sources[name] = s
	}
	s.last, s.count, c.inAll = d, s.count+1, c.inAll+1
	if s.count > refusalsEach || c.inAll > refusalsInAll {
		s.skipped++
		return false
	}
	return true
}

// noteRefusal records an attempt, unless there are very many, and tells the console.
func (b *Broker) noteRefusal(ctx context.Context, req broker.Request, d broker.RefusedData) {
	b.mu.Lock()
	alone := b.refusals.admit(d)
	b.mu.Unlock()
	if alone {
		b.recordRefusal(ctx, req, d)
	}
}

func (b *Broker) recordRefusal(ctx context.Context, req broker.Request, d broker.RefusedData) {
	typ := broker.EventAccessRefused
	switch d.Wanted {
	case string(broker.Allow), "rule", "observe", broker.WantsUnfreeze:
		typ = broker.EventDecisionRefused
	}
	ev := broker.NewEvent(now(), typ, req, d)
	if err := b.commit(ctx, &broker.Change{Events: []*broker.Event{ev}}); err != nil {
		b.log.ErrorContext(ctx, "refused attempt not recorded", "request_id", req.ID, "kind", d.Kind, "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publish(broker.Update{Refused: &broker.Refused{At: ev.At, SessionID: req.SessionID, RequestID: req.ID, RefusedData: d}})
}

// countRefusals closes a window that is over: what was only counted in it is recorded.
func (b *Broker) countRefusals(ctx context.Context, now time.Time) {
	b.mu.Lock()
	c := &b.refusals
	var told []broker.RefusedData
	switch {
	case len(c.sources) == 0:
		c.since = now
	case now.Sub(c.since) >= refusalWindow:
		for _, s := range c.sources {
			if s.skipped > 0 {
				s.last.More = s.skipped - 1
				told = append(told, s.last)
			}
		}
		*c = refusals{since: now}
	}
	b.mu.Unlock()
	for _, d := range told {
		b.recordRefusal(ctx, broker.Request{}, d)
	}
}

// refused notes that r was turned away.
func (b *Broker) refused(r *http.Request, kind broker.RefusalKind, detail string) {
	d := broker.RefusedData{Wanted: wantedBy(r), Kind: kind, Detail: detail, By: peers.ActorOf(r)}
	b.noteRefusal(r.Context(), b.aboutRequest(r), d)
}

// wantedBy says what r asks for.
func wantedBy(r *http.Request) string {
	pattern := cmp.Or(r.Pattern, r.Method+" "+broker.Clip(r.URL.Path))
	switch {
	case strings.HasSuffix(pattern, "/cancel"):
	case strings.HasPrefix(pattern, "POST /approval-requests/") || strings.HasPrefix(pattern, "POST /tool-decisions/"):
		return string(broker.Allow) // refusing is open
	case strings.HasSuffix(pattern, "/rules") && r.Method != http.MethodGet, strings.HasSuffix(pattern, "/rules/{id}"):
		return "rule"
	case pattern == "POST /observe":
		return "observe"
	case pattern == "POST /unfreeze":
		return broker.WantsUnfreeze
	}
	return pattern
}

// aboutRequest is the call that r is about, as far as it is known in memory.
func (b *Broker) aboutRequest(r *http.Request) broker.Request {
	if wantedBy(r) != string(broker.Allow) {
		return broker.Request{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.requests[r.PathValue("id")]; ok && e.saved {
		return broker.Request{ID: e.req.ID, SessionID: e.req.SessionID}
	}
	return broker.Request{}
}
