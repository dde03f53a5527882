package board

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// order is a list of cards, worst risk first, then oldest first. Finding a place takes
// a binary search, so an arrival among ten thousand waiting calls costs microseconds.
// A card's risk may change only while it is in no list.
type order []*Card

// CompareCards sorts by risk, then by age, and by id where two calls came in the same
// moment. What is put off comes last.
func CompareCards(a, b *Card) int {
	if a.PutOff() != b.PutOff() {
		if b.PutOff() {
			return -1
		}
		return 1
	}
	if c := cmp.Compare(b.Class(), a.Class()); c != 0 {
		return c
	}
	if c := a.Req.CreatedAt.Compare(b.Req.CreatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.Req.ID, b.Req.ID)
}

// find is where c is, or would be.
func (o order) find(c *Card) (int, bool) { return slices.BinarySearchFunc(o, c, CompareCards) }

// Dangerous is how many cards of the list are, short of those that are put off: they
// come first.
func (o order) Dangerous() int {
	return sort.Search(len(o), func(i int) bool { return !o[i].Dangerous() || o[i].PutOff() })
}

// index is c's place, -1 when it is not in the list.
func (o order) index(c *Card) int {
	if i, ok := o.find(c); ok {
		return i
	}
	return -1
}

// insert puts c in its place; a card that is there already stays once.
func (o *order) insert(c *Card) {
	if i, ok := o.find(c); !ok {
		*o = slices.Insert(*o, i, c)
	}
}

// remove takes c out; a card that is not there changes nothing.
func (o *order) remove(c *Card) {
	if i, ok := o.find(c); ok {
		*o = slices.Delete(*o, i, i+1)
	}
}

// PutOff counts the calls that are put off; they are the last of those that wait.
func (o order) PutOff() int {
	n := 0
	for i := len(o) - 1; i >= 0 && o[i].PutOff(); i-- {
		n++
	}
	return n
}
