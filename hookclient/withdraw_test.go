package hookclient

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"
)

// taken answers the routes that take a question back; the request's id is in the path.
func taken(c net.Conn, r heard) bool {
	id := strings.Split(r.path, "/")[2]
	return reply(200, `{"request_id":"`+id+`","status":"cancelled","decision":"deny"}`+"\n")(c, r)
}

var unknown = reply(404, `{"error":{"code":"not_found","message":"not found"}}`+"\n")

// endsWith runs c until it has sent n requests, then ends its context.
func (b *fakeBroker) endsWith(t *testing.T, n int, ask func(context.Context) error) []heard {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- ask(ctx) }()
	var got []heard
	for range n {
		select {
		case r := <-b.requests:
			got = append(got, r)
		case err := <-done:
			t.Fatalf("ended with %v after %d of %d requests", err, len(got), n)
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v, want context.Canceled", err)
	}
	for {
		select {
		case r := <-b.requests:
			got = append(got, r)
		default:
			return got
		}
	}
}

func TestCancelledAskTakesItsQuestionBack(t *testing.T) {
	b := newBroker(t, created, silent, unknown, hangUp, taken)
	l := testLimits()
	l.silence, l.leave = 20*time.Second, 20*time.Second
	got := b.endsWith(t, 2, func(ctx context.Context) error { _, err := ask(ctx, someRequest(b), l); return err })
	if len(got) != 5 {
		t.Fatalf("the console heard %d requests, want 5: the question, a wait and three tries to take it back", len(got))
	}
	id := requestID(got[0])
	for _, r := range got[2:] {
		var body struct{ Reason string }
		if err := json.Unmarshal(r.body, &body); err != nil || body.Reason != reasonCancelled || r.method+r.path != "POST/approval-requests/"+id+"/cancel" {
			t.Errorf("taken back with %s %s %s", r.method, r.path, r.body)
		}
	}
}

// A hook knows no id before it is told to wait; afterwards it uses it.
func TestHookTakesItsQuestionBack(t *testing.T) {
	l := testLimits()
	l.silence, l.leave = 20*time.Second, 20*time.Second
	const wait = `{"request_id":"r1","status":"pending"}` + "\n"
	for name, tc := range map[string]struct {
		steps []step
		path  string
	}{
		"before an id": {[]step{silent, taken}, "/hooks/claude/cancel?reason=a+b%26c"},
		"with an id":   {[]step{reply(202, wait), silent, taken}, "/approval-requests/r1/cancel"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, tc.steps...)
			h := &hook{limits: l, begun: time.Now(), settings: settings{agent: "claude", console: address{socket: b.socket}, timeout: time.Minute}}
			got := b.endsWith(t, len(tc.steps)-1, func(ctx context.Context) error {
				c, err := h.conversation([]byte(payload))
				if err != nil {
					return err
				}
				err = c.run(ctx)
				if left := c.withdraw("a b&c"); left != nil {
					t.Errorf("not taken back: %v", left)
				}
				return err
			})
			first, last := got[0], got[len(got)-1]
			if last.method != "POST" || last.path != tc.path || last.correlation != first.correlation {
				t.Errorf("taken back with %s %s of %s, want %s of %s", last.method, last.path, last.correlation, tc.path, first.correlation)
			}
			if u, _ := url.Parse(last.path); u.Query().Has("reason") && (u.Query().Get("reason") != "a b&c" || string(last.body) != payload) {
				t.Errorf("the console reads %q with %s", u.Query().Get("reason"), last.body)
			}
		})
	}
}

func TestNothingToTakeBack(t *testing.T) {
	b := newBroker(t, taken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ask(ctx, someRequest(b), testLimits()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	select {
	case r := <-b.requests:
		t.Errorf("the console heard %s %s of a question that was never asked", r.method, r.path)
	default:
	}
}

// A console that does not answer, or not as one, keeps nobody: not for longer than leave.
func TestTakingBackIsBounded(t *testing.T) {
	for name, last := range map[string]step{"silent": silent, "gone": hangUp, "unknown": unknown, "refuses": reply(500, `{"error":{"code":"internal","message":"x"}}`+"\n")} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, created, silent, last)
			l := testLimits()
			l.silence, l.leave = 20*time.Second, 50*time.Millisecond
			b.endsWith(t, 2, func(ctx context.Context) error {
				d, err := ask(ctx, someRequest(b), l)
				if d.Allowed {
					t.Error("allowed")
				}
				return err
			})
		})
	}
}
