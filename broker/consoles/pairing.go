package consoles

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"sync"
	"time"
)

const (
	// CodeFor is how long a code is good.
	CodeFor = 5 * time.Minute
	// codeTries is how often a code may be typed wrongly before it is void.
	codeTries = 5
	// codeLetters are those that nobody takes for another one: 5 bits each.
	codeLetters = "23456789abcdefghijkmnpqrstuvwxyz"
	codeLength  = 12
)

// pairing is the code that is open, if any. The code never goes over the wire: each end proves
// that it knows the code, over what only the two ends of this connection know.
type pairing struct {
	mu    sync.Mutex
	now   func() time.Time
	code  string
	until time.Time
	wrong int
}

// open makes a new code, in the place of an older one: "k7qf-2m9x-w3pa".
func (p *pairing) open() (code string, until time.Time) {
	raw := make([]byte, codeLength)
	_, _ = rand.Read(raw) // never fails
	var b strings.Builder
	for i, c := range raw {
		if i > 0 && i%4 == 0 {
			b.WriteByte('-')
		}
		b.WriteByte(codeLetters[c%32])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.code, p.until, p.wrong = b.String(), p.now().Add(CodeFor), 0
	return p.code, p.until
}

// take ends the code when proof is one of it, and returns the broker's proof. Whoever guesses too
// often ends it too.
func (p *pairing) take(proof, bound []byte) (answer []byte, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.code == "" || p.now().After(p.until):
		p.code = ""
		return nil, ErrNoCode
	case !hmac.Equal(proof, proofOf(p.code, "console", bound)):
		if p.wrong++; p.wrong >= codeTries {
			p.code = ""
			return nil, ErrNoCode
		}
		return nil, ErrWrongCode
	}
	answer, p.code = proofOf(p.code, "broker", bound), ""
	return answer, nil
}

// proofOf is what an end says to show that it knows the code.
func proofOf(code, end string, bound []byte) []byte {
	h := hmac.New(sha256.New, []byte(plainCode(code)))
	_, _ = h.Write([]byte("aoctl pairing " + end + "\x00"))
	_, _ = h.Write(bound)
	return h.Sum(nil)
}

// plainCode is a code as it counts, however a person typed it.
func plainCode(code string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(codeLetters, r) {
			return r
		}
		return -1
	}, strings.ToLower(code))
}
