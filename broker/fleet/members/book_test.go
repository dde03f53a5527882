package members

import (
	"errors"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/keys"
)

// invited is a book whose roster has the invite of a code.
func invited(t *testing.T, code Code, most Role, until time.Time) (*Book, Roster) {
	t.Helper()
	invite, err := code.Invite(most, until)
	if err != nil {
		t.Fatal(err)
	}
	first := roster(t, 1)
	first.Invites = []Invite{invite}
	b, err := NewBook(signed(t, 1, first))
	if err != nil {
		t.Fatal(err)
	}
	return b, first
}

// A machine is in the fleet with its enrolment, as long as the invite is; a person is not.
func TestBookAdmitsMachines(t *testing.T) {
	code := Code{1}
	until := noon.Add(time.Hour)
	b, first := invited(t, code, Operator, until)
	join := func(k keys.Key, role Role) (Member, error) {
		t.Helper()
		s, err := Enrol(code, k, first.Fleet, "dev", role, noon)
		if err != nil {
			t.Fatal(err)
		}
		return b.Join(s, noon)
	}
	machine, person := key(t, 7), key(t, 8)
	for range 2 {
		if _, err := join(machine, Machine); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := join(person, Operator); err != nil || m.Role != Operator {
		t.Fatalf("a person is turned away: %+v, %v", m, err)
	}
	at := func(now time.Time) (Roster, int) { r := b.At(now); return r, len(r.Members) - len(first.Members) }
	r, more := at(noon)
	if _, ok := r.Of(machine.Public().Sign); !ok || more != 1 {
		t.Errorf("%d members joined, machine %v", more, ok)
	}
	if _, more := at(until); more != 0 {
		t.Error("a machine stays when its invite is over")
	}
	// The next roster has no invites: who joined with them and is not in it is out.
	next := first
	next.Number, next.Invites = first.Number+1, nil
	if err := b.Follow(signed(t, 1, next)); err != nil {
		t.Fatal(err)
	}
	if _, more := at(noon); more != 0 {
		t.Error("a machine stays whose invite was taken back")
	}
	if _, err := join(machine, Machine); !errors.Is(err, ErrInvite) {
		t.Errorf("it joins again: %v", err)
	}
	if err := b.Follow(signed(t, 1, first)); !errors.Is(err, ErrOld) {
		t.Errorf("an old roster is taken: %v", err)
	}
}

// With an invite for many there are thousands of machines in no roster, and who is in the fleet is
// asked every second: their signatures are not verified again each time.
func TestWhoJoinedIsVerifiedOnce(t *testing.T) {
	code := Code{1}
	b, first := invited(t, code, Machine, noon.Add(time.Hour))
	const guests = 40
	for i := range byte(guests) {
		s, err := Enrol(code, key(t, 100+i), first.Fleet, "ci", Machine, noon)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Join(s, noon); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.At(noon).Members) - len(first.Members); n != guests {
		t.Fatalf("%d joined", n)
	}
	if n := testing.AllocsPerRun(1, func() { b.At(noon) }); n > 2*guests {
		t.Errorf("it takes %v allocations to say who is in the fleet: they are verified again", n)
	}
}

// A machine that joined with an invite takes that back, and nobody else does.
func TestBookLetsMachinesGo(t *testing.T) {
	code := Code{1}
	b, first := invited(t, code, Machine, noon.Add(time.Hour))
	machine, other := key(t, 7), key(t, 8)
	for _, k := range []keys.Key{machine, other} {
		s, err := Enrol(code, k, first.Fleet, "ci", Machine, noon)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Join(s, noon); err != nil {
			t.Fatal(err)
		}
	}
	in := func(k keys.Key) bool { r := b.At(noon); _, ok := r.Of(k.Public().Sign); return ok }
	invite := first.Invites[0].Key
	gone := func(k keys.Key, fleet string) error {
		_, err := b.Join(must(Withdraw(k, fleet, invite)), noon)
		return err
	}
	forged := must(Withdraw(machine, first.Fleet, invite))
	forged.Sig[0] ^= 1
	if _, err := b.Join(forged, noon); !errors.Is(err, keys.ErrForged) || !in(machine) {
		t.Errorf("a forged one: %v, in %t", err, in(machine))
	}
	for _, of := range []keys.Key{other, key(t, 9)} {
		another := must(machine.Sign(keys.KindGone, Goodbye{of.Public(), first.Fleet, invite}))
		if _, err := b.Join(another, noon); !errors.Is(err, keys.ErrForged) || !in(machine) || !in(other) {
			t.Errorf("one that names another: %v", err)
		}
	}
	if err := gone(machine, "other-fleet"); !errors.Is(err, ErrOther) || !in(machine) {
		t.Errorf("one of another fleet: %v, in %t", err, in(machine))
	}
	// Another box, or another invite: whoever lets it in does not take that either.
	for _, g := range []Goodbye{
		{keys.Public{Sign: machine.Public().Sign, Box: other.Public().Box}, first.Fleet, invite},
		{machine.Public(), first.Fleet, other.Public().Sign},
	} {
		if _, err := b.Join(must(machine.Sign(keys.KindGone, g)), noon); !errors.Is(err, ErrOther) || !in(machine) {
			t.Errorf("one of another member or invite: %v, in %t", err, in(machine))
		}
	}
	if err := gone(machine, first.Fleet); err != nil || in(machine) || !in(other) {
		t.Errorf("%v; it is in: %t, the other: %t", err, in(machine), in(other))
	}
	if _, err := b.Join(must(Enrol(code, machine, first.Fleet, "ci", Machine, noon)), noon); err != nil || in(machine) {
		t.Errorf("it comes again with the same invite: %v, in %t", err, in(machine))
	}
	if err := gone(key(t, 1), first.Fleet); !errors.Is(err, ErrInvite) {
		t.Errorf("one of the roster: %v", err)
	}
}

// A server hands over lists and enrolments side by side, each once: what comes before the list that has its invite
// is not lost, a goodbye neither.
func TestEnrolmentsBeforeTheirRoster(t *testing.T) {
	code := Code{1}
	late, with := invited(t, code, Machine, noon.Add(time.Hour))
	with.Number = 2
	without := with
	without.Number, without.Invites = 1, nil
	b, err := NewBook(signed(t, 1, without))
	if err != nil {
		t.Fatal(err)
	}
	job, short := key(t, 7), key(t, 8)
	var came []keys.Signed
	for _, k := range []keys.Key{job, short} {
		s, err := Enrol(code, k, with.Fleet, "dev", Machine, noon)
		if err != nil {
			t.Fatal(err)
		}
		came = append(came, s)
	}
	came = append(came, must(Withdraw(short, with.Fleet, with.Invites[0].Key)))
	for _, s := range came {
		if _, err := b.Join(s, noon); !errors.Is(err, ErrInvite) {
			t.Errorf("before the list: %v", err)
		}
	}
	if err := b.Follow(signed(t, 1, with)); err != nil {
		t.Fatal(err)
	}
	r := b.At(noon)
	if _, ok := r.Of(job.Public().Sign); !ok || len(r.Members) != len(without.Members)+1 || len(b.early) != 0 {
		t.Errorf("in the fleet are %+v, and %d wait", r.Members, len(b.early))
	}
	// What is junk stays bounded, and nothing that is known waits.
	if _, err := late.Join(came[0], noon.Add(2*time.Hour)); !errors.Is(err, ErrInvite) || len(late.early) != 0 {
		t.Errorf("too late: %v, and %d wait", err, len(late.early))
	}
	const size = 1 << 16
	for n := range 2 * maxEarly / size {
		_, _ = b.Join(keys.Signed{Body: make([]byte, size), By: []byte{byte(n)}}, noon)
	}
	if n := len(b.early); n != maxEarly/size-1 || b.early[n-1].enrolment.By[0] != 2*maxEarly/size-1 {
		t.Errorf("%d wait", n)
	}
}
