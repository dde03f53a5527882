package service_test

import (
	"context"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// TestSetAside: a call is set aside at the second console that ended without a word while
// it waited; orderly ends do not count, nor do ends before it was asked.
func TestSetAside(t *testing.T) {
	for _, tt := range []struct {
		name string
		ends string // how each console ended while the call waited: c in order, x without a word
		want broker.State
	}{
		{"once", "x", broker.Pending},
		{"twice", "xx", broker.Denied},
		{"in order", "cccc", broker.Pending},
		{"once between orderly ends", "cxcc", broker.Pending},
		{"twice with orderly ends between", "cxccx", broker.Denied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := brokertest.NewMemory()
			b := startOver(t, st)
			older := ask(t, b, "older")
			if _, err := b.Decide(t.Context(), older.ID, broker.Decision{Verdict: broker.Deny, By: broker.Actor{Kind: broker.ByOperator}}); err != nil {
				t.Fatal(err)
			}
			req := ask(t, b, "call")
			for _, end := range tt.ends {
				if end == 'c' {
					_ = b.Close()
				}
				b = startOver(t, st)
			}
			got, err := b.Request(t.Context(), req.ID)
			if err != nil || got.State != tt.want {
				t.Fatalf("the call is %s (%v), want %s", got.State, err, tt.want)
			}
			if tt.want != broker.Denied {
				return
			}
			if got.Outcome.By != (broker.Actor{Kind: broker.ByBroker, ID: broker.AsideID}) {
				t.Errorf("ended by %+v", got.Outcome.By)
			}
			again := ask(t, b, "another call")
			if again.State != broker.Pending || again.Assessment.Unread == "" || again.Legible {
				t.Errorf("the same text in another call is %s, unread %q, legible %v", again.State, again.Assessment.Unread, again.Legible)
			}
			if same := ask(t, b, "call"); same.ID != req.ID || same.State != broker.Denied {
				t.Errorf("asked again, the call is %s %s", same.ID, same.State)
			}
		})
	}
}

// startOver starts a broker beside those that went without a word.
func startOver(t *testing.T, st broker.Store) *service.Broker {
	t.Helper()
	b, err := service.New(context.Background(), st, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func ask(t *testing.T, b *service.Broker, key string) broker.Request {
	t.Helper()
	r, err := b.Submit(t.Context(), broker.Question{Request: broker.Request{
		Key: key, SessionID: "s", Agent: "claude", Event: "PreToolUse", ToolName: "Bash", ToolInput: []byte(`{"command":"make"}`), CWD: "/p",
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
