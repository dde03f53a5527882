package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// A call that ends the console again and again must not keep everybody else from it. The
// log tells how many consoles ended without a word while a call waited: each start
// records, before anything of the calls is parsed or drawn, which ones it took up, and
// each orderly end that calls were left. A call at which two consoles ended is set aside:
// denied, and nothing of it is parsed any more.
//
// Only a count is kept, not a proof: a console that was killed, or that lost its power,
// counts like one that a call brought down. A call that is put off waits for days, and through
// many ends that have nothing to do with it: it is not denied, only not parsed any more.

// mostEnds is how many consoles may end without a word while a call waits.
const mostEnds = 2

// takeUp records that this console takes up the calls in saved, and takes out those that
// it must not: they are denied. It parses nothing. problem is why that could not be recorded.
func (b *Broker) takeUp(ctx context.Context, saved *broker.Saved, aside map[string]string) (problem string, err error) {
	if len(saved.Requests) == 0 {
		return "", nil
	}
	ends, err := b.uncleanEnds(ctx, saved.Requests)
	if err != nil {
		return "", fmt.Errorf("look how the last console ended: %w", err)
	}
	kept, c := saved.Requests[:0:0], &broker.Change{}
	putOff := broker.CheckpointsOf(*saved)
	now := broker.Instant(time.Now())
	taken := broker.TakenUpData{Ends: map[string]int{}}
	for _, r := range saved.Requests {
		if ends[r.ID] < mostEnds {
			kept = append(kept, r)
			taken.Ends[r.ID] = ends[r.ID]
			continue
		}
		if cp := putOff[r.ID]; cp != nil && cp.TakenUpAt.IsZero() { // it waits through any number of ends
			aside[r.Digest] = broker.WhyAside
			kept, taken.Ends[r.ID] = append(kept, r), ends[r.ID]
			continue
		}
		o := broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByBroker, ID: broker.AsideID}, Reason: broker.ReasonAside, At: now}
		c.Settle = append(c.Settle, broker.Settlement{ID: r.ID, Outcome: o})
		c.Events = append(c.Events, broker.NewEvent(now, broker.EventRequestDecided, r, broker.DecidedData{Status: o.State, By: o.By, Reason: o.Reason, ToolName: r.ToolName, Digest: r.Digest, WaitedMS: o.At.Sub(r.CreatedAt).Milliseconds()}))
		aside[r.Digest] = broker.WhyAside
		b.opts.Log.ErrorContext(ctx, "call set aside", "request_id", r.ID, "session_id", r.SessionID)
	}
	c.Events = append(c.Events, broker.NewEvent(now, broker.EventTakenUp, broker.Request{}, taken))
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	if err := b.store.Record(ctx, c); err != nil {
		// The calls wait on, and their agents with them; but what cannot be counted is
		// not parsed.
		b.opts.Log.ErrorContext(ctx, "taking up calls not recorded", "err", err)
		for _, r := range saved.Requests {
			aside[r.Digest] = broker.WhyUncounted
		}
		return err.Error(), nil
	}
	saved.Requests = kept
	return "", nil
}

// uncleanEnds says, by id, how many consoles ended without a word while a call waited.
// The newest word of a console tells how the last one ended; the one before it what was
// counted until then. A call that was asked after the last orderly end has seen one end that was
// not orderly. A record that cannot be read is an error: to guess could parse the text that ends
// consoles.
func (b *Broker) uncleanEnds(ctx context.Context, list []broker.Request) (map[string]int, error) {
	events, err := b.store.Events(ctx, broker.EventFilter{Console: true, Types: []string{broker.EventTakenUp, broker.EventConsoleClosed}, Limit: broker.MaxEndsLooked})
	if err != nil {
		return nil, err
	}
	var taken broker.TakenUpData
	for _, e := range events {
		if e.Type == broker.EventTakenUp {
			if err := json.Unmarshal(e.Data, &taken); err != nil {
				return nil, fmt.Errorf("event %d: %w", e.Seq, err)
			}
			break
		}
	}
	ends := make(map[string]int, len(list))
	for _, r := range list {
		ends[r.ID] = taken.Ends[r.ID]
		if len(events) == 0 || events[0].Type != broker.EventConsoleClosed || events[0].At.Before(r.CreatedAt) {
			ends[r.ID]++
		}
	}
	return ends, nil
}
