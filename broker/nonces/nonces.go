// Package nonces remembers which requests came, so that none counts twice.
//
// Who proves that a request is theirs puts a nonce into it, which is good once. In go a token's id and
// such a nonce, out comes whether it is new. It never remembers one for less than a few minutes, unless
// the token that it came with sends very many; then only that token's are forgotten. After that a request
// may be sent again: it asks its question again, but the answer is of no use to anybody, as the client
// that knows the nonce has left.
package nonces

import (
	"sync"
	"time"
)

// How long a nonce is remembered, and how many are, for each token.
const (
	nonceTime = 5 * time.Minute // at least; twice that at most
	maxNonces = 1 << 15         // in each of two generations
)

// Memory remembers nonces by token. Its zero value is ready. Several goroutines may use it.
type Memory struct {
	mu      sync.Mutex
	byToken map[string]*generations
}

// generations are the nonces of one token. Two sets, of which the older is thrown away whole,
// forget old nonces without a timer for each.
type generations struct {
	young, old map[string]struct{}
	since      time.Time // when the young ones began
}

// Take reports whether nonce is new, and remembers it. A token that sends more than maxNonces in
// a short time only shortens its own memory, never another token's.
func (n *Memory) Take(token, nonce string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	g, now := n.byToken[token], time.Now()
	if g == nil {
		if n.byToken == nil {
			n.byToken = map[string]*generations{}
		}
		g = &generations{young: map[string]struct{}{}, since: now}
		n.byToken[token] = g
	}
	if now.Sub(g.since) > nonceTime || len(g.young) >= maxNonces {
		g.young, g.old, g.since = map[string]struct{}{}, g.young, now
	}
	_, young := g.young[nonce]
	_, old := g.old[nonce]
	g.young[nonce] = struct{}{}
	return !young && !old
}
