package members

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
)

const inviteKeySize = ed25519.PublicKeySize

// ErrCode means that a code cannot be one: a letter too many, or one that codes have not.
var ErrCode = errors.New("this is no code of a fleet: it has 16 letters and digits, in fours")

// Code is what an owner's screen shows and a new member types: 80 bits, which nobody guesses,
// whether a server or anybody else, however fast. Everything else about an invite follows from it.
type Code [10]byte

// codes is Crockford's alphabet: no letter looks like a digit.
var codes = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// NewCode draws a code.
func NewCode() (c Code) {
	_, _ = rand.Read(c[:]) // it never fails
	return c
}

// String is "7KQ2-9FXM-03AB-CDEF".
func (c Code) String() string {
	s := codes.EncodeToString(c[:])
	return strings.Join([]string{s[:4], s[4:8], s[8:12], s[12:]}, "-")
}

// ParseCode reads what a person typed: small letters, blanks and dashes do not matter, and O, I and
// L are read as the digits they look like. Errors: ErrCode.
func ParseCode(typed string) (c Code, err error) {
	plain := strings.NewReplacer("-", "", " ", "", "\t", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(strings.TrimSpace(typed)))
	raw, err := codes.DecodeString(plain)
	if err != nil || len(raw) != len(c) || codes.EncodeToString(raw) != plain {
		return c, ErrCode
	}
	return Code(raw), nil
}

// derive is a secret of 32 bytes that follows from the code.
func (c Code) derive(what string) []byte {
	raw, err := hkdf.Key(sha256.New, c[:], nil, "aoctl fleet invite 1 "+what, 32)
	if err != nil {
		panic(err) // the length is a constant
	}
	return raw
}

// Key is the secret that the invite of c is made with.
func (c Code) Key() (keys.Key, error) { return keys.New(ed25519.NewKeyFromSeed(c.derive("sign"))) }

// ID names the place where the invite's letter lies. It says nothing of the code.
func (c Code) ID() string { return hex.EncodeToString(c.derive("place")[:16]) }

// Secret seals the invite's letter, 32 bytes.
func (c Code) Secret() []byte { return c.derive("letter") }

// Invite is what stands in the roster for c. Whoever joins with it may be at most what most says.
func (c Code) Invite(most Role, until time.Time) (Invite, error) {
	k, err := c.Key()
	if err != nil {
		return Invite{}, err
	}
	return Invite{Key: k.Public().Sign, Role: most, Until: until}, nil
}

// Letter is what one finds with a code before one has joined: where one is about to be. The owner who made
// the invite signs it, so that who knows that owner's key need not trust the code, which others may have.
type Letter struct {
	Invite  []byte      `json:"invite"` // its key: a letter is for one
	Roster  keys.Signed `json:"roster"`
	Servers []string    `json:"servers"`       // addresses, as nats.go takes them
	Pin     []byte      `json:"pin,omitempty"` // SHA-256 of the servers' public key, when no authority vouches for it
}

// Invited is what a letter says.
type Invited struct {
	Letter

	To Invite // as what
	By Member // the owner who signed the letter
}

// Sign signs l, which k's owner made.
func (l *Letter) Sign(k keys.Key) (keys.Signed, error) { return k.Sign(keys.KindLetter, l) }

// ReadLetter opens what Letter.Sign signed, for the invite with a key. Errors: those of Read; ErrSigner where
// another than an owner signed it; ErrOther, ErrInvite.
func ReadLetter(s keys.Signed, invite []byte) (in Invited, err error) {
	if err = s.Open(keys.KindLetter, &in.Letter); err != nil {
		return in, err
	}
	r, err := Read(in.Roster)
	if err != nil {
		return in, err
	}
	var open bool
	in.By, _ = r.Of(s.By)
	in.To, open = r.invite(invite)
	switch {
	case in.By.Role != Owner:
		return in, ErrSigner
	case !slices.Equal(in.Invite, invite):
		return in, ErrOther
	case !open:
		return in, ErrInvite
	}
	return in, nil
}

// Enrolment asks to be in a fleet. The key of the invite signs it, and inside is the member's own
// signature, so that nobody enrols a key that is another's.
type Enrolment struct {
	Fleet string      `json:"fleet"`
	Own   keys.Signed `json:"own"` // of Wish
}

// Wish is what one that joins says of itself.
type Wish struct {
	Member

	Fleet string    `json:"fleet"`
	Code  string    `json:"code"` // the invite's Key, hex: a wish is for one invite
	At    time.Time `json:"at"`
}

// Enrol signs that k wants to be m in a fleet, with the invite of c.
func Enrol(c Code, k keys.Key, fleet string, name string, role Role, at time.Time) (keys.Signed, error) {
	invite, err := c.Key()
	if err != nil {
		return keys.Signed{}, err
	}
	w := Wish{Member: Member{Public: k.Public(), Name: name, Role: role}, Fleet: fleet, Code: hex.EncodeToString(invite.Public().Sign), At: at}
	own, err := k.Sign(keys.KindEnrolment, w)
	if err != nil {
		return keys.Signed{}, err
	}
	return invite.Sign(keys.KindEnrolment, Enrolment{fleet, own})
}

// Goodbye is what a machine signs that takes its enrolment back.
type Goodbye struct {
	keys.Public // the machine's

	Fleet  string `json:"fleet"`
	Invite []byte `json:"invite"` // the key of the one with which it joined
}

// Withdraw signs that the machine with key k, which joined with an invite, is gone.
func Withdraw(k keys.Key, fleet string, invite []byte) (keys.Signed, error) {
	return k.Sign(keys.KindGone, Goodbye{k.Public(), fleet, invite})
}

// Withdrawn opens what Withdraw signed. Errors: keys.ErrForged, ErrOther.
func Withdrawn(s keys.Signed, fleet string) (g Goodbye, err error) {
	if err = s.Open(keys.KindGone, &g); err != nil {
		return g, err
	}
	switch {
	case g.Fleet != fleet:
		return g, ErrOther
	case !slices.Equal(g.Sign, s.By):
		return g, keys.ErrForged
	}
	return g, nil
}

// Admit is who an enrolment says, where an invite of r is open for it. A Machine is in the fleet by
// that alone; for anybody else an owner puts them into the next roster. Errors: ErrInvite,
// ErrOther, ErrRoster, keys.ErrForged.
func (r *Roster) Admit(s keys.Signed, now time.Time) (Member, error) {
	in, ok := r.invite(s.By)
	if !ok || !now.Before(in.Until) {
		return Member{}, ErrInvite
	}
	var e Enrolment
	if err := s.Open(keys.KindEnrolment, &e); err != nil {
		return Member{}, err
	}
	var w Wish
	if err := e.Own.Open(keys.KindEnrolment, &w); err != nil {
		return Member{}, err
	}
	switch {
	case e.Fleet != r.Fleet || w.Fleet != r.Fleet || w.Code != hex.EncodeToString(s.By):
		return Member{}, ErrOther
	case !slices.Equal(w.Sign, e.Own.By):
		return Member{}, keys.ErrForged
	case r.invites(w.Sign): // whoever else has the code would be taken for this machine
		return Member{}, fmt.Errorf("%w: it asks with the key of an invite", ErrRoster)
	case w.Check() != nil, w.Name == "", broker.CheckName("name", w.Name) != nil:
		return Member{}, fmt.Errorf("%w: it asks under no name or key", ErrRoster)
	case w.Role != Machine && !in.Role.Includes(w.Role):
		return Member{}, fmt.Errorf("%w: the invite is for a %s", ErrInvite, in.Role)
	}
	return w.Member, nil
}
