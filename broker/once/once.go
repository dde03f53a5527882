// Package once keeps the tokens that are good for one call alone: each is good for one use, by
// whoever was told of that call from outside, and until that call has its end.
//
// Mint takes a call's id and digest and gives the token, this once; Of takes a token and gives
// the call that it is for. Drop is told that a call has its end, and forgets its token. Package
// service mints and drops, package api asks whose token it was shown.
//
// It keeps hashes in memory and nothing on the disk, so no token outlives the broker. Hashes are
// compared in constant time, all of them each time, so that the time says nothing about which
// one fits. There are never more than Most tokens.
//
// The package decides nothing, and knows nothing of callers: whether a call may have a token,
// who may use it and for what is said by those above. It never gives a token a second time.
package once

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker"
)

// Prefix is how each token begins, so that people, secret scanners and the API see what it is.
const Prefix = "aoctl_once_"

// Most is how many tokens there are at a time. More calls than that may wait, but nobody is told
// of so many at once.
const Most = 1024

// ErrMost means that there are as many tokens as there may be.
var ErrMost = errors.New("too many calls have a token of their own")

// Call is what a token is for: this request, while it has this digest.
type Call struct{ ID, Digest string }

// Tokens are the tokens that count. The zero value has none and is ready. Several goroutines may
// use it.
type Tokens struct {
	mu    sync.Mutex
	calls map[string]Call // by the token's hash
}

// Mint makes a token for a call in place of the one that the call had. Errors: ErrMost.
func (t *Tokens) Mint(c Call) (token string, err error) {
	t.Drop(c.ID)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.calls) >= Most {
		return "", ErrMost
	}
	if t.calls == nil {
		t.calls = map[string]Call{}
	}
	token = Prefix + strings.ToLower(rand.Text())
	t.calls[broker.HashToken(token)] = c
	return token, nil
}

// Of is the call that a token is for; false when it is for none. The loop goes on after a match.
func (t *Tokens) Of(token string) (found Call, ok bool) {
	hash := []byte(broker.HashToken(token))
	t.mu.Lock()
	defer t.mu.Unlock()
	for h, c := range t.calls {
		if subtle.ConstantTimeCompare(hash, []byte(h)) == 1 {
			found, ok = c, true
		}
	}
	return found, ok
}

// Drop forgets the token of a call, if it has one.
func (t *Tokens) Drop(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for h, c := range t.calls {
		if c.ID == id {
			delete(t.calls, h)
		}
	}
}

// Len is how many tokens there are.
func (t *Tokens) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.calls)
}
