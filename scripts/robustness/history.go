package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// never is the return time of what may still take effect at any time.
const never = math.MaxInt64

const (
	digestA = 'A' // the call itself
	digestB = 'B' // another call under the same id
)

// op is one operation of a history. Times are nanoseconds since the trial began, on the
// driver's monotonic clock.
type op struct {
	Kind   string `json:"kind"`           // see callStep and sessionStep
	Call   string `json:"call,omitempty"` // the group of requests it is about; "" for the session
	Slot   int    `json:"slot,omitempty"` // which of them
	Digest byte   `json:"digest,omitempty"`
	Allow  bool   `json:"allow,omitempty"`
	Late   bool   `json:"late,omitempty"` // asked for after the request's time was over
	Out    result `json:"out,omitempty"`
	Seen   status `json:"seen,omitempty"`
	By     string `json:"by,omitempty"` // who ended it, as told
	Stop   bool   `json:"stop,omitempty"`
	Road   string `json:"road,omitempty"` // how it was sent
	Inv    int64  `json:"inv"`
	Ret    int64  `json:"ret"`
}

func (o *op) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s#%d", o.Kind, o.Slot)
	if o.Digest != 0 {
		fmt.Fprintf(&b, " call %c", o.Digest)
	}
	if o.Kind == "decide" {
		fmt.Fprintf(&b, " allow=%t late=%t", o.Allow, o.Late)
	}
	if o.Kind == "check stop" {
		fmt.Fprintf(&b, " %t", o.Stop)
	}
	fmt.Fprintf(&b, " → %s %s", o.Out, o.Seen)
	if o.By != "" {
		fmt.Fprintf(&b, " by %s", o.By)
	}
	if o.Road != "" {
		fmt.Fprintf(&b, " (%s)", o.Road)
	}
	return b.String()
}

// request is one request of a session, as the driver knows it.
type request struct {
	name    string // its tool use id, or its id
	call    string
	slot    int
	timeout time.Duration
	leave   bool  // nobody decides it
	abandon bool  // its hook is killed
	notYet  int64 // nobody decides it before
	id      string
}

// history is everything that was done to one session. Its methods may be called from
// any goroutine.
type history struct {
	session string
	now     func() int64

	mu       sync.Mutex
	idle     *sync.Cond
	ops      []*op
	requests map[string]*request // by name
	open     int                 // operations under way
	closed   bool
}

func newHistory(session string, now func() int64) *history {
	h := &history{session: session, now: now, requests: map[string]*request{}}
	h.idle = sync.NewCond(&h.mu)
	return h
}

// begin notes that o starts now. It reports false when the history is complete; then
// the operation must not be done.
func (h *history) begin(o *op) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.open++
	o.Inv = h.now()
	return true
}

// end notes that o returned; one whose outcome is not known returns never.
func (h *history) end(o *op) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.Ret = h.now()
	if o.Out == unknown {
		o.Ret = never
	}
	h.ops = append(h.ops, o)
	h.open--
	h.idle.Broadcast()
}

// forget notes that o, although it had begun, was never sent.
func (h *history) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open--
	h.idle.Broadcast()
}

// add notes operations that are complete.
func (h *history) add(list ...*op) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, list...)
}

// close ends the history and returns it, once nothing is under way any more.
func (h *history) close() []*op {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for h.open > 0 {
		h.idle.Wait()
	}
	return h.ops
}

func (h *history) know(r *request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests[r.name] = r
}

func (h *history) request(name string) *request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.requests[name]
}

// named notes under which id the broker keeps a request.
func (h *history) named(name, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.requests[name]; r != nil && id != "" {
		r.id = id
	}
}

func (h *history) idOf(r *request) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return r.id
}

// write keeps a history for who is to look into it.
func write(dir, name string, ops []*op) error {
	f, err := os.Create(filepath.Join(dir, name)) //nolint:gosec // G304: in our own folder
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	enc := json.NewEncoder(f)
	for _, o := range ops {
		if err := enc.Encode(o); err != nil {
			_ = f.Close()
			return fmt.Errorf("write the history: %w", err)
		}
	}
	return f.Close()
}
