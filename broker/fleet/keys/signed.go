package keys

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// ErrForged means that a signature is not that of who is said to have signed.
var ErrForged = errors.New("the signature is wrong")

// Kind names what is signed. A signature of one kind is none of another.
type Kind string

// The kinds of things that are signed.
const (
	KindRoster    Kind = "aoctl fleet roster 1"
	KindLetter    Kind = "aoctl fleet invite letter 1"
	KindEnrolment Kind = "aoctl fleet enrolment 1"
	KindGone      Kind = "aoctl fleet gone 1" // of a machine that takes its enrolment back
	KindOrder     Kind = "aoctl fleet order 1"
	KindAnswer    Kind = "aoctl fleet answer 1"
	KindTold      Kind = "aoctl fleet told 1"  // an event, a state, a letter of keys, a beat
	KindClaim     Kind = "aoctl fleet claim 1" // of a call's id, see package queue
	KindAsk       Kind = "aoctl fleet ask 1"   // of one machine, what became of a call at another
)

// Signed is something that a member said.
type Signed struct {
	Body []byte `json:"body"` // CBOR, as it was signed
	By   []byte `json:"by"`   // ed25519 public key
	Sig  []byte `json:"sig"`
}

// Sign encodes v and signs it.
func (k Key) Sign(kind Kind, v any) (Signed, error) {
	body, err := Encode(v)
	if err != nil {
		return Signed{}, err
	}
	return Signed{Body: body, By: k.Public().Sign, Sig: ed25519.Sign(k.sign, kind.over(body))}, nil
}

// over is what is signed: the kind, a zero byte, the body.
func (k Kind) over(body []byte) []byte {
	return append(append(append(make([]byte, 0, len(k)+1+len(body)), k...), 0), body...)
}

// Verify says whether who is named in s signed it as what kind says. Errors: ErrForged. Whether
// they may say such a thing is the caller's to judge.
func (s Signed) Verify(kind Kind) error {
	if len(s.By) != ed25519.PublicKeySize || !ed25519.Verify(s.By, kind.over(s.Body), s.Sig) {
		return ErrForged
	}
	return nil
}

// Open verifies s and decodes it into v, which is a pointer. Errors: ErrForged, and what is wrong
// with the body.
func (s Signed) Open(kind Kind, v any) error {
	if err := s.Verify(kind); err != nil {
		return err
	}
	return Decode(s.Body, v)
}

// maxElements bounds every list and map in what comes in.
const maxElements = 1 << 16

// encoding and decoding are made when they are first needed: every hook run starts this program.
var (
	encoding = sync.OnceValue(func() cbor.EncMode {
		return must(cbor.EncOptions{Sort: cbor.SortCoreDeterministic, Time: cbor.TimeRFC3339Nano, TimeTag: cbor.EncTagNone}.EncMode())
	})
	decoding = sync.OnceValue(func() cbor.DecMode {
		o := decOptions
		o.ExtraReturnErrors = cbor.ExtraDecErrorUnknownField
		return must(o.DecMode())
	})
	decodingKnown = sync.OnceValue(func() cbor.DecMode { return must(decOptions.DecMode()) })
)

var decOptions = cbor.DecOptions{
	MaxArrayElements: maxElements, MaxMapPairs: maxElements, MaxNestedLevels: 64, DupMapKey: cbor.DupMapKeyEnforcedAPF,
	UTF8: cbor.UTF8DecodeInvalid, IndefLength: cbor.IndefLengthForbidden,
}

func must[T any](mode T, err error) T {
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}

// Encode is v as members send it.
func Encode(v any) ([]byte, error) {
	raw, err := encoding().Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", v, err)
	}
	return raw, nil
}

// Decode reads what Encode wrote into v, which is a pointer. A field that v has not, a field that
// comes twice, and anything behind the end are errors. Errors: ErrHeavy.
func Decode(raw []byte, v any) error {
	if Weight(raw) > MaxWeight {
		return ErrHeavy
	}
	if err := decoding().Unmarshal(raw, v); err != nil {
		return fmt.Errorf("decode a %T: %w", v, err)
	}
	return nil
}

// DecodeKnown is Decode for what machines tell: a field that v has not is left out, since the other
// end may be newer.
func DecodeKnown(raw []byte, v any) error {
	if Weight(raw) > MaxWeight {
		return ErrHeavy
	}
	if err := decodingKnown().Unmarshal(raw, v); err != nil {
		return fmt.Errorf("decode a %T: %w", v, err)
	}
	return nil
}
