package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// How much goes on while the broker is killed.
const (
	hookClients = 24 // agents whose hooks wait for an answer
	pollers     = 8  // programs that create a request and poll
	deniers     = 2  // processes that deny over the socket
	sessions    = 12
)

// load is the clients. They live through the kills: what fails is asked again with
// the same correlation or id, as the real hook client does.
type load struct {
	sync.WaitGroup
	client ask.Client
	book   *ledger
}

func startLoad(ctx context.Context, socket string, book *ledger) *load {
	l := &load{client: ask.Client{Socket: socket}, book: book}
	forever := func(n int, once func(context.Context)) {
		for range n {
			l.Go(func() {
				for ctx.Err() == nil {
					once(ctx)
				}
			})
		}
	}
	forever(hookClients, l.hook)
	forever(pollers, l.poll)
	forever(deniers, l.deny)
	return l
}

// hook asks about one call until it has an answer.
func (l *load) hook(ctx context.Context) {
	correlation := uuid.NewString()
	c := ask.Call{
		Session: session(), ToolUse: "toolu_" + correlation, Tool: "Bash", CWD: "/",
		Input: map[string]any{"command": "make " + correlation},
	}
	for ctx.Err() == nil {
		a, err := l.client.Hook(ctx, c, correlation)
		if err == nil {
			l.book.accepted(a.RequestID)
			l.book.told(a.RequestID, a.Verdict)
			return
		}
		if e, ok := errors.AsType[*ask.Error](err); ok && e.Status < http.StatusInternalServerError {
			l.book.broken(fmt.Errorf("a plain question was refused: %w", err))
			return
		}
		pause(ctx)
	}
}

// poll creates a request under an id of its own, then asks for the decision.
func (l *load) poll(ctx context.Context) {
	id := uuid.NewString()
	body := map[string]any{
		"session_id": session(), "request_id": id, "tool_name": "Bash",
		"tool_input": map[string]string{"command": "make " + id},
	}
	if !l.until(ctx, http.MethodPost, "/create-approval-request", body, nil) {
		return
	}
	l.book.accepted(id)
	var out struct {
		Decision string `json:"decision"`
	}
	for ctx.Err() == nil {
		if !l.until(ctx, http.MethodGet, "/approval-requests/"+id+"/decision?timeout=1", nil, &out) {
			return
		}
		if out.Decision != "" {
			l.book.told(id, out.Decision)
			return
		}
	}
}

// deny refuses one waiting call over the socket, the way "aoctl deny" does.
func (l *load) deny(ctx context.Context) {
	var waiting []struct {
		ID string `json:"id"`
	}
	if !l.until(ctx, http.MethodGet, "/approval-requests?status=pending", nil, &waiting) || len(waiting) == 0 {
		pause(ctx)
		return
	}
	id := waiting[rand.IntN(len(waiting))].ID //nolint:gosec // G404: load, no secrets
	rep, err := l.client.Do(ctx, http.MethodPost, "/approval-requests/"+id+"/decide", map[string]string{"decision": "deny", "reason": "crash trial"})
	if err == nil && rep.Status == http.StatusOK {
		l.book.decided(id, "denied")
	}
	pause(ctx)
}

// until sends one request again and again, until it is answered well; it reports
// false when ctx ended first. An answer that blames the client is a defect.
func (l *load) until(ctx context.Context, method, path string, body, out any) bool {
	for ctx.Err() == nil {
		rep, err := l.client.Do(ctx, method, path, body)
		switch {
		case err != nil || rep.Status >= http.StatusInternalServerError:
			pause(ctx)
			continue
		case rep.Status >= http.StatusBadRequest:
			l.book.broken(fmt.Errorf("%s %s: %w", method, path, &ask.Error{Status: rep.Status, Body: string(rep.Body)}))
			return false
		}
		if out == nil {
			return true
		}
		if err := json.Unmarshal(rep.Body, out); err != nil {
			l.book.broken(fmt.Errorf("%s %s answered %q: %w", method, path, rep.Body, err))
			return false
		}
		return true
	}
	return false
}

func session() string { return fmt.Sprintf("crash-%d", rand.IntN(sessions)) } //nolint:gosec // G404: load, no secrets

// pause waits as long as a client does before it tries again.
func pause(ctx context.Context) {
	select {
	case <-time.After(time.Duration(5+rand.IntN(20)) * time.Millisecond): //nolint:gosec // G404: load, no secrets
	case <-ctx.Done():
	}
}
