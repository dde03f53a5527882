package fleet

import (
	"crypto/ed25519"
	"slices"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

func key(t *testing.T, seed byte) keys.Key {
	t.Helper()
	k, err := keys.New(ed25519.NewKeyFromSeed(append(make([]byte, ed25519.SeedSize-1), seed)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A stolen runner that joined with a code for many is in no roster: it is out when its invite is, and
// so are those that came with it, but nobody else.
func TestPuttingAGuestOutClosesItsInvite(t *testing.T) {
	now := time.Now().UTC()
	owner := key(t, 1)
	r := members.Roster{Fleet: "team-abc123", Name: "team", Number: 1, At: now, Until: now.Add(time.Hour), Members: []members.Member{{Public: owner.Public(), Name: "ana", Role: members.Owner}}}
	codes := []members.Code{{1}, {2}}
	for _, c := range codes {
		in, err := c.Invite(members.Machine, now.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		r.Invites = append(r.Invites, in)
	}
	s, err := members.Begin(owner, r)
	if err != nil {
		t.Fatal(err)
	}
	book, err := members.NewBook(s)
	if err != nil {
		t.Fatal(err)
	}
	for seed, with := range map[byte]int{2: 0, 3: 0, 4: 1} {
		e, err := members.Enrol(codes[with], key(t, seed), r.Fleet, "ci", members.Machine, now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := book.Join(e, now); err != nil {
			t.Fatal(err)
		}
	}
	all, next := book.At(now), book.Roster()
	stolen, ok := all.Member(key(t, 2).Public().ID())
	if !ok {
		t.Fatal("it is not in the fleet")
	}
	if out := closeInvites(book, &next, &all, stolen); out != 2 || len(next.Invites) != 1 || !book.CameWith(key(t, 4).Public().Sign, next.Invites[0].Key) {
		t.Errorf("%d are out, and %d invites are open", out, len(next.Invites))
	}
	next = book.Roster()
	if out := closeInvites(book, &next, &all, r.Members[0]); out != 0 || len(next.Invites) != 2 {
		t.Errorf("with a person %d are out, and %d invites are open", out, len(next.Invites))
	}
	code, err := find(&all, all.Invites[0].ID()[:6])
	if err != nil {
		t.Fatal(err)
	}
	if out := closeInvites(book, &next, &all, code); out != 2 || len(next.Invites) != 1 || slices.Equal(next.Invites[0].Key, code.Sign) {
		t.Errorf("with a code %d are out, and %d invites are open", out, len(next.Invites))
	}
}

// Whoever joins chooses a name, which may be another's key.
func TestAWholeKeyIsNobodyElses(t *testing.T) {
	ben, other := key(t, 1).Public(), key(t, 2).Public()
	r := members.Roster{Members: []members.Member{
		{Public: other, Name: ben.ID(), Role: members.Machine},
		{Public: ben, Name: "ben", Role: members.Guard},
		{Public: key(t, 3).Public(), Name: ben.ID()[20:], Role: members.Machine},
	}}
	for _, who := range []string{ben.ID(), "ben"} {
		if m, err := find(&r, who); err != nil || m.Name != "ben" {
			t.Errorf("%s is %+v, %v", who, m, err)
		}
	}
	if m, err := find(&r, ben.ID()[20:]); err == nil {
		t.Errorf("the end of two keys is %+v", m)
	}
	if m, err := find(&r, "a code"); err == nil {
		t.Errorf("a code by that name is %+v", m)
	}
}
