// Package keys has what the members of a fleet prove themselves with, and how they sign.
//
// A member has one secret, an ed25519 key that its state folder holds. It signs with that, and
// reads what is sealed for it with an X25519 key that follows from the same secret (Key). Others
// know the public half of both (Public), and name the member by its hash (ID).
//
// What a member says is a Signed: the bytes as they were encoded, who signed them, and the
// signature. Nobody encodes again to verify, so there is no second form of the same thing. Each
// kind of thing is signed under a name of its own (Kind): what was signed as a roster is never
// taken as an order. What comes in is decoded strictly: a field that is not known, or comes twice,
// is an error (Open).
//
// The package knows neither fleets nor servers, and has no clock.
package keys

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hpke"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
)

// ErrKey means that something is no key of a member.
var ErrKey = errors.New("this is no member's key")

// Key is the secret of a member.
type Key struct {
	sign ed25519.PrivateKey
	box  hpke.PrivateKey
}

// New is the member's secret that follows from an ed25519 key. Errors: ErrKey.
func New(sign ed25519.PrivateKey) (Key, error) {
	if len(sign) != ed25519.PrivateKeySize {
		return Key{}, ErrKey
	}
	seed, err := hkdf.Key(sha256.New, sign.Seed(), nil, "aoctl fleet box 1", 32)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrKey, err)
	}
	box, err := kem().DeriveKeyPair(seed)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrKey, err)
	}
	return Key{sign, box}, nil
}

// kem is how keys are sealed for a member: RFC 9180 over X25519.
func kem() hpke.KEM { return hpke.DHKEM(ecdh.X25519()) }

// Public is the half of k that others know.
func (k Key) Public() Public {
	pub, _ := k.sign.Public().(ed25519.PublicKey)
	return Public{Sign: pub, Box: k.box.PublicKey().Bytes()}
}

// Private is the key that k was made of.
func (k Key) Private() ed25519.PrivateKey { return k.sign }

// Public is what others know of a member's key. Names in CBOR and JSON are short: rosters have many.
type Public struct {
	Sign []byte `json:"sign"` // ed25519, 32 bytes
	Box  []byte `json:"box"`  // X25519, 32 bytes
}

// Check says whether p can be a key. Errors: ErrKey.
func (p Public) Check() error {
	if len(p.Sign) != ed25519.PublicKeySize {
		return ErrKey
	}
	if _, err := kem().NewPublicKey(p.Box); err != nil {
		return ErrKey
	}
	return nil
}

// ID names the member that has p: 26 characters a-z and 2-7, 128 bits of a hash over both halves.
// It may stand in a subject.
func (p Public) ID() string {
	sum := sha256.Sum256(append(append([]byte("aoctl fleet member 1\x00"), p.Sign...), p.Box...))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// Seal seals a secret of a few bytes for p, bound to about. Errors: ErrKey.
func (p Public) Seal(about string, secret []byte) ([]byte, error) {
	box, err := kem().NewPublicKey(p.Box)
	if err != nil {
		return nil, ErrKey
	}
	return hpke.Seal(box, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(about), secret)
}

// Unseal opens what Seal sealed for k about the same.
func (k Key) Unseal(about string, sealed []byte) ([]byte, error) {
	return hpke.Open(k.box, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(about), sealed)
}
