package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// settle waits until every request of a session has its end, or was never made, and
// notes how each was seen last.
func (w *world) settle(ctx context.Context, h *history) error {
	deadline := time.Now().Add(settleTime)
	for {
		open, err := w.readAll(ctx, h)
		if err == nil && open == "" {
			return nil
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the trial was ended
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: request %s still waits %s after the last who asked (%w)", h.session, open, settleTime, err)
		}
		pause(ctx, 150*time.Millisecond)
	}
}

// readAll reads all requests of a session at once; open names one that still waits.
func (w *world) readAll(ctx context.Context, h *history) (open string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	inv := w.now()
	rep, err := w.client.Do(ctx, http.MethodGet, "/approval-requests?limit=1000&session_id="+h.session, nil)
	if err != nil {
		return "?", err
	}
	var list []answer
	if err := json.Unmarshal(rep.Body, &list); err != nil {
		return "?", fmt.Errorf("list of requests: %d %s", rep.Status, rep.Body)
	}
	ret := w.now()
	found := map[string]answer{}
	for _, a := range list {
		name := a.ToolUse
		if name == "" {
			name = a.ID
		}
		if _, twice := found[name]; twice {
			return "", w.twice(name)
		}
		found[name] = a
		if a.Status == pending {
			open = name
		}
	}
	if open != "" {
		return open, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, r := range h.requests {
		o := &op{Kind: "see", Call: r.call, Slot: r.slot, Road: "last", Out: done, Seen: absent, Inv: inv, Ret: ret}
		if a, ok := found[name]; ok {
			o.Seen, o.By = a.seen()
		}
		h.ops = append(h.ops, o)
		delete(found, name)
	}
	for name := range found {
		return "", w.twice(name)
	}
	return "", nil
}

func (w *world) twice(name string) error {
	err := fmt.Errorf("there is a request %s that nobody asked, or two of it", name)
	w.violated(err)
	return err
}
