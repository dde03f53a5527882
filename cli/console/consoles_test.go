package console

import (
	"log/slog"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// Without a console a call waits half a minute: from when it was asked, or from when the last console
// left. One that was put off waits for its person, however long.
func TestCallsThatNobodySees(t *testing.T) {
	ctx := t.Context()
	b, err := service.New(ctx, brokertest.NewMemory(), service.Options{Alive: func(broker.Process) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	ask := func(use string) broker.Request {
		t.Helper()
		r, err := b.Submit(ctx, broker.Question{Bound: true, Headless: true, Correlation: "talk", Request: broker.Request{
			SessionID: "s", Agent: "claude", Event: "PreToolUse", ToolName: "Bash", ToolInput: []byte(`{"command":"make"}`),
			ToolUseID: use, Key: broker.ToolKey("claude", "s", "", "PreToolUse", use), CWD: "/p",
		}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	waits, late := ask("toolu_1"), ask("toolu_2")
	if _, err := b.Defer(ctx, late.ID, broker.Actor{Kind: broker.ByOperator}); err != nil {
		t.Fatal(err)
	}
	a := &App{Broker: b, log: slog.New(slog.DiscardHandler)}
	asked, nobody := waits.CreatedAt, func() bool { return false }
	state := func(r broker.Request) broker.State {
		t.Helper()
		r, err := b.Request(ctx, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r.State
	}
	a.denyUnseen(ctx, asked.Add(emptyFor-time.Second), asked.Add(-time.Hour), nobody, nobodyThere)
	a.denyUnseen(ctx, asked.Add(time.Hour), asked.Add(time.Hour-emptyFor+time.Second), nobody, nobodyThere)
	if got := state(waits); got != broker.Pending {
		t.Fatalf("it is %s before its time", got)
	}
	a.denyUnseen(ctx, asked.Add(emptyFor), asked.Add(-time.Hour), func() bool { return true }, nobodyThere)
	if got := state(waits); got != broker.Pending {
		t.Fatalf("it is %s when somebody has come", got)
	}
	a.denyUnseen(ctx, asked.Add(emptyFor), asked.Add(-time.Hour), nobody, nobodyThere)
	if got := state(waits); got != broker.Denied {
		t.Errorf("after its time it is %s", got)
	}
	if got := state(late); got != broker.Pending {
		t.Errorf("a call that was put off is %s", got)
	}
}
