package vet

import (
	"crypto/sha256"
	"sync"
	"time"
)

type digest = [sha256.Size]byte

// cache remembers what became of texts: agents ask the same again and again. It has two
// generations; the older one goes when the younger one is full. So a text stays that comes
// again from time to time, and no flood of others takes more than its room.
type cache struct {
	mu         sync.Mutex
	young, old map[digest]kept
}

// kept is a result with its end. A text that came through does so for good, as reading it is a
// pure function.
type kept struct {
	Result

	until time.Time // of a text that did not come through; zero for one that did
}

// maxYoung is how many texts one generation has: more than may wait, so that a call is
// decided with what its reading gave when the card was drawn.
const maxYoung = 16384

// get returns what is known of a text. One that is asked for again moves to the young half, so
// that it outlives those that nobody asks for.
func (c *cache) get(d digest, now time.Time) (Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.young[d]
	if !ok {
		if k, ok = c.old[d]; ok {
			c.add(d, k)
		}
	}
	if !ok || !k.until.IsZero() && now.After(k.until) {
		return Result{}, false
	}
	return k.Result, true
}

// put keeps what became of a text.
func (c *cache) put(d digest, k kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(d, k)
}

// add is put. Caller holds mu.
func (c *cache) add(d digest, k kept) {
	if c.young == nil || len(c.young) >= maxYoung {
		c.old, c.young = c.young, make(map[digest]kept)
	}
	c.young[d] = k
}
