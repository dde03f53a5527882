package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// settleTime is how long the requests of a session may take to end once nobody asks
// any more: their own time, the broker's pauses and restarts, a locked database.
const settleTime = 40 * time.Second

// agent runs one session after the other until ctx ends; what has begun is brought to
// its end under work.
func (w *world) agent(ctx, work context.Context, n uint64) {
	r := w.dice("agent", n)
	for i := 0; ctx.Err() == nil; i++ {
		w.session(work, fmt.Sprintf("agent-%d.%d", n, i), r)
	}
}

// session makes some calls in a session of their own, stops it perhaps, waits until all
// is settled, and checks what happened.
func (w *world) session(ctx context.Context, name string, r *rand.Rand) {
	h := w.open(name)
	var wg sync.WaitGroup
	for i := range 4 + r.IntN(6) {
		dice := rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) //nolint:gosec // G404: load, no secrets
		wg.Go(func() { w.call(ctx, h, fmt.Sprintf("%s.%d", name, i), dice) })
		if !pause(ctx, time.Duration(r.IntN(150))*time.Millisecond) {
			break
		}
		switch r.IntN(12) {
		case 0, 1:
			w.stopAndLift(ctx, h, r)
		case 2:
			w.checkStop(ctx, h)
		}
	}
	wg.Wait()
	if ctx.Err() != nil {
		return
	}
	if err := w.settle(ctx, h); err != nil {
		w.violated(err)
		return
	}
	w.retire(h)
}

// call is one call of an agent: one or more who ask about it, at the same time or later.
func (w *world) call(ctx context.Context, h *history, name string, r *rand.Rand) {
	req := &request{
		name: name + "-a", call: name, leave: r.IntN(6) == 0,
		timeout: time.Duration(1000+r.IntN(3000)) * time.Millisecond,
	}
	if req.leave {
		req.timeout = time.Duration(300+r.IntN(900)) * time.Millisecond
	}
	road := r.IntN(4)
	if r.IntN(12) == 0 {
		req.abandon, req.leave, req.timeout, road = true, true, 5*time.Second, 0
	}
	if r.IntN(2) == 0 { // a person takes a while
		req.notYet = w.now() + int64(time.Duration(r.IntN(900))*time.Millisecond)
	}
	h.know(req)
	var wg sync.WaitGroup
	also := func(req *request, road int, digest byte) {
		dice := rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) //nolint:gosec // G404: load, no secrets
		wg.Go(func() { w.ask(ctx, h, req, road, digest, dice) })
	}
	also(req, road, digestA)
	if r.IntN(6) == 0 { // the same call under the same id
		also(req, sameRoad(road), digestA)
	}
	if r.IntN(6) == 0 { // another call under the same id
		also(req, sameRoad(road), digestB)
	}
	if r.IntN(6) == 0 { // the same call again
		twin := &request{name: name + "-b", call: name, slot: 1, timeout: req.timeout}
		h.know(twin)
		also(twin, r.IntN(4), digestA)
	}
	if road < 2 && r.IntN(12) == 0 {
		wg.Go(func() { w.settledElsewhere(ctx, h, req, r.IntN(300)) })
	}
	wg.Wait()
	switch r.IntN(4) {
	case 0: // who asks again gets the recorded answer
		w.ask(ctx, h, req, sameRoad(road), digestA, r)
	case 1:
		if req.leave {
			w.allowLate(ctx, h, req, r)
		}
	}
}

// sameRoad is a road on which the request of that road can be asked about again,
// without a process of its own.
func sameRoad(road int) int {
	if road < 2 {
		return 1
	}
	return 2
}

// ask asks about a request by one of four roads.
func (w *world) ask(ctx context.Context, h *history, req *request, road int, digest byte, r *rand.Rand) {
	a := asker{w: w, h: h, r: req, digest: digest, dice: r, hook: road < 2}
	switch road {
	case 0:
		a.process(ctx)
	case 3:
		h.named(req.name, req.name)
		a.poll(ctx)
	default:
		if !a.hook {
			h.named(req.name, req.name)
		}
		a.wait(ctx)
	}
}

// allowLate allows a call whose time is over: the agent's next such call may run.
func (w *world) allowLate(ctx context.Context, h *history, req *request, r *rand.Rand) {
	for range 20 {
		id := h.idOf(req)
		if id == "" {
			return
		}
		if st, ok := w.look(ctx, h, req, id, "read"); ok && st != pending {
			break
		}
		if !pause(ctx, 100*time.Millisecond) {
			return
		}
	}
	o := w.decide(ctx, recentCall{session: h.session, name: req.name, id: h.idOf(req)}, true, 9, false)
	if o == nil || o.Out != granted {
		return
	}
	for i, name := range []string{"-c", "-d"} { // it lets one of them run
		again := &request{name: req.call + name, call: req.call, slot: 2 + i, timeout: time.Second, leave: true}
		h.know(again)
		w.ask(ctx, h, again, 1, digestA, r)
	}
}

// settledElsewhere tells that the call has run: its user answered in the agent's own
// terminal.
func (w *world) settledElsewhere(ctx context.Context, h *history, req *request, after int) {
	if !pause(ctx, time.Duration(after)*time.Millisecond) {
		return
	}
	o := &op{Kind: "note", Call: req.call, Slot: req.slot}
	w.exchange(ctx, h, o, http.MethodPost, "/hooks/claude", map[string]any{
		"session_id": h.session, "cwd": "/", "hook_event_name": "PostToolUse", "tool_name": "Bash",
		"tool_input": map[string]any{"command": "make " + req.call}, "tool_use_id": req.name, "tool_response": map[string]any{},
	}, func(int, answer) {})
	if o.Ret != 0 {
		h.add(&op{Kind: "answer", Call: req.call, Slot: req.slot, Inv: o.Inv, Ret: never}) // somebody else's end may come first
	}
}

// stopAndLift stops the session, sometimes twice at a time, and most often lets its
// user speak again.
func (w *world) stopAndLift(ctx context.Context, h *history, r *rand.Rand) {
	var wg sync.WaitGroup
	for i := range 1 + r.IntN(3)/2 {
		wg.Go(func() {
			// A second stop beside the first need not wait for what the first denies.
			o := &op{Kind: "stop", Late: i > 0}
			w.exchange(ctx, h, o, http.MethodPost, "/sessions/"+h.session+"/stop", map[string]any{}, func(int, answer) {})
		})
	}
	wg.Wait()
	if r.IntN(2) == 0 {
		w.checkStop(ctx, h)
	}
	if !pause(ctx, time.Duration(r.IntN(600))*time.Millisecond) || r.IntN(4) == 0 {
		return
	}
	lift := &op{Kind: "lift"}
	w.exchange(ctx, h, lift, http.MethodPost, "/hooks/claude", map[string]any{
		"session_id": h.session, "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt": "go on",
	}, func(int, answer) {
		lift.Out = offered // it need not be taken for the user's: this process is older than the stop
	})
	w.checkStop(ctx, h)
}

func (w *world) checkStop(ctx context.Context, h *history) {
	o := &op{Kind: "check stop"}
	w.exchange(ctx, h, o, http.MethodGet, "/check-stop/"+h.session, nil, func(_ int, a answer) { o.Stop = a.Stop })
}
