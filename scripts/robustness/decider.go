package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// decider answers waiting calls until ctx ends, by the operator's keys or over the
// socket, sometimes several at once for one call, sometimes one that is long decided.
func (w *world) decider(ctx context.Context, n uint64) {
	r := w.dice("decider", n)
	for pause(ctx, time.Duration(r.IntN(30))*time.Millisecond) {
		if c, ok := w.someRecent(r); ok && r.IntN(8) == 0 {
			w.decideAll(ctx, c, r, 1)
			continue
		}
		for _, c := range w.listed(ctx, r) {
			several := 1
			if r.IntN(5) == 0 {
				several = 2 + r.IntN(3)
			}
			w.decideAll(ctx, c, r, several)
		}
	}
}

// listed reads which calls wait and picks a few that may be decided.
func (w *world) listed(ctx context.Context, r *rand.Rand) []recentCall {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	inv := w.now()
	rep, err := w.client.Do(ctx, http.MethodGet, "/approval-requests?status=pending", nil)
	if err != nil || rep.Status != http.StatusOK {
		return nil
	}
	ret := w.now()
	var waiting []answer
	if json.Unmarshal(rep.Body, &waiting) != nil {
		return nil
	}
	r.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
	var picks []recentCall
	for _, a := range waiting[:min(len(waiting), 4)] {
		name := a.ToolUse
		if name == "" {
			name = a.ID
		}
		h := w.history(a.Session)
		if h == nil {
			continue
		}
		req := h.request(name)
		if req == nil {
			continue
		}
		h.named(name, a.ID)
		o := &op{Kind: "see", Call: req.call, Slot: req.slot, Road: "list", Out: done, Seen: pending}
		if h.begin(o) {
			h.end(o)
			o.Inv, o.Ret = inv, ret
		}
		if req.notYet > ret {
			continue
		}
		c := recentCall{session: a.Session, name: name, id: a.ID, digest: a.Digest}
		if req.leave {
			w.remember(c)
			continue
		}
		picks = append(picks, c)
	}
	return picks
}

// decideAll has several deciders answer c at the same time.
func (w *world) decideAll(ctx context.Context, c recentCall, r *rand.Rand, several int) {
	var wg sync.WaitGroup
	for range several {
		allow, road, look := r.IntN(5) < 3, r.IntN(10), r.IntN(3) == 0
		wg.Go(func() { w.decide(ctx, c, allow, road, look) })
	}
	wg.Wait()
	w.remember(c)
}

// decide answers c and, if look is set, reads at once what became of it.
func (w *world) decide(ctx context.Context, c recentCall, allow bool, road int, look bool) *op {
	h := w.history(c.session)
	if h == nil {
		return nil
	}
	req := h.request(c.name)
	o := &op{Kind: "decide", Call: req.call, Slot: req.slot, Allow: allow}
	s := w.current()
	if s == nil || s.real || road == 0 || !allow && road < 5 {
		w.decideBySocket(ctx, h, o, c.id)
	} else if road < 7 {
		w.decideByConsole(ctx, h, o, order{ID: c.id, Digest: c.digest, Allow: allow})
	} else {
		w.decideByKey(ctx, h, o, s, order{ID: c.id, Digest: c.digest, Allow: allow})
	}
	if look && o.Ret != 0 {
		w.look(ctx, h, req, c.id, "read")
	}
	return o
}

func (w *world) decideBySocket(ctx context.Context, h *history, o *op, id string) {
	o.Road = "socket"
	word := "deny"
	if o.Allow {
		word = "allow"
	}
	w.exchange(ctx, h, o, http.MethodPost, "/approval-requests/"+id+"/decide", map[string]string{"decision": word}, func(_ int, a answer) {
		o.Seen, o.By = a.seen()
	})
}

func (w *world) decideByKey(ctx context.Context, h *history, o *op, s *server, k order) {
	o.Road = "key"
	if !h.begin(o) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	got, err := s.order(ctx, k)
	if errors.Is(err, errUnsent) {
		h.forget()
		return
	}
	w.received(h, o, got)
}

// look reads a request as it is now.
func (w *world) look(ctx context.Context, h *history, r *request, id, road string) (status, bool) {
	o := &op{Kind: "see", Call: r.call, Slot: r.slot, Road: road}
	w.exchange(ctx, h, o, http.MethodGet, "/approval-requests/"+id, nil, func(_ int, a answer) { o.Seen, o.By = a.seen() })
	if o.Out == missing {
		o.Seen = absent
	}
	return o.Seen, o.Out == missing || o.Out == done
}
