package engine

import (
	"cmp"
	"slices"
)

// table is a map whose changes can be taken back until they are kept. What is in it is never
// changed: another value is put in its place, so a reader may hold on to one.
type table[K cmp.Ordered, V any] struct {
	kept  map[K]V
	draft map[K]slot[V]
}

// slot is a change: a new value, or that there is none any more.
type slot[V any] struct {
	value V
	gone  bool
}

// undoable is a table, whatever is in it.
type undoable interface {
	open()
	shut()
	keep()
	undo()
}

// open makes an empty table.
func (t *table[K, V]) open() { *t = table[K, V]{kept: map[K]V{}, draft: map[K]slot[V]{}} }

// shut makes t show what is kept and nothing else. To put something into it is a defect, and panics.
func (t *table[K, V]) shut() { t.draft = nil }

func (t *table[K, V]) get(k K) (V, bool) {
	if s, ok := t.draft[k]; ok {
		return s.value, !s.gone
	}
	v, ok := t.kept[k]
	return v, ok
}

func (t *table[K, V]) has(k K) bool {
	_, ok := t.get(k)
	return ok
}

// drafted is the value of k that was put in since the last keep or undo: nobody else has
// seen it yet.
func (t *table[K, V]) drafted(k K) (V, bool) {
	s, ok := t.draft[k]
	return s.value, ok && !s.gone
}

func (t *table[K, V]) put(k K, v V) { t.draft[k] = slot[V]{value: v} }

func (t *table[K, V]) drop(k K) { t.draft[k] = slot[V]{gone: true} }

func (t *table[K, V]) len() int {
	n := len(t.kept)
	for k, s := range t.draft {
		switch _, was := t.kept[k]; {
		case was && s.gone:
			n--
		case !was && !s.gone:
			n++
		}
	}
	return n
}

// keys are those of all values, in order: what is done to several is done in the same order
// every time.
func (t *table[K, V]) keys() []K {
	list := make([]K, 0, len(t.kept)+len(t.draft))
	for k := range t.kept {
		if _, changed := t.draft[k]; !changed {
			list = append(list, k)
		}
	}
	for k, s := range t.draft {
		if !s.gone {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}

// keep makes the changes hold.
func (t *table[K, V]) keep() {
	for k, s := range t.draft {
		if s.gone {
			delete(t.kept, k)
		} else {
			t.kept[k] = s.value
		}
	}
	clear(t.draft)
}

// undo takes the changes back.
func (t *table[K, V]) undo() { clear(t.draft) }
