package server

import (
	"crypto/ed25519"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// Whoever has a code can have machines come and go without end. What is remembered of them stays bounded, and what
// is not remembered leaves the stream.
func TestThoseWhoAreGoneAreBounded(t *testing.T) {
	const fleet = "team-abc123"
	code := members.Code{1}
	invite, err := code.Invite(members.Machine, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{
		log: slog.New(slog.DiscardHandler), now: time.Now, fleet: fleet, joined: map[uint64]joined{}, gone: map[string]gone{}, lines: map[uint64]line{},
		roster: members.Roster{Fleet: fleet, Invites: []members.Invite{invite}},
	}
	defer g.close()
	for n := range uint64(goneMost) {
		g.gone[strconv.FormatUint(n, 10)] = gone{n, invite.Key}
	}
	removed := map[uint64]bool{}
	const more = 5
	for n := uint64(goneMost); n < goneMost+more; n++ {
		_, private, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		k, err := keys.New(private)
		if err != nil {
			t.Fatal(err)
		}
		enrolment, goodbye, id := 2*n+1, 2*n+2, k.Public().ID()
		s, err := members.Enrol(code, k, fleet, "ci", members.Machine, time.Now())
		if err == nil {
			err = g.join(enrolment, id, s)
		}
		if err == nil {
			s, err = members.Withdraw(k, fleet, invite.Key)
		}
		if err == nil {
			err = g.leave(goodbye, id, s)
		}
		if err != nil {
			t.Fatalf("machine %d: %v", n, err)
		}
		for _, seq := range g.settle(func() {}) {
			removed[seq] = true
		}
		if !removed[enrolment] {
			t.Fatalf("the enrolment of machine %d stays", n)
		}
	}
	if len(g.gone) != goneMost || len(g.joined) != 0 || len(removed) != 2*more {
		t.Errorf("%d are gone, %d there, %d messages were removed", len(g.gone), len(g.joined), len(removed))
	}
}
