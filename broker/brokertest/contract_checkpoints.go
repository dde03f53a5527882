package brokertest

import (
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// PutOff is the change that puts r off. The caller sees to it that cp is about r: the store
// refuses a change in which they differ.
func PutOff(r broker.Request, cp broker.Checkpoint) *broker.Change {
	data, _ := json.Marshal(broker.CheckpointData{Checkpoint: cp})
	return &broker.Change{Checkpoint: &cp, Events: []*broker.Event{
		{At: Epoch, Type: broker.EventDeferred, SessionID: r.SessionID, RequestID: r.ID, Data: data},
	}}
}

// checkpoints tries that a call that was put off comes back with its session after any time,
// until its answer was given. Its agent may be resumed weeks later.
func (k keeper) checkpoints() {
	t, s := k.t, k.s
	r := PendingRequest("r1", "s1")
	// The session ended a month ago. It is loaded all the same, because a call of it waits.
	old := NewSession("s1")
	old.State, old.LastSeenAt = broker.SessionFinished, time.Now().Add(-30*24*time.Hour).UTC().Truncate(time.Millisecond)
	cp := broker.Checkpoint{
		RequestID: "r1", SessionID: "s1", ToolUseID: "toolu_1", CWD: "/src", Program: "/bin/agent", Args: []string{"--model", "m"},
		By: broker.Actor{Kind: broker.ByRule, ID: "x"}, At: Epoch, Process: broker.Process{PID: 7, Start: 9}, Correlation: "talk",
	}
	commit(t, s, Asked(r), &broker.Change{Sessions: []broker.Session{old}}, PutOff(r, cp))
	// Its session comes with it, since the broker needs it to resume the agent.
	loaded := func(want ...broker.Checkpoint) {
		t.Helper()
		saved, err := s.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		same(t, "checkpoints", saved.Checkpoints, want)
		if len(want) > 0 && (len(saved.Sessions) != 1 || saved.Sessions[0].ID != "s1") {
			t.Errorf("its session is not loaded: %v", saved.Sessions)
		}
	}
	loaded(cp)
	// The field is the one that may change without a word in the log: that a resume was begun.
	cp.ResumedAt = Epoch.Add(time.Hour) // which is in no event
	commit(t, s, &broker.Change{Checkpoint: &cp})
	// The answer is on record and its agent has not heard it: the checkpoint stays.
	commit(t, s, Ended(r, Outcome(broker.Allowed)))
	loaded(cp)
	// To drop what is not there is an error: it would mean that an answer was given twice.
	refuse(t, s, &broker.Change{DropCheckpoints: []string{"r2"}}, broker.ErrNotFound)
	commit(t, s, &broker.Change{DropCheckpoints: []string{"r1"}})
	loaded()
	refuse(t, s, &broker.Change{DropCheckpoints: []string{"r1"}}, broker.ErrNotFound)
}
