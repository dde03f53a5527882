package members

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/keys/keystest"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

var key = keystest.Key

func member(tb testing.TB, seed byte, name string, role Role) Member {
	tb.Helper()
	return Member{Public: key(tb, seed).Public(), Name: name, Role: role}
}

// roster has an owner (1), an operator (2) and a machine (3).
func roster(tb testing.TB, number uint64) Roster {
	tb.Helper()
	return Roster{
		Fleet: "team-abc123", Name: "team", Number: number, At: noon, Until: noon.Add(7 * 24 * time.Hour),
		Members: []Member{member(tb, 1, "ana", Owner), member(tb, 2, "ben", Operator), member(tb, 3, "box", Machine)},
	}
}

func signed(tb testing.TB, seed byte, r Roster) keys.Signed {
	tb.Helper()
	s, err := key(tb, seed).Sign(keys.KindRoster, r)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestFollowTakesAnOwnersNextRosterAlone(t *testing.T) {
	now := roster(t, 4)
	next := roster(t, 5)
	next.Members = next.Members[:2]
	if got, err := now.Follow(signed(t, 1, next)); err != nil || len(got.Members) != 2 {
		t.Fatalf("the owner's next one: %+v, %v", got, err)
	}
	later := next
	later.Number = 9
	if _, err := now.Follow(signed(t, 1, later)); err != nil {
		t.Errorf("one that was missed in between does no harm: %v", err)
	}

	elsewhere := next
	elsewhere.Fleet = "team-xyz999"
	same := next
	same.Number = 4
	promoted := next
	promoted.Members = slices.Clone(next.Members)
	promoted.Members[1].Role = Owner
	for name, c := range map[string]struct {
		s    keys.Signed
		want error
	}{
		"an operator":          {signed(t, 2, next), ErrSigner},
		"a machine":            {signed(t, 3, next), ErrSigner},
		"a stranger":           {signed(t, 9, next), ErrSigner},
		"who makes itself one": {signed(t, 2, promoted), ErrSigner},
		"the number again":     {signed(t, 1, same), ErrOld},
		"of another fleet":     {signed(t, 1, elsewhere), ErrOther},
		"signed as an order":   {must(key(t, 1).Sign(keys.KindOrder, next)), keys.ErrForged},
		"what is no roster":    {must(key(t, 1).Sign(keys.KindRoster, Roster{})), ErrRoster},
		"under another's name": {keys.Signed{Body: signed(t, 2, next).Body, By: key(t, 1).Public().Sign, Sig: signed(t, 2, next).Sig}, keys.ErrForged},
		"many invited as more": {signed(t, 1, func() Roster {
			r := next
			r.Invites = []Invite{{Key: key(t, 9).Public().Sign, Role: Guard, Until: noon, Many: true}}
			return r
		}()), ErrRoster},
		"without an owner left": {signed(t, 1, func() Roster { r := next; r.Members = r.Members[1:]; return r }()), ErrRoster},
	} {
		if got, err := now.Follow(c.s); !errors.Is(err, c.want) || got.Number != 0 {
			t.Errorf("%s: %+v, %v, not %v", name, got, err, c.want)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Roster)
		want   string
	}{
		"id":       {func(r *Roster) { r.Fleet = "a.b.c.d.e" }, "id"},
		"star":     {func(r *Roster) { r.Fleet = "team-abc12*" }, "id"},
		"no name":  {func(r *Roster) { r.Name = "" }, "name"},
		"control":  {func(r *Roster) { r.Members[1].Name = "b\x1b[2Jen" }, "member's name"},
		"number":   {func(r *Roster) { r.Number = 0 }, "number"},
		"times":    {func(r *Roster) { r.Until = r.At }, "ends"},
		"role":     {func(r *Roster) { r.Members[1].Role = "king" }, "king"},
		"twice":    {func(r *Roster) { r.Members = append(r.Members, r.Members[1]) }, "twice"},
		"key":      {func(r *Roster) { r.Members[1].Sign = r.Members[1].Sign[:5] }, "key"},
		"no owner": {func(r *Roster) { r.Members[0].Role = Guard }, "owner"},
		"invite":   {func(r *Roster) { r.Invites = []Invite{{Key: key(t, 8).Public().Sign, Role: Owner, Until: noon}} }, "invite"},
		"crowd":    {func(r *Roster) { r.Members = make([]Member, maxMembers+1) }, "more than"},
	} {
		r := roster(t, 1)
		r.Members = slices.Clone(r.Members)
		c.change(&r)
		if err := r.Check(); !errors.Is(err, ErrRoster) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Begin(key(t, 1), r); err == nil {
			t.Errorf("%s: it was signed", name)
		}
	}
	if _, err := Begin(key(t, 2), roster(t, 1)); !errors.Is(err, ErrSigner) {
		t.Errorf("an operator begins a fleet: %v", err)
	}
	s, err := Begin(key(t, 1), roster(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Read(s); err != nil || r.Name != "team" {
		t.Errorf("read %+v, %v", r, err)
	}
	if _, err := Read(signed(t, 2, roster(t, 1))); !errors.Is(err, ErrSigner) {
		t.Errorf("an operator's roster was read: %v", err)
	}
}

func TestRoles(t *testing.T) {
	order := []Role{Watcher, Guard, Operator, Owner}
	for i, has := range order {
		for j, least := range order {
			if got := has.Includes(least); got != (i >= j) {
				t.Errorf("%s includes %s: %t", has, least, got)
			}
		}
		if Machine.Includes(has) || has.Includes(Machine) || has.Includes("") || Role("").Includes(has) || Role("king").Includes(has) {
			t.Errorf("%s and what gives no orders", has)
		}
	}
}

func TestCodes(t *testing.T) {
	for range 200 {
		c := NewCode()
		s := c.String()
		for _, typed := range []string{s, strings.ToLower(s), strings.ReplaceAll(s, "-", ""), " " + strings.ReplaceAll(s, "-", " ") + "\n", strings.ReplaceAll(s, "0", "o"), strings.ReplaceAll(s, "1", "l")} {
			if got, err := ParseCode(typed); err != nil || got != c {
				t.Fatalf("%q reads as %v, %v", typed, got, err)
			}
		}
		if c.ID() == NewCode().ID() || bytes.Contains([]byte(c.ID()), c.derive("letter")[:4]) {
			t.Fatal("two codes have one place")
		}
	}
	for _, typed := range []string{"", "7KQ2", "7KQ2-9FXM-03AB-CDE", "7KQ2-9FXM-03AB-CDEFG", "7KQ2-9FXM-03AB-CDEU", "7KQ2-9FXM-03AB-CDE\x00"} {
		if _, err := ParseCode(typed); !errors.Is(err, ErrCode) {
			t.Errorf("%q: %v", typed, err)
		}
	}
}

func TestAdmit(t *testing.T) {
	code, other := Code{1}, Code{2}
	r := roster(t, 1)
	in, err := code.Invite(Operator, noon.Add(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	machines, _ := other.Invite(Machine, noon.Add(time.Hour))
	r.Invites = []Invite{in, machines}
	enrol := func(c Code, k keys.Key, fleet, name string, role Role) keys.Signed {
		return must(Enrol(c, k, fleet, name, role, noon))
	}
	if m, err := r.Admit(enrol(code, key(t, 5), r.Fleet, "eve's laptop", Operator), noon); err != nil || m.Name != "eve's laptop" || m.Role != Operator || m.ID() != key(t, 5).Public().ID() {
		t.Fatalf("admitted %+v, %v", m, err)
	}
	for _, role := range []Role{Machine, Watcher, Guard} {
		if _, err := r.Admit(enrol(code, key(t, 5), r.Fleet, "x", role), noon); err != nil {
			t.Errorf("less than it is for, %s: %v", role, err)
		}
	}
	stolen := func() keys.Signed { // the invite's holder enrols a key that is another's
		inv, _ := code.Key()
		own := must(key(t, 6).Sign(keys.KindEnrolment, Wish{Member: member(t, 5, "x", Machine), Fleet: r.Fleet, Code: hex.EncodeToString(inv.Public().Sign)}))
		return must(inv.Sign(keys.KindEnrolment, Enrolment{r.Fleet, own}))
	}
	moved := func() keys.Signed { // a wish that was for one invite, taken to another
		var e Enrolment
		if err := enrol(other, key(t, 5), r.Fleet, "x", Machine).Open(keys.KindEnrolment, &e); err != nil {
			t.Fatal(err)
		}
		inv, _ := code.Key()
		return must(inv.Sign(keys.KindEnrolment, e))
	}
	for name, c := range map[string]struct {
		s    keys.Signed
		at   time.Time
		want error
	}{
		"more than it is for":   {enrol(other, key(t, 5), r.Fleet, "x", Watcher), noon, ErrInvite},
		"an owner":              {enrol(code, key(t, 5), r.Fleet, "x", Owner), noon, ErrInvite},
		"a role there is not":   {enrol(code, key(t, 5), r.Fleet, "x", "king"), noon, ErrInvite},
		"too late":              {enrol(code, key(t, 5), r.Fleet, "x", Operator), noon.Add(10 * time.Minute), ErrInvite},
		"a code that was taken": {enrol(Code{3}, key(t, 5), r.Fleet, "x", Machine), noon, ErrInvite},
		"another fleet":         {enrol(code, key(t, 5), "team-xyz999", "x", Machine), noon, ErrOther},
		"no name":               {enrol(code, key(t, 5), r.Fleet, "", Machine), noon, ErrRoster},
		"a name that draws":     {enrol(code, key(t, 5), r.Fleet, "a\x1bb", Machine), noon, ErrRoster},
		"another's key":         {stolen(), noon, keys.ErrForged},
		"a wish that was moved": {moved(), noon, ErrOther},
		"the invite's own key":  {enrol(code, must(code.Key()), r.Fleet, "x", Machine), noon, ErrRoster},
		"another invite's key":  {enrol(code, must(other.Key()), r.Fleet, "x", Machine), noon, ErrRoster},
	} {
		if m, err := r.Admit(c.s, c.at); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v, not %v", name, m, err, c.want)
		}
	}
}

// A letter counts where an owner of its roster signed it, for the invite that it was found with.
func TestReadLetter(t *testing.T) {
	r := roster(t, 1)
	code, late := Code{1}, Code{2}
	in, err := code.Invite(Machine, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	other, err := late.Invite(Machine, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	r.Invites = []Invite{in}
	letter := func(invite Invite, lister byte, r Roster) *Letter {
		return &Letter{Invite: invite.Key, Roster: signed(t, lister, r), Servers: []string{"tls://office:4222"}}
	}
	sign := func(k byte, l *Letter) keys.Signed { return must(l.Sign(key(t, k))) }
	forged := sign(1, letter(in, 1, r))
	forged.Body = sign(2, letter(in, 2, r)).Body
	got, err := ReadLetter(sign(1, letter(in, 1, r)), in.Key)
	if err != nil || got.By.ID() != key(t, 1).Public().ID() || got.To.Role != Machine || got.Servers[0] != "tls://office:4222" {
		t.Errorf("%+v, %v", got, err)
	}
	for name, c := range map[string]struct {
		s    keys.Signed
		want error
	}{
		"an operator's":            {sign(2, letter(in, 1, r)), ErrSigner},
		"somebody else's":          {sign(9, letter(in, 1, r)), ErrSigner},
		"a list of an operator":    {sign(1, letter(in, 2, r)), ErrSigner},
		"servers that were put in": {forged, keys.ErrForged},
		"a roster alone":           {signed(t, 1, r), keys.ErrForged},
		"for another invite":       {sign(1, letter(other, 1, r)), ErrOther},
		"a list without it":        {sign(1, letter(in, 1, roster(t, 1))), ErrInvite},
	} {
		if _, err := ReadLetter(c.s, in.Key); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", name, err, c.want)
		}
	}
}

func FuzzReadRoster(f *testing.F) {
	s := signed(f, 1, roster(f, 1))
	f.Add(s.Body)
	f.Add([]byte{0xa1, 0x65, 'f', 'l', 'e', 'e', 't', 0x60})
	f.Fuzz(func(t *testing.T, body []byte) {
		k := key(t, 1)
		r, err := Read(keys.Signed{Body: body, By: k.Public().Sign, Sig: ed25519.Sign(k.Private(), append([]byte(string(keys.KindRoster)+"\x00"), body...))})
		if err != nil {
			return
		}
		if m, ok := r.Of(k.Public().Sign); !ok || m.Role != Owner || r.Check() != nil {
			t.Fatalf("read a roster that is none: %+v", r)
		}
	})
}
