// Package seals keeps what machines tell from everybody but the people of the fleet.
//
// A machine draws a key for a time, its Epoch, and seals all that it tells with that. The key itself
// goes out in a Letter, sealed for each member that may see, and for nobody else: not for the
// servers that carry it, not for other machines. When somebody leaves the fleet or loses their role
// the machine draws a new one, so who left reads nothing of what comes later.
//
// All who may see share the epoch's key, so that a message is sealed once, however many read it.
// It therefore does not say who sealed it: what a machine tells is signed by the machine, and an
// order by its operator, beside being sealed. What is sealed is bound to the place where it belongs
// (about), so that a server cannot show it in another.
package seals

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// ErrSealed means that something cannot be opened: with another key, for another place, or changed.
var ErrSealed = errors.New("this is sealed for somebody else, or was changed")

// MostSealed is how much an epoch seals. With random nonces more than this is no longer safe to say
// of AES-GCM; NIST SP 800-38D has the bound at 2^32.
const MostSealed = 1 << 30

const (
	keySize = 32
	idSize  = 8
)

// Epoch is a key that a machine and those who may see have for a time. Several goroutines may use it.
type Epoch struct {
	id     string
	key    []byte
	aead   cipher.AEAD
	sealed atomic.Int64
}

// NewEpoch draws one.
func NewEpoch() *Epoch {
	id, key := make([]byte, idSize), make([]byte, keySize)
	_, _ = rand.Read(id) // it never fails
	_, _ = rand.Read(key)
	return epoch(hex.EncodeToString(id), key)
}

// Of is the epoch of a secret that both ends have otherwise, 32 bytes. It is for one text alone.
func Of(secret []byte) *Epoch { return epoch(strings.Repeat("0", 2*idSize), secret) }

func epoch(id string, key []byte) *Epoch {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the size is a constant
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return &Epoch{id: id, key: key, aead: aead}
}

// ID names the epoch: 16 hex digits.
func (e *Epoch) ID() string { return e.id }

// Worn reports whether e has sealed as much as it should.
func (e *Epoch) Worn() bool { return e.sealed.Load() >= MostSealed }

// Seal seals plain for the place about.
func (e *Epoch) Seal(about string, plain []byte) Sealed {
	e.sealed.Add(1)
	return Sealed{Epoch: e.id, Text: e.aead.Seal(nil, nil, plain, e.bind(about))} //nolint:gosec // it draws its nonce itself
}

// bind is what a text is bound to: the epoch, and where it belongs.
func (e *Epoch) bind(about string) []byte { return []byte(e.id + "\x00" + about) }

// Sealed is a text that an epoch sealed.
type Sealed struct {
	Epoch string `json:"epoch"`
	Text  []byte `json:"text"` // nonce and ciphertext
}

// Open opens what was sealed for the place about. Errors: ErrSealed.
func (e *Epoch) Open(about string, s Sealed) ([]byte, error) {
	if s.Epoch != e.id {
		return nil, ErrSealed
	}
	plain, err := e.aead.Open(nil, nil, s.Text, e.bind(about))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// Letter has the key of an epoch for those who may see. The machine signs it, which is the caller's
// to do and to check.
type Letter struct {
	Machine string            `json:"machine"` // its id
	Epoch   string            `json:"epoch"`
	For     map[string][]byte `json:"for"` // by member's id: the key, sealed for them
}

// Letter seals the key for all members of a roster that may see.
func (e *Epoch) Letter(machine string, r *members.Roster) (Letter, error) {
	l := Letter{Machine: machine, Epoch: e.id, For: map[string][]byte{}}
	for i := range r.Members {
		m := &r.Members[i]
		if !m.Role.Includes(members.Watcher) {
			continue
		}
		sealed, err := m.Seal(l.about(), e.key)
		if err != nil {
			return Letter{}, err
		}
		l.For[m.ID()] = sealed
	}
	return l, nil
}

// about is what the keys in l are bound to.
func (l *Letter) about() string { return "aoctl fleet letter 1\x00" + l.Machine + "\x00" + l.Epoch }

// Open takes the key that l has for k. Errors: ErrSealed.
func (l *Letter) Open(k keys.Key) (*Epoch, error) {
	key, err := k.Unseal(l.about(), l.For[k.Public().ID()])
	if err != nil || len(key) != keySize || len(l.Epoch) != 2*idSize {
		return nil, ErrSealed
	}
	return epoch(l.Epoch, key), nil
}
