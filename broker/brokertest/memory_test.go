package brokertest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
)

func TestMemory(t *testing.T) {
	brokertest.TestStore(t, func(*testing.T) broker.Store { return brokertest.NewMemory() })
}

func TestMemoryFailsBeforeItApplies(t *testing.T) {
	m, full := brokertest.NewMemory(), errors.New("disk full")
	r := brokertest.PendingRequest("r1", "s1")
	m.BeforeCommit(func(context.Context, *broker.Change) error { return full })
	if err := m.Record(t.Context(), brokertest.Asked(r)); !errors.Is(err, full) {
		t.Fatalf("Record = %v, want %v", err, full)
	}
	if _, err := m.Request(t.Context(), "r1"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("it was applied: %v", err)
	}
	m.BeforeCommit(nil)
	if err := m.Record(t.Context(), brokertest.Asked(r)); err != nil {
		t.Errorf("after the repair: %v", err)
	}
}

func TestMemoryFailsAfterItApplied(t *testing.T) {
	m, lost := brokertest.NewMemory(), errors.New("who knows")
	m.AfterCommit(func(context.Context, *broker.Change) error { return lost })
	if err := m.Record(t.Context(), brokertest.Asked(brokertest.PendingRequest("r1", "s1"))); !errors.Is(err, lost) {
		t.Fatalf("Record = %v, want %v", err, lost)
	}
	if _, err := m.Request(t.Context(), "r1"); err != nil {
		t.Errorf("it was not applied: %v", err)
	}
}

func TestMemoryReadsWhileACommitHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, ctx := brokertest.NewMemory(), t.Context()
		release := make(chan struct{})
		m.BeforeCommit(func(context.Context, *broker.Change) error { <-release; return nil })
		done := make(chan error)
		go func() { done <- m.Record(ctx, brokertest.Asked(brokertest.PendingRequest("r1", "s1"))) }()
		synctest.Wait() // the commit hangs in the hook, durably blocked
		if _, err := m.Request(ctx, "r1"); !errors.Is(err, broker.ErrNotFound) {
			t.Errorf("while it hangs: %v", err)
		}
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := m.Request(ctx, "r1"); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
