package orders

import (
	"bytes"
	"errors"
	"testing"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

func TestSealedOrdersAndAnswers(t *testing.T) {
	const fleet = "team-abc123"
	box, other, me := key(t, 0), key(t, 7), key(t, 3)
	s := sign(t, 3, allow(t, nil))
	raw, err := Seal(s, fleet, box.Public())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Open(raw, fleet, box); err != nil || Mark(got) != Mark(s) {
		t.Errorf("the machine reads %v", err)
	}
	for name, open := range map[string]func() error{
		"another machine": func() error { _, err := Open(raw, fleet, other); return err },
		"another fleet":   func() error { _, err := Open(raw, "fleet-xyz", box); return err },
		"changed": func() error {
			_, err := Open(append(bytes.Clone(raw[:len(raw)-1]), raw[len(raw)-1]^1), fleet, box)
			return err
		},
	} {
		if err := open(); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: %v", name, err)
		}
	}

	member := func(k keys.Key) members.Member { return members.Member{Public: k.Public()} }
	a := Answer{Mark: Mark(s), Reply: []byte("done")}
	told, err := a.Seal(box, fleet, me.Public())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := OpenAnswer(told, me, fleet, member(box), Mark(s)); err != nil || string(got.Reply) != "done" {
		t.Errorf("the operator reads %q, %v", got.Reply, err)
	}
	for name, c := range map[string]struct {
		by   keys.Key
		from keys.Key
		mark string
		want error
	}{
		"by somebody else":   {other, box, a.Mark, ErrSealed},
		"of another machine": {me, other, a.Mark, ErrElse},
		"of another order":   {me, box, "00", ErrElse},
	} {
		if got, err := OpenAnswer(told, c.by, fleet, member(c.from), c.mark); !errors.Is(err, c.want) || got.Reply != nil {
			t.Errorf("%s: %v, %q", name, err, got.Reply)
		}
	}
}
