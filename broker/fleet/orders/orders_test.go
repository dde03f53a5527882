package orders

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/keys/keystest"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

var key = keystest.Key

var roles = []members.Role{members.Machine, members.Watcher, members.Guard, members.Operator, members.Owner}

// roster has a member of each role, keyed by the role's place in roles.
func roster(tb testing.TB) members.Roster {
	tb.Helper()
	r := members.Roster{Fleet: "team-abc123", Number: 3, At: noon, Until: noon.Add(24 * time.Hour)}
	for i, role := range roles {
		r.Members = append(r.Members, members.Member{Public: key(tb, byte(i)).Public(), Name: string(role), Role: role})
	}
	return r
}

func body(tb testing.TB, v any) []byte {
	tb.Helper()
	raw, err := keys.Encode(v)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func decides(tb testing.TB, v broker.Verdict, digest string) []byte {
	tb.Helper()
	return body(tb, consoles.Decided{ID: "r1", Decision: broker.Decision{Verdict: v, Digest: digest}})
}

// allow is an order to allow a call, which a change makes another.
func allow(tb testing.TB, change func(*Order)) Order {
	tb.Helper()
	o := Order{Fleet: "team-abc123", Machine: "box", Boot: "b7", Number: 1, Expires: noon.Add(time.Minute), Method: "Calls.Decide", Body: decides(tb, broker.Allow, "d1")}
	if change != nil {
		change(&o)
	}
	return o
}

func sign(tb testing.TB, seed byte, o Order) keys.Signed {
	tb.Helper()
	s, err := o.Sign(key(tb, seed))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestTakeSaysWhyNot(t *testing.T) {
	const operator = 3
	for name, c := range map[string]struct {
		by     byte
		change func(*Order)
		want   error
	}{
		"as it should be":           {operator, nil, nil},
		"by an owner":               {4, nil, nil},
		"by a guard":                {2, nil, ErrRole},
		"by a machine":              {0, nil, ErrRole},
		"by a stranger":             {9, nil, ErrStranger},
		"for another machine":       {operator, func(o *Order) { o.Machine = "other" }, ErrElse},
		"for another fleet":         {operator, func(o *Order) { o.Fleet = "other-abc123" }, ErrElse},
		"for an earlier broker":     {operator, func(o *Order) { o.Boot = "b6" }, ErrBoot},
		"an allow that waits":       {operator, func(o *Order) { o.Boot = "" }, ErrBoot},
		"too late":                  {operator, func(o *Order) { o.Expires = noon }, ErrLate},
		"good for too long":         {operator, func(o *Order) { o.Expires = noon.Add(MostLive + time.Second) }, ErrFar},
		"a method that is none":     {operator, func(o *Order) { o.Method = "Door.Pair" }, ErrNoOrder},
		"a token":                   {4, func(o *Order) { o.Method, o.Body = "Rules.MintToken", nil }, ErrNoOrder},
		"any file":                  {4, func(o *Order) { o.Method, o.Body = "Place.ReadFile", body(t, "/etc/passwd") }, ErrNoOrder},
		"without the call's digest": {operator, func(o *Order) { o.Body = decides(t, broker.Allow, "") }, ErrNoDigest},
		"an ask without the digest": {operator, func(o *Order) { o.Body = decides(t, broker.Ask, "") }, ErrNoDigest},
		"a verdict that is none":    {2, func(o *Order) { o.Body = decides(t, "Deny", "") }, ErrNoDigest},
		"a pick without its digest": {operator, func(o *Order) {
			o.Body = body(t, consoles.Decided{Picks: []broker.Pick{{ID: "r1"}}, Decision: broker.Decision{Verdict: broker.Allow}})
		}, ErrNoDigest},
		"a guard denies":             {2, func(o *Order) { o.Body = decides(t, broker.Deny, "") }, nil},
		"a guard denies later":       {2, func(o *Order) { o.Boot, o.Body, o.Expires = "", decides(t, broker.Deny, ""), noon.Add(MostWait) }, nil},
		"a watcher denies":           {1, func(o *Order) { o.Body = decides(t, broker.Deny, "") }, ErrRole},
		"a guard freezes":            {2, func(o *Order) { o.Method, o.Body = "Calls.Freeze", body(t, consoles.Switch{On: true}) }, nil},
		"a guard lifts a freeze":     {2, func(o *Order) { o.Method, o.Body = "Calls.Freeze", body(t, consoles.Switch{}) }, ErrRole},
		"a freeze is lifted later":   {operator, func(o *Order) { o.Boot, o.Method, o.Body = "", "Calls.Freeze", body(t, consoles.Switch{}) }, ErrBoot},
		"a watcher reads":            {1, func(o *Order) { o.Method, o.Body = "Calls.Story", body(t, "r1") }, nil},
		"a guard saves a rule":       {2, func(o *Order) { o.Method, o.Body = "Rules.SaveRule", nil }, ErrRole},
		"a decision that is no CBOR": {operator, func(o *Order) { o.Body = []byte{0xff} }, errAny},
	} {
		d := NewDesk("box", "b7", roster(t), nil)
		o, taken, err := d.Take(sign(t, c.by, allow(t, c.change)), noon)
		switch {
		case errors.Is(c.want, errAny) && err == nil, !errors.Is(c.want, errAny) && !errors.Is(err, c.want):
			t.Errorf("%s: %v, not %v", name, err, c.want)
		case err != nil && slices.ContainsFunc(slices.Collect(maps.Values(d.took)), func(w *window) bool { return len(w.taken) > 0 }):
			t.Errorf("%s: it was refused, and its number counts", name)
		case err == nil && (taken.Operator != key(t, c.by).Public().ID() || taken.Method != o.Method || taken.Roster != 3):
			t.Errorf("%s: taken as %+v", name, taken)
		}
	}
}

var errAny = errors.New("any")

func TestForgedAndRepeated(t *testing.T) {
	d := NewDesk("box", "b7", roster(t), nil)
	s := sign(t, 3, allow(t, nil))
	forged := s
	forged.By = key(t, 4).Public().Sign
	if _, _, err := d.Take(forged, noon); !errors.Is(err, keys.ErrForged) {
		t.Errorf("under another's name: %v", err)
	}
	_, taken, err := d.Take(s, noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, again, err := d.Take(s, noon); !errors.Is(err, ErrRepeated) || again.Mark != taken.Mark {
		t.Errorf("the same again: %v", err)
	}
	// A broker that starts anew knows from the log what was taken.
	later := NewDesk("box", "b7", roster(t), []Taken{taken})
	if _, _, err := later.Take(s, noon); !errors.Is(err, ErrRepeated) {
		t.Errorf("after a start: %v", err)
	}
	if _, _, err := later.Take(sign(t, 3, allow(t, func(o *Order) { o.Number = 2 })), noon); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

// Orders overtake each other; each is taken, and once, also after the clock went back.
func TestOvertaken(t *testing.T) {
	d := NewDesk("box", "b7", roster(t), nil)
	order := func(n uint64, lasts time.Duration) keys.Signed {
		return sign(t, 3, allow(t, func(o *Order) { o.Number, o.Expires = n, noon.Add(lasts) }))
	}
	first, second, never := order(7, time.Second), order(8, time.Minute), order(6, time.Minute)
	for _, s := range []keys.Signed{second, first} {
		if _, _, err := d.Take(s, noon); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := d.Take(order(9, time.Minute), noon.Add(2*time.Second)); err != nil { // the first has expired
		t.Fatal(err)
	}
	for name, s := range map[string]keys.Signed{"the first": first, "the second": second, "one from before the first": never} {
		if _, _, err := d.Take(s, noon); !errors.Is(err, ErrRepeated) {
			t.Errorf("%s, once the clock went back: %v", name, err)
		}
	}
}

// While no owner is heard of, refusals count and nothing else does.
func TestWithoutOwners(t *testing.T) {
	d := NewDesk("box", "b7", roster(t), nil)
	late := noon.Add(24 * time.Hour)
	o := allow(t, func(o *Order) { o.Expires = late.Add(time.Minute) })
	if _, _, err := d.Take(sign(t, 3, o), late); !errors.Is(err, ErrRoster) {
		t.Errorf("an allow: %v", err)
	}
	o.Body = decides(t, broker.Deny, "")
	if _, _, err := d.Take(sign(t, 3, o), late); err != nil {
		t.Errorf("a deny: %v", err)
	}
}

func TestRevoked(t *testing.T) {
	d := NewDesk("box", "b7", roster(t), nil)
	r := roster(t)
	r.Number, r.Members = 4, slices.Delete(slices.Clone(r.Members), 3, 4)
	d.SetRoster(r)
	if _, _, err := d.Take(sign(t, 3, allow(t, nil)), noon); !errors.Is(err, ErrStranger) {
		t.Errorf("an operator who left: %v", err)
	}
}

// Every method of the consoles is either ordered with a role, or cannot be ordered at all.
func TestEveryMethodHasANeed(t *testing.T) {
	own := []string{"Door.Hello", "Door.Pair", "Calls.Watch", "Calls.Next", "Rules.MintToken", "Rules.RevokeToken", "Rules.Tokens", "Place.ReadFile", "Place.Stamp", "Place.Leave", "Place.Fleet", "Place.JoinFleet", "Place.LeaveFleet"}
	for _, m := range consoles.Methods() {
		_, err := NeedOf(m, body(t, consoles.Decided{Decision: broker.Decision{Verdict: broker.Deny}}))
		if m == "Calls.Freeze" {
			_, err = NeedOf(m, body(t, consoles.Switch{}))
		}
		if got := err == nil; got == slices.Contains(own, m) {
			t.Errorf("%s: ordered %t (%v)", m, got, err)
		}
	}
	for m := range needs {
		if !slices.Contains(consoles.Methods(), m) {
			t.Errorf("%s is no method", m)
		}
	}
}

// Whatever is sent, in whatever order, however often: what is taken was signed by somebody who may,
// for this machine and this run, is good, and is taken once.
func TestDeskKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		now, boot, runs, r := noon, "b1", 1, roster(t)
		d := NewDesk("box", boot, r, nil)
		var sent []keys.Signed
		var record []Taken
		takenMarks := map[string]bool{}
		rt.Repeat(map[string]func(*rapid.T){
			"sign": func(rt *rapid.T) {
				o := Order{
					Fleet: rapid.SampledFrom([]string{r.Fleet, r.Fleet, r.Fleet, "other-abc123"}).Draw(rt, "fleet"), Machine: rapid.SampledFrom([]string{"box", "box", "box", "other"}).Draw(rt, "machine"),
					Boot: rapid.SampledFrom([]string{boot, boot, "", "b0"}).Draw(rt, "boot"), Number: rapid.Uint64Range(1, 12).Draw(rt, "number"),
					Expires: now.Add(time.Duration(rapid.IntRange(-60, 150).Draw(rt, "for")) * time.Second), Method: "Calls.Decide",
					Body: decides(t, rapid.SampledFrom([]broker.Verdict{broker.Allow, broker.Deny, broker.Ask}).Draw(rt, "verdict"), rapid.SampledFrom([]string{"d", "d", ""}).Draw(rt, "digest")),
				}
				sent = append(sent, sign(t, byte(rapid.IntRange(0, 6).Draw(rt, "by")), o))
			},
			"arrives": func(rt *rapid.T) {
				if len(sent) == 0 {
					return
				}
				s := rapid.SampledFrom(sent).Draw(rt, "which")
				o, taken, err := d.Take(s, now)
				if err != nil {
					return
				}
				var in consoles.Decided
				if keys.Decode(o.Body, &in) != nil {
					rt.Fatal("taken, and no decision")
				}
				m, ok := r.Of(s.By)
				lets := in.Decision.Verdict != broker.Deny
				switch {
				case takenMarks[taken.Mark]:
					rt.Fatalf("taken twice: %+v", o)
				case !ok, o.Machine != "box", o.Fleet != r.Fleet, !now.Before(o.Expires):
					rt.Fatalf("taken at %s: %+v of %+v", now, o, m)
				case o.Boot != boot && (o.Boot != "" || lets):
					rt.Fatalf("taken in %s: %+v", boot, o)
				case lets && (!m.Role.Includes(members.Operator) || in.Decision.Digest == "" || !r.Fresh(now)), !m.Role.Includes(members.Guard):
					rt.Fatalf("%s: %+v", m.Role, in)
				}
				takenMarks[taken.Mark] = true
				record = append(record, taken)
			},
			"time": func(rt *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(1, 90).Draw(rt, "seconds")) * time.Second)
			},
			"restart": func(rt *rapid.T) {
				runs++
				boot = fmt.Sprint("b", runs)
				d = NewDesk("box", boot, r, record)
			},
			"restored": func(rt *rapid.T) { // from a backup: what was taken since is not on record
				record = record[:rapid.IntRange(0, len(record)).Draw(rt, "kept")]
				runs++
				boot = fmt.Sprint("b", runs)
				d = NewDesk("box", boot, r, record)
				for mark := range takenMarks { // a refusal that waits may come again, and refuses again
					if !slices.ContainsFunc(record, func(t Taken) bool { return t.Mark == mark }) {
						for _, s := range sent {
							var o Order
							if Mark(s) == mark && s.Open(keys.KindOrder, &o) == nil && o.Waits() {
								delete(takenMarks, mark)
							}
						}
					}
				}
			},
			"revoked": func(rt *rapid.T) {
				r.Number++
				r.Members = roster(t).Members
				i := rapid.IntRange(0, len(r.Members)-2).Draw(rt, "who")
				r.Members = slices.Delete(r.Members, i, i+1)
				d.SetRoster(r)
			},
		})
	})
}
