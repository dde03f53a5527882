// Package undo has maps whose changes are a draft until they are kept: they can be taken back.
//
// A copy of a Map that is shut shows what the first one has kept, and no draft, so it can be handed
// to those who must not see that; nothing can be put into it. What is in a Map is never changed:
// another value is put in its place, so a reader may hold on to one. A Map has no lock: who keeps
// changes sees to it that nobody reads meanwhile.
//
// The engine keeps everything that it may have to take back in such maps. A round steps its
// inputs on the draft; when the round is on record the draft is kept, and when it is not, undone.
// Both cost as much as the round has changed, however large the map is.
//
// Order matters to the simulator: Keys, All and Changed go by the order of keys, so two runs of
// the same inputs do the same. Kept alone has no order, and is for counting.
package undo

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// Map is a map with a draft. It is to be opened before it is used.
type Map[K cmp.Ordered, V any] struct {
	kept  map[K]V
	draft map[K]slot[V]
}

// slot is a change: a new value, or that there is none any more.
type slot[V any] struct {
	value V
	gone  bool
}

// Any is a Map, whatever is in it. It lets a state keep or undo all of its maps in one loop.
type Any interface {
	Open()
	Shut()
	Keep()
	Undo()
}

// Open makes an empty map.
func (m *Map[K, V]) Open() { *m = Map[K, V]{kept: map[K]V{}, draft: map[K]slot[V]{}} }

// Shut makes m show what is kept and nothing else. To put something into it is a defect, and panics.
func (m *Map[K, V]) Shut() { m.draft = nil }

// Get is the value of k with the draft in mind; false when there is none. A value that is a
// pointer must not be changed behind it: put a changed copy.
func (m *Map[K, V]) Get(k K) (V, bool) {
	if s, ok := m.draft[k]; ok {
		return s.value, !s.gone
	}
	v, ok := m.kept[k]
	return v, ok
}

// At is the value of k, the zero value when there is none.
func (m *Map[K, V]) At(k K) V {
	v, _ := m.Get(k)
	return v
}

// Has reports whether k has a value.
func (m *Map[K, V]) Has(k K) bool {
	_, ok := m.Get(k)
	return ok
}

// Drafted is the value of k that was put in since the last keep or undo: nobody else has
// seen it yet.
func (m *Map[K, V]) Drafted(k K) (V, bool) {
	s, ok := m.draft[k]
	return s.value, ok && !s.gone
}

// Before is the value that k has without the draft, the zero value when there is none.
func (m *Map[K, V]) Before(k K) V { return m.kept[k] }

// Put drafts that k has value v.
func (m *Map[K, V]) Put(k K, v V) { m.draft[k] = slot[V]{value: v} }

// Drop drafts that k has no value.
func (m *Map[K, V]) Drop(k K) { m.draft[k] = slot[V]{gone: true} }

// Len is how many have a value.
func (m *Map[K, V]) Len() int {
	n := len(m.kept)
	for k, s := range m.draft {
		switch _, was := m.kept[k]; {
		case was && s.gone:
			n--
		case !was && !s.gone:
			n++
		}
	}
	return n
}

// Keys are those of all values, in order: what is done to several is done in the same order
// every time.
func (m *Map[K, V]) Keys() []K {
	list := make([]K, 0, len(m.kept)+len(m.draft))
	for k := range m.kept {
		if _, changed := m.draft[k]; !changed {
			list = append(list, k)
		}
	}
	for k, s := range m.draft {
		if !s.gone {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}

// All are the values with the draft in mind, in the order of their keys as they are when it begins.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range m.Keys() {
			if !yield(k, m.At(k)) {
				return
			}
		}
	}
}

// Kept are the values that are kept, in no order.
func (m *Map[K, V]) Kept() iter.Seq2[K, V] { return maps.All(m.kept) }

// Changed are the keys that the draft is about, in order.
func (m *Map[K, V]) Changed() []K { return slices.Sorted(maps.Keys(m.draft)) }

// Keep makes the changes hold. Nobody may read meanwhile, readers of a shut copy included: both
// share the kept map.
func (m *Map[K, V]) Keep() {
	for k, s := range m.draft {
		if s.gone {
			delete(m.kept, k)
		} else {
			m.kept[k] = s.value
		}
	}
	clear(m.draft)
}

// Undo takes the changes back.
func (m *Map[K, V]) Undo() { clear(m.draft) }
