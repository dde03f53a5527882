package service

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// hungUpGrace is how long a call waits for an asker that hung up while it waited: longer
// than the longest pause after which a hook client asks again (half a second).
const hungUpGrace = 1200 * time.Millisecond

// mayBeAway is how long nobody may ask for e's answer before its asker counts as gone.
func (e *entry) mayBeAway(usual time.Duration) time.Duration {
	switch {
	case e.hungUp:
		return min(hungUpGrace, usual)
	case e.polled:
		return max(usual, e.again)
	}
	return usual
}

// noteLook notes that somebody looks for the answer of request id, a question of the plain
// API, and looks again within that time. From now on the question is theirs: when they stay
// away, it is cancelled.
func (b *Broker) noteLook(id string, again time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.requests[id]; ok && e.req.Event == "" {
		e.polled, e.again = e.polled || !e.bound, again
		e.bound, e.leftAt, e.hungUp = true, time.Now(), false
	}
}

// absence is a call for whose answer nobody asks now.
type absence struct {
	id     string
	asker  broker.Process
	leftAt time.Time
	most   time.Duration // that it may last
	why    string        // the call then ends
}

// cancelAbandoned ends requests whose asker is dead, or alive but away for too long.
func (b *Broker) cancelAbandoned(ctx context.Context) {
	var over []absence
	for _, a := range b.absences() {
		if b.isAway(a) {
			over = append(over, a)
		}
	}
	for why, ids := range b.stillAway(over) {
		_, _ = b.endAll(ctx, ids, broker.Outcome{State: broker.Cancelled, By: broker.Actor{Kind: broker.ByAgent}, Reason: why}, nil)
	}
}

// isAway reports whether an asker is dead, or alive but away for too long.
func (b *Broker) isAway(a absence) bool {
	away := time.Since(a.leftAt)
	return away > a.most || a.asker.PID != 0 && away >= sweepEvery/2 && !b.opts.Alive(a.asker)
}

func (b *Broker) absences() []absence {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []absence
	for _, se := range b.sessions {
		for id, e := range se.pending {
			if !e.saved || !e.bound || e.attached > 0 || e.claimed {
				continue
			}
			why := "the hook that asked is gone"
			if e.req.Event == "" {
				why = "the program that asked is gone"
			}
			list = append(list, absence{id, e.req.Asker, e.leftAt, e.mayBeAway(b.opts.AskerGrace), why})
		}
	}
	return list
}

// stillAway leaves out those that were asked for again meanwhile, and returns the others'
// ids by why they end.
func (b *Broker) stillAway(list []absence) map[string][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	away := map[string][]string{}
	for _, a := range list {
		if e, ok := b.requests[a.id]; ok && e.attached == 0 && e.leftAt.Equal(a.leftAt) {
			away[a.why] = append(away[a.why], a.id)
		}
	}
	return away
}
