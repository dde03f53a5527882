package orders

import (
	"errors"
	"slices"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// ErrSealed means that something is not sealed for whoever reads it.
var ErrSealed = errors.New("this is sealed for somebody else, or was changed")

// Seal is a signed order as it goes to its machine. It is sealed for the machine's own key: one that
// waits is read by a later run of the broker, which has drawn new keys for all that it tells.
func Seal(s keys.Signed, fleet string, machine keys.Public) ([]byte, error) {
	plain, err := keys.Encode(s)
	if err != nil {
		return nil, err
	}
	return machine.Seal(about("order", fleet, machine.ID()), plain)
}

// Open reads what Seal made for the machine of k. Who signed it is for Desk.Take to look at. Errors:
// ErrSealed, and what is wrong with it.
func Open(raw []byte, fleet string, k keys.Key) (s keys.Signed, err error) {
	plain, err := k.Unseal(about("order", fleet, k.Public().ID()), raw)
	if err != nil {
		return s, ErrSealed
	}
	return s, keys.Decode(plain, &s)
}

// about is what is sealed is bound to.
func about(what, fleet, to string) string {
	return "aoctl fleet " + what + " 1\x00" + fleet + "\x00" + to
}

// Answer is what became of an order.
type Answer struct {
	Mark    string `json:"mark"`              // of the order
	Reply   []byte `json:"reply,omitempty"`   // of the consoles' method, CBOR
	Refused string `json:"refused,omitempty"` // why it was not taken; nothing came of it
	Anew    bool   `json:"anew,omitempty"`    // not taken, and a new order of the same may be: the broker or the clock is another one
}

// Seal is a as it goes to who gave the order, signed by the machine of k.
func (a *Answer) Seal(k keys.Key, fleet string, to keys.Public) ([]byte, error) {
	s, err := k.Sign(keys.KindAnswer, a)
	if err != nil {
		return nil, err
	}
	plain, err := keys.Encode(s)
	if err != nil {
		return nil, err
	}
	return to.Seal(about("answer", fleet, to.ID()), plain)
}

// OpenAnswer reads the answer of a machine to the order that mark names, for who gave it with k.
// Errors: ErrSealed, keys.ErrForged, ErrElse where it answers something else, and what is wrong with
// it.
func OpenAnswer(raw []byte, k keys.Key, fleet string, machine members.Member, mark string) (a Answer, err error) {
	plain, err := k.Unseal(about("answer", fleet, k.Public().ID()), raw)
	if err != nil {
		return a, ErrSealed
	}
	var s keys.Signed
	if err := keys.Decode(plain, &s); err != nil {
		return a, err
	}
	if err := s.Open(keys.KindAnswer, &a); err != nil {
		return Answer{}, err
	}
	if !slices.Equal(s.By, machine.Sign) || a.Mark != mark {
		return Answer{}, ErrElse
	}
	return a, nil
}
