package tui

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
)

// order is a list of cards, oldest first. Finding a place takes a binary search, so
// an arrival among ten thousand waiting calls costs microseconds.
type order []*card

// compareAge sorts by age, and by id where two calls came in the same moment.
func compareAge(a, b *card) int {
	if c := a.req.CreatedAt.Compare(b.req.CreatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.req.ID, b.req.ID)
}

func (o order) find(c *card) (int, bool) { return slices.BinarySearchFunc(o, c, compareAge) }

// index is c's place, -1 when it is not in the list.
func (o order) index(c *card) int {
	if i, ok := o.find(c); ok {
		return i
	}
	return -1
}

func (o *order) insert(c *card) {
	if i, ok := o.find(c); !ok {
		*o = slices.Insert(*o, i, c)
	}
}

func (o *order) remove(c *card) {
	if i, ok := o.find(c); ok {
		*o = slices.Delete(*o, i, i+1)
	}
}

// card is one call as the console keeps it.
type card struct {
	req       broker.Request
	lateUntil int64 // Unix time in seconds; 0 while the call waits

	sending  broker.Verdict // the verdict that is on its way to the broker, empty when none is
	seenEnd  bool           // the call's last line has been on the screen
	reminded bool           // the half-time bell has rung

	file fileState // what a Write would replace

	sum      summary // computed when first needed
	haystack string  // lower-case text for the filter, computed when first needed
}

func (c *card) late() bool { return c.lateUntil != 0 }

// same reports whether other is the call that was drawn as c: one that has become
// late is another card to decide about.
func (c *card) key() drawnKey {
	return drawnKey{id: c.req.ID, digest: c.req.Digest, late: c.late()}
}

// drawnKey names what was drawn.
type drawnKey struct {
	id, digest string
	late       bool
}
