package far

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Steps is a Broker whose steps somebody else makes, one after the other and at times of their own: the
// simulator. What each does is what Broker.Run has done at some time.
type Steps struct{ *Broker }

// NewSteps makes one. now is the console's clock, and pause is called where a Broker would wait before it
// tries something again.
func NewSteps(o Options, now func() time.Time, pause func()) Steps {
	b := New(o)
	b.now, b.pause = now, func(context.Context, time.Duration) { pause() }
	return Steps{b}
}

// Hear takes in what stands at a subject.
func (s Steps) Hear(subject string, body []byte) { s.hear(subject, body) }

// Again reports whether all is to be read anew.
func (s Steps) Again() bool { return len(s.again) > 0 }

// Begin says that all that there is comes from now on, until Begun.
func (s Steps) Begin() { s.begin() }

// Begun says that all has come.
func (s Steps) Begun() { s.begun() }

// Look looks what has become old, and asks what is to be asked.
func (s Steps) Look(ctx context.Context) {
	for _, ask := range s.look(ctx) {
		ask()
	}
}

// Drawn is all that is drawn.
func (s Steps) Drawn() broker.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

// Call is the machine of a call that is drawn under an id, and what the call is called there.
func (s Steps) Call(id string) (machine, there string, err error) {
	k, err := s.callAt(id)
	return k.machine, k.id, err
}

// Mirror is what is known of a machine, nil for one that is not in the fleet.
func (s Steps) Mirror(machine string) *Mirror {
	if p := s.peers[machine]; p != nil {
		return p.mirror
	}
	return nil
}
