package service_test

import (
	"slices"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/proctree"
	"github.com/aoctl/aoctl/broker/service"
)

// An agent may have one process for all of its sessions: who ends one is told which others
// end with it, before and after.
func TestKillNamesSharers(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: func(broker.Process) bool { return true }})
	server, alone := peers.FindProcess(born(t, "echo $$; read x")), peers.FindProcess(born(t, "echo $$; read x"))
	for id, p := range map[string]broker.Process{"first": server, "second": server, "third": alone} {
		q := bash(id, id, "ls")
		q.Session.Process = p
		submit(t, b, q)
	}
	want := []proctree.Sharer{{SessionID: "second", Name: "second", PID: server.PID}}
	found, err := b.Processes(t.Context(), "first")
	must(t, err)
	for i := range found.Shared {
		found.Shared[i].Name = "second" // how it is called otherwise is the session's matter
	}
	if !slices.Equal(found.Shared, want) {
		t.Errorf("shared with %+v, want %+v", found.Shared, want)
	}
	if found, err = b.Processes(t.Context(), "third"); err != nil || len(found.Shared) > 0 {
		t.Errorf("%+v, %v: it is nobody else's", found.Shared, err)
	}
	_, done, err := b.Kill(t.Context(), "first", broker.Actor{Kind: broker.ByOperator})
	must(t, err)
	if len(done.Shared) != 1 || done.Shared[0].SessionID != "second" || !done.Over() {
		t.Errorf("killed %+v", done)
	}
}
