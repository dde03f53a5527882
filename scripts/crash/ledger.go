package main

import (
	"fmt"
	"maps"
	"sync"
)

// ledger is what the broker has acknowledged, kept by the one who kills it.
type ledger struct {
	mu     sync.Mutex
	whole  acks
	recent acks // since the last snapshot
	wrong  []error
}

// acks are acknowledgements by request id.
type acks struct {
	verdicts map[string]string // what the decider's Decide, or a deny over the socket, returned: "allowed", "denied"
	answered map[string]string // what the waiting agent was told: "allow", "deny"
	created  map[string]bool   // accepted calls
}

func newAcks() acks {
	return acks{verdicts: map[string]string{}, answered: map[string]string{}, created: map[string]bool{}}
}

func newLedger() *ledger { return &ledger{whole: newAcks(), recent: newAcks()} }

// decided notes that request id was acknowledged as decided.
func (l *ledger) decided(id, state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, ok := l.whole.verdicts[id]; ok && before != state {
		l.wrong = append(l.wrong, fmt.Errorf("request %s was acknowledged as %s and later as %s", id, before, state))
	}
	l.whole.verdicts[id] = state
	l.recent.verdicts[id] = state
}

// told notes what the agent that waited for request id was told.
func (l *ledger) told(id, verdict string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, ok := l.whole.answered[id]; ok && before != verdict {
		l.wrong = append(l.wrong, fmt.Errorf("the agent that asked %s was told %s and later %s", id, before, verdict))
	}
	l.whole.answered[id] = verdict
	l.recent.answered[id] = verdict
}

// accepted notes that the broker took request id on.
func (l *ledger) accepted(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole.created[id] = true
	l.recent.created[id] = true
}

// broken notes something that must not happen at all.
func (l *ledger) broken(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = append(l.wrong, err)
}

// snapshot returns what was acknowledged since the last one.
func (l *ledger) snapshot() ackState {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := ackState{acks: l.recent, wrong: l.wrong}
	l.recent = newAcks()
	return s
}

// all returns everything that was ever acknowledged.
func (l *ledger) all() ackState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ackState{acks: acks{
		verdicts: maps.Clone(l.whole.verdicts), answered: maps.Clone(l.whole.answered), created: maps.Clone(l.whole.created),
	}, wrong: l.wrong}
}

// ackState is a ledger at one moment.
type ackState struct {
	acks
	wrong []error
}
