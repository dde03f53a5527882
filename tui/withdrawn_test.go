package tui

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/tuitest"
)

// A call that its asker took back cannot be allowed late, so it is not drawn as if it could.
func TestWithdrawnIsNotLate(t *testing.T) {
	for id, late := range map[string]bool{"": true, broker.WithdrawnID: false, broker.InterruptedID: false} {
		b := board.NewBoard()
		call := bash("r1", "s1", seconds(5), "make")
		b.Apply(broker.Update{Request: &call}, tuitest.Noon)
		end := settled(call, broker.Cancelled, broker.Actor{Kind: broker.ByAgent, ID: id}, "", tuitest.Noon)
		b.Apply(broker.Update{Request: &end}, tuitest.Noon)
		if _, kept := b.Cards["r1"]; kept != late {
			t.Errorf("ended by the agent as %q: its card stays: %v, want %v", id, kept, late)
		}
	}
}
